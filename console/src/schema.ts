// What the form needs of a JSON Schema: which widget draws a node.

import { isNumber, isObject, isSame, write, type Json, type JsonObject } from "./json";

export type Schema = boolean | JsonObject;
export type Kind = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

/** How the form draws a node. */
export type Drawing =
  | { as: "choice"; values: Json[] }
  | { as: "boolean" }
  | { as: "null" }
  | { as: "number"; isInteger: boolean }
  | { as: "text"; isLong: boolean; isFile: boolean; hint: string }
  | { as: "list"; item: (index: number) => Schema }
  | {
      as: "object";
      properties: Record<string, Schema>;
      required: string[];
      /** The schema of further names; undefined where there may be none. */
      further: Schema | undefined;
      /** Whether the schema asks for further names, not only fails to forbid them. */
      isOpen: boolean;
    }
  | { as: "union"; arms: Schema[] }
  /** What the form cannot draw: a field for JSON, for this node only. */
  | { as: "json" };

/** References that lead to references: more are not followed. */
const MOST_OPEN = 500;
const MOST_CHOICES = 2000;
const MOST_NAMED = 8;
/** How many parts of a value are compared with a schema, and made for one: all that has a use. */
const MOST_STEPS = 2000;
const KINDS: Kind[] = ["string", "number", "integer", "boolean", "null", "array", "object"];
/** Words that are about one kind of value only. */
const WORDS: Partial<Record<Kind, string[]>> = {
  object: ["properties", "additionalProperties", "patternProperties", "propertyNames", "required", "minProperties"],
  array: ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"],
  string: ["minLength", "maxLength", "pattern", "contentEncoding"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
};
const DATES: Record<string, string> = {
  date: "2026-01-31",
  time: "12:30:00",
  "date-time": "2026-01-31T12:30:00Z",
  duration: "PT1H30M",
  uuid: "123e4567-e89b-12d3-a456-426614174000",
  uri: "https://example.com",
  email: "ada@example.com",
};

export class Document {
  private readonly plain = new WeakMap<JsonObject, JsonObject>();
  private readonly gathered = new WeakMap<JsonObject, Schema[]>();
  private readonly drawings = new WeakMap<JsonObject, Drawing>();
  /** Nodes that are being merged: one of them inside itself is never finished. */
  private readonly open = new Set<JsonObject>();

  constructor(readonly root: JsonObject) {}

  /** Returns a node as an object, with its references followed and its `allOf` merged. */
  node(schema: Schema | undefined): JsonObject {
    if (!isObject(schema)) return schema === false ? { not: {} } : {};
    const known = this.plain.get(schema);
    if (known) return known;
    if (this.open.has(schema)) return { $unresolved: true };
    this.open.add(schema);
    const merged = this.merged(schema);
    this.open.delete(schema);
    this.plain.set(schema, merged);
    return merged;
  }

  private merged(schema: JsonObject): JsonObject {
    let node = schema;
    if (typeof node.$ref === "string") {
      const { $ref, ...beside } = node;
      const target = this.target(String($ref));
      if (target === undefined || this.open.size > MOST_OPEN) return { $unresolved: $ref };
      const followed = this.node(target);
      node = Object.keys(beside).length ? join(followed, beside) : followed;
    }
    if (Array.isArray(node.allOf)) {
      const { allOf, ...beside } = node;
      node = (allOf as Schema[]).map((part) => this.node(part)).reduce(join, beside);
    }
    return node;
  }

  private target(reference: string): Schema | undefined {
    if (reference === "#") return this.root;
    if (!reference.startsWith("#/")) return this.anchored(reference);
    let place: Json | undefined = this.root;
    for (const part of reference.slice(2).split("/")) {
      const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(place)) place = place[Number(key)];
      else place = isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
    }
    return isObject(place) || typeof place === "boolean" ? place : undefined;
  }

  private anchored(reference: string): Schema | undefined {
    const definitions = { ...own(this.root, "definitions"), ...own(this.root, "$defs") };
    return Object.values(definitions).find(
      (each) => isObject(each) && (`#${String(each.$anchor)}` === reference || each.$id === reference),
    ) as Schema | undefined;
  }

  /** The kinds of value that a node takes, as far as the form can tell. */
  kinds(schema: Schema): Kind[] {
    const node = this.node(schema);
    const types = Array.isArray(node.type) ? node.type : node.type === undefined ? [] : [node.type];
    const named = KINDS.filter((kind) => types.includes(kind));
    if (named.length) return named;
    const values = choices(node);
    if (values) return [...new Set(values.map(kindOf))];
    const implied = Object.entries(WORDS).filter(([, words]) => words.some((word) => Object.hasOwn(node, word)));
    return implied.length === 1 ? [implied[0]?.[0] as Kind] : [];
  }

  /** The arms of a union, those of unions in it among them, each with what stands beside it. */
  arms(node: JsonObject): Schema[] | undefined {
    if (unionOf(node) === undefined) return undefined;
    const known = this.gathered.get(node);
    if (known) return known;
    const arms: Schema[] = [];
    this.gather(node, besideUnion(node), new Set([node]), arms);
    this.gathered.set(node, arms);
    return arms;
  }

  /** Adds arms to a list, each arm of the schema once: a union may lead back to itself. */
  private gather(node: JsonObject, beside: JsonObject, seen: Set<Json>, arms: Schema[]) {
    for (const arm of unionOf(node) ?? []) {
      if (arm === false || seen.has(arm)) continue;
      seen.add(arm);
      const inner = this.node(arm);
      if (choices(inner) === undefined && unionOf(inner) !== undefined) {
        this.gather(inner, join(beside, besideUnion(inner)), seen, arms);
      } else {
        arms.push(Object.keys(beside).length ? join(beside, inner) : arm);
      }
    }
  }

  /** Returns how a node is drawn. */
  drawing(schema: Schema): Drawing {
    const node = this.node(schema);
    const known = this.drawings.get(node);
    if (known) return known;
    const drawing = this.drawn(node);
    this.drawings.set(node, drawing);
    return drawing;
  }

  private drawn(node: JsonObject): Drawing {
    if ("$unresolved" in node || "$dynamicRef" in node) return { as: "json" };
    const values = choices(node);
    if (values && values.length <= MOST_CHOICES) return { as: "choice", values };
    const arms = this.arms(node);
    if (arms) {
      if (arms.length === 1) return this.drawing(arms[0] ?? true);
      return arms.length ? { as: "union", arms } : { as: "json" };
    }
    const kinds = this.kinds(node).filter((kind, _at, all) => kind !== "integer" || !all.includes("number"));
    if (kinds.length > 1) return { as: "union", arms: kinds.map((type) => ({ ...node, type })) };
    return this.single(kinds[0], node);
  }

  private single(kind: Kind | undefined, node: JsonObject): Drawing {
    if (kind === "boolean") return { as: "boolean" };
    if (kind === "null") return { as: "null" };
    if (kind === "number" || kind === "integer") return { as: "number", isInteger: kind === "integer" };
    if (kind === "string") {
      const isFile = node.contentEncoding === "base64" || node.format === "base64";
      const most = typeof node.maxLength === "number" ? node.maxLength : 0;
      return { as: "text", isLong: most > 200, isFile, hint: hintOf(node) };
    }
    if (kind === "array") {
      // Before 2020-12, `items` had the first ones too.
      const listed = Array.isArray(node.items) ? node.items : node.prefixItems;
      const fixed = Array.isArray(listed) ? (listed as Schema[]) : [];
      const rest = (Array.isArray(node.items) ? node.additionalItems : node.items) ?? true;
      return { as: "list", item: (index) => fixed[index] ?? (rest as Schema) };
    }
    if (kind === "object") {
      const patterns = Object.values(own(node, "patternProperties")) as Schema[];
      const further = (node.additionalProperties ?? true) as Schema;
      const others = further === false ? patterns[0] : further;
      const properties = own(node, "properties") as Record<string, Schema>;
      const isOpen = "additionalProperties" in node || "patternProperties" in node;
      return {
        as: "object",
        isOpen: isOpen || !Object.keys(properties).length,
        properties,
        required: Array.isArray(node.required) ? node.required.map(String) : [],
        further: patterns.length > (further === false ? 1 : 0) ? true : others,
      };
    }
    return { as: "json" };
  }

  /** Whether a value looks like what an arm takes: enough to show it in the right one. */
  fits(schema: Schema, value: Json | undefined): boolean {
    return this.compared(schema, value, { left: MOST_STEPS });
  }

  private compared(schema: Schema, value: Json | undefined, steps: { left: number }): boolean {
    if (value === undefined || --steps.left < 0) return true;
    const node = this.node(schema);
    const values = choices(node);
    if (values) return values.some((choice) => isSame(choice, value));
    const arms = this.arms(node);
    if (arms) return arms.some((arm) => this.compared(arm, value, steps));
    const kinds = this.kinds(schema);
    if (kinds.length && !kinds.some((kind) => isKind(value, kind))) return false;
    if (isObject(value)) {
      const properties = own(node, "properties") as Record<string, Schema>;
      const required = Array.isArray(node.required) ? node.required.map(String) : [];
      if (required.some((name) => !Object.hasOwn(value, name))) return false;
      return Object.entries(value).every(([name, inner]) =>
        Object.hasOwn(properties, name)
          ? this.compared(properties[name] ?? true, inner, steps)
          : node.additionalProperties !== false || "patternProperties" in node,
      );
    }
    if (Array.isArray(value) && isObject(node.items)) {
      return value.slice(0, 20).every((inner) => this.compared(node.items as Schema, inner, steps));
    }
    return true;
  }

  /** A value to begin with, where one must be there: what the schema says, or the emptiest. */
  beginning(schema: Schema): Json {
    return this.begun(schema, new Set(), { left: MOST_STEPS });
  }

  private begun(schema: Schema, around: Set<JsonObject>, steps: { left: number }): Json {
    const node = this.node(schema);
    if (node.default !== undefined) return node.default;
    const drawing = this.drawing(schema);
    switch (drawing.as) {
      case "choice":
        return drawing.values[0] ?? null;
      case "boolean":
        return false;
      case "number":
        return typeof node.minimum === "number" ? node.minimum : 0;
      case "text":
        return "";
      case "list":
        return [];
      case "union":
        return this.begun(drawing.arms[0] ?? true, around, steps);
      case "object": {
        if (around.has(node) || --steps.left < 0) return {};
        const inside = new Set(around).add(node);
        return Object.fromEntries(
          drawing.required.map((name) => {
            const schema = Object.hasOwn(drawing.properties, name) ? drawing.properties[name] : drawing.further;
            return [name, this.begun(schema ?? true, inside, steps)];
          }),
        );
      }
      default:
        return null;
    }
  }

  /** The name of an arm of a union. */
  label(schema: Schema, depth = 0): string {
    const node = this.node(schema);
    if (typeof node.title === "string" && node.title) return node.title;
    const properties = Object.entries(own(node, "properties")) as [string, Schema][];
    if (!properties.length) return this.kind(schema, depth);
    // Without a title, objects are told apart by a property of one value, or by their properties.
    for (const [name, inner] of properties.slice(0, MOST_NAMED)) {
      const values = choices(this.node(inner));
      if (values?.length === 1) return `${name}: ${write(values[0] ?? null)}`;
    }
    const names = properties.slice(0, 3).map(([name]) => name);
    return `object with ${names.join(", ")}${properties.length > 3 ? " …" : ""}`;
  }

  /** A node's kind in a word or two. */
  kind(schema: Schema, depth = 0): string {
    const node = this.node(schema);
    const values = choices(node);
    if (values) return values.length > 3 ? "one of a list" : values.map((value) => write(value)).join(" or ");
    const arms = this.arms(node);
    if (arms && depth > 2) return "one of several";
    if (arms && arms.length <= MOST_NAMED) {
      return [...new Set(arms.map((arm) => this.label(arm, depth + 1)))].join(" or ");
    }
    if (arms) return `one of ${arms.length}`;
    const kinds = this.kinds(schema);
    if (kinds.length === 1 && kinds[0] === "array") {
      if (!isObject(node.items) || depth > 2) return "list";
      const { title } = this.node(node.items);
      return `list of ${typeof title === "string" && title ? title : this.kind(node.items, depth + 1)}`;
    }
    const format = typeof node.format === "string" ? ` (${node.format})` : "";
    return kinds.length ? kinds.join(" or ") + format : "any value";
  }
}

/** The arms that a node itself lists. */
function unionOf(node: JsonObject): Schema[] | undefined {
  const listed = node.anyOf ?? node.oneOf;
  return Array.isArray(listed) ? (listed as Schema[]) : undefined;
}

/** What stands beside a union and is about each of its arms. */
function besideUnion(node: JsonObject): JsonObject {
  const { description: _about, title: _title, default: _value, examples: _examples, ...beside } = node;
  delete beside[node.anyOf === undefined ? "oneOf" : "anyOf"];
  for (const word of ["$defs", "definitions", "$schema", "$id"]) delete beside[word];
  return beside;
}

function own(node: JsonObject, word: string): JsonObject {
  const value = node[word];
  return isObject(value) ? value : {};
}

function hintOf(node: JsonObject): string {
  const format = String(node.format);
  return (Object.hasOwn(DATES, format) && DATES[format]) || "";
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function choices(node: JsonObject): Json[] | undefined {
  if ("const" in node) return [node.const as Json];
  return Array.isArray(node.enum) ? node.enum : undefined;
}

export function kindOf(value: Json): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (isNumber(value)) return "number";
  if (isObject(value)) return "object";
  return typeof value as Kind;
}

export function isKind(value: Json, kind: Kind): boolean {
  const own = kindOf(value);
  if (kind !== "integer" || own !== "number") return own === kind;
  return typeof value !== "number" || Number.isInteger(value);
}

/** Joins two schemas for the form: what both say of the same word is said by the later one. */
function join(one: JsonObject, other: JsonObject): JsonObject {
  const joined: JsonObject = { ...one, ...other };
  if (isObject(one.properties) && isObject(other.properties)) {
    joined.properties = { ...one.properties, ...other.properties };
  }
  if (Array.isArray(one.required) && Array.isArray(other.required)) {
    joined.required = [...new Set([...one.required, ...other.required])];
  }
  return joined;
}
