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
    }
  | { as: "union"; arms: Schema[] }
  /** What the form cannot draw: a field for JSON, for this node only. */
  | { as: "json" };

const MOST_JUMPS = 20;
const KINDS: Kind[] = ["string", "number", "integer", "boolean", "null", "array", "object"];
const OBJECT_WORDS = ["properties", "additionalProperties", "patternProperties", "propertyNames", "required"];
const LIST_WORDS = ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"];
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

  constructor(readonly root: JsonObject) {}

  /** Returns a node as an object, with its references followed and its `allOf` merged. */
  node(schema: Schema | undefined): JsonObject {
    if (!isObject(schema)) return schema === false ? { not: {} } : {};
    const known = this.plain.get(schema);
    if (known) return known;
    const merged = this.merged(schema, 0);
    this.plain.set(schema, merged);
    return merged;
  }

  private merged(schema: JsonObject, jumps: number): JsonObject {
    let node = schema;
    if (typeof node.$ref === "string" && jumps < MOST_JUMPS) {
      const { $ref, ...beside } = node;
      const target = this.target(String($ref));
      if (target === undefined) return { $unresolved: $ref };
      node = join(this.merged(target, jumps + 1), beside);
    }
    if (Array.isArray(node.allOf) && jumps < MOST_JUMPS) {
      const { allOf, ...beside } = node;
      const parts = (allOf as Json[]).filter(isObject).map((part) => this.merged(part, jumps + 1));
      node = parts.reduce(join, beside);
    }
    return node;
  }

  private target(reference: string): JsonObject | undefined {
    if (reference === "#") return this.root;
    if (!reference.startsWith("#/")) return undefined;
    let place: Json | undefined = this.root;
    for (const part of reference.slice(2).split("/")) {
      const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(place)) place = place[Number(key)];
      else place = isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
    }
    return isObject(place) ? place : undefined;
  }

  /** The kinds of value that a node takes, as far as the form can tell. */
  kinds(schema: Schema): Kind[] {
    const node = this.node(schema);
    const types = Array.isArray(node.type) ? node.type : node.type === undefined ? [] : [node.type];
    const named = KINDS.filter((kind) => types.includes(kind));
    if (named.length) return named;
    const values = choices(node);
    if (values) return [...new Set(values.map(kindOf))];
    if (OBJECT_WORDS.some((word) => word in node)) return ["object"];
    if (LIST_WORDS.some((word) => word in node)) return ["array"];
    return [];
  }

  /** The arms of a union, each with what stands beside it. */
  arms(node: JsonObject): Schema[] | undefined {
    const { anyOf, oneOf, description: _about, title: _title, default: _value, ...beside } = node;
    const listed = anyOf ?? oneOf;
    if (!Array.isArray(listed) || (anyOf && oneOf)) return undefined;
    const arms = (listed as Schema[]).filter((arm) => arm !== false);
    return arms.map((arm) => (Object.keys(beside).length ? join(beside, this.node(arm)) : arm));
  }

  /** Returns how a node is drawn. */
  drawing(schema: Schema): Drawing {
    const node = this.node(schema);
    if ("$unresolved" in node || "not" in node || "if" in node || "$dynamicRef" in node) return { as: "json" };
    const values = choices(node);
    if (values) return { as: "choice", values };
    const arms = this.arms(node);
    if (arms) {
      if (arms.length === 1) return this.drawing(arms[0] ?? true);
      return { as: "union", arms: arms.flatMap((arm) => this.flat(arm)) };
    }
    const kinds = this.kinds(schema).filter((kind, _at, all) => kind !== "integer" || !all.includes("number"));
    if (kinds.length > 1) return { as: "union", arms: kinds.map((type) => ({ ...node, type })) };
    return this.single(kinds[0], node);
  }

  private flat(arm: Schema): Schema[] {
    const node = this.node(arm);
    return this.arms(node)?.flatMap((inner) => this.flat(inner)) ?? [arm];
  }

  private single(kind: Kind | undefined, node: JsonObject): Drawing {
    if (kind === "boolean") return { as: "boolean" };
    if (kind === "null") return { as: "null" };
    if (kind === "number" || kind === "integer") return { as: "number", isInteger: kind === "integer" };
    if (kind === "string") {
      const isFile = node.contentEncoding === "base64" || node.format === "base64";
      const most = typeof node.maxLength === "number" ? node.maxLength : 0;
      return { as: "text", isLong: most > 200, isFile, hint: DATES[String(node.format)] ?? "" };
    }
    if (kind === "array") {
      const fixed = Array.isArray(node.prefixItems) ? (node.prefixItems as Schema[]) : [];
      const rest = (node.items ?? true) as Schema;
      if (Array.isArray(rest)) return { as: "json" };
      return { as: "list", item: (index) => fixed[index] ?? rest };
    }
    if (kind === "object") {
      const further = (node.additionalProperties ?? true) as Schema;
      return {
        as: "object",
        properties: isObject(node.properties) ? (node.properties as Record<string, Schema>) : {},
        required: Array.isArray(node.required) ? node.required.map(String) : [],
        further: further === false ? undefined : "patternProperties" in node ? true : further,
      };
    }
    return { as: "json" };
  }

  /** Whether a value looks like what an arm takes: enough to show it in the right one. */
  fits(schema: Schema, value: Json | undefined, depth = 0): boolean {
    if (value === undefined || depth > 6) return true;
    const node = this.node(schema);
    const values = choices(node);
    if (values) return values.some((choice) => isSame(choice, value));
    const arms = this.arms(node);
    if (arms) return arms.some((arm) => this.fits(arm, value, depth + 1));
    const kinds = this.kinds(schema);
    if (kinds.length && !kinds.some((kind) => isKind(value, kind))) return false;
    if (isObject(value)) {
      const properties = isObject(node.properties) ? (node.properties as Record<string, Schema>) : {};
      const required = Array.isArray(node.required) ? node.required.map(String) : [];
      if (required.some((name) => !Object.hasOwn(value, name))) return false;
      return Object.entries(value).every(([name, inner]) =>
        Object.hasOwn(properties, name)
          ? this.fits(properties[name] ?? true, inner, depth + 1)
          : node.additionalProperties !== false,
      );
    }
    if (Array.isArray(value) && isObject(node.items)) {
      return value.slice(0, 20).every((inner) => this.fits(node.items as Schema, inner, depth + 1));
    }
    return true;
  }

  /** A value to begin with, where one must be there: what the schema says, or the emptiest. */
  beginning(schema: Schema, depth = 0): Json {
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
        return this.beginning(drawing.arms[0] ?? true, depth + 1);
      case "object": {
        const required = depth > 8 ? [] : drawing.required;
        return Object.fromEntries(
          required.map((name) => [name, this.beginning(drawing.properties[name] ?? true, depth + 1)]),
        );
      }
      default:
        return null;
    }
  }

  /** The name of an arm of a union. */
  label(schema: Schema): string {
    const { title } = this.node(schema);
    return typeof title === "string" && title ? title : this.kind(schema);
  }

  /** A node's kind in a word or two. */
  kind(schema: Schema): string {
    const node = this.node(schema);
    const values = choices(node);
    if (values) return values.length > 3 ? "one of a list" : values.map((value) => write(value)).join(" or ");
    const arms = this.arms(node);
    if (arms) return [...new Set(arms.map((arm) => this.label(arm)))].join(" or ");
    const kinds = this.kinds(schema);
    if (kinds.length === 1 && kinds[0] === "array") {
      return isObject(node.items) ? `list of ${this.label(node.items)}` : "list";
    }
    const format = typeof node.format === "string" ? ` (${node.format})` : "";
    return kinds.length ? kinds.join(" or ") + format : "any value";
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
