// From values to what stands in a widget, and back. The form and its test use the same functions.

import { isNumber, isObject, numberText, parse, parseNumber, withKey, write, type Json, type JsonObject } from "./json";
import { isKind, type Document, type Drawing, type Schema } from "./schema";

/** The text of a widget for a value; undefined where the widget cannot hold it. */
export function textOf(drawing: Drawing, value: Json): string | undefined {
  switch (drawing.as) {
    case "text":
      // A browser changes "\r" in every field, and line ends in short ones.
      return typeof value === "string" && !(drawing.isLong ? /\r/ : /[\n\r]/).test(value) ? value : undefined;
    case "number":
      if (isNumber(value)) return numberText(value);
      // Text that is no number is shown as it was typed; text that looks like one is not.
      return typeof value === "string" && /\S/.test(value) && !/[\n\r]/.test(value) && parseNumber(value) === undefined
        ? value
        : undefined;
    case "boolean":
      return typeof value === "boolean" ? String(value) : undefined;
    case "null":
      return value === null ? "null" : undefined;
    case "choice": {
      const at = drawing.values.findIndex((choice) => write(choice) === write(value));
      return at < 0 ? undefined : String(at);
    }
    default:
      return undefined;
  }
}

/** The value of a widget's text. What is no number is sent as the text it is: the server judges. */
export function valueOf(drawing: Drawing, text: string): Json {
  switch (drawing.as) {
    case "number":
      return parseNumber(text) ?? text;
    case "boolean":
      return text === "true";
    case "null":
      return null;
    case "choice":
      return drawing.values[Number(text)] ?? null;
    default:
      return text;
  }
}

/** What is sent for what was typed: an empty field of what may be left out sends nothing. */
export function typedValue(drawing: Drawing, text: string, isRequired: boolean): Json | undefined {
  if (text === "" && (drawing.as !== "text" || !isRequired)) return undefined;
  return valueOf(drawing, text);
}

/** How much of a value has fields of its own; the rest is a field of JSON. */
export const MOST_ITEMS = 200;
export const MOST_DEPTH = 16;

/** Whether a value can stand in the widget of its node; else the node shows JSON. */
export function canShow(document: Document, drawing: Drawing, value: Json, depth: number): boolean {
  switch (drawing.as) {
    case "object":
      return depth < MOST_DEPTH && isObject(value) && Object.keys(value).length <= MOST_ITEMS;
    case "list":
      return depth < MOST_DEPTH && Array.isArray(value) && value.length <= MOST_ITEMS;
    case "union":
      return armOf(document, drawing.arms, value) >= 0;
    case "json":
      return true;
    default:
      return textOf(drawing, value) !== undefined;
  }
}

/** Text with line ends is drawn as a long one, whatever the schema says. */
export function fitted(drawing: Drawing, value: Json | undefined): Drawing {
  const isLong = drawing.as === "text" && typeof value === "string" && /\n/.test(value);
  return isLong ? { ...drawing, isLong: true } : drawing;
}

/** The arm of a union that shows a value; the first where there is none yet. */
export function armOf(document: Document, arms: Schema[], value: Json | undefined): number {
  if (value === undefined) return 0;
  const exact = arms.findIndex((arm) => document.fits(arm, value));
  if (exact >= 0) return exact;
  return arms.findIndex((arm) => document.kinds(arm).some((kind) => isKind(value, kind)));
}

export interface Count {
  drawn: number;
  json: number;
}

/** Takes a value through the form, widget by widget, as if every field were typed anew. */
export function retyped(document: Document, schema: Schema, value: Json, count: Count, depth = 0): Json {
  const drawing = fitted(document.drawing(schema), value);
  if (drawing.as === "json" || !canShow(document, drawing, value, depth)) {
    count.json += 1;
    return parse(write(value, 2));
  }
  if (drawing.as === "union") {
    const arm = drawing.arms[armOf(document, drawing.arms, value)];
    return retyped(document, arm ?? true, value, count, depth);
  }
  count.drawn += 1;
  if (drawing.as === "list") {
    return (value as Json[]).map((inner, at) => retyped(document, drawing.item(at), inner, count, depth + 1));
  }
  if (drawing.as === "object") {
    let built: JsonObject = {};
    for (const [name, inner] of Object.entries(value as JsonObject)) {
      const known = Object.hasOwn(drawing.properties, name) ? drawing.properties[name] : drawing.further;
      built = withKey(built, name, retyped(document, known ?? true, inner, count, depth + 1));
    }
    return built;
  }
  const text = textOf(drawing, value) ?? "";
  // An empty text that may be left out has a button of its own.
  return text === "" ? "" : (typedValue(drawing, text, false) ?? null);
}
