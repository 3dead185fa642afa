// From values to what stands in a widget, and back. The form and its test use the same functions.

import { isNumber, isObject, numberText, parse, parseNumber, withKey, write, type Json } from "./json";
import { isKind, type Document, type Drawing, type Schema } from "./schema";

/** The text of a widget for a value; undefined where the widget cannot hold it. */
export function textOf(drawing: Drawing, value: Json): string | undefined {
  switch (drawing.as) {
    case "text":
      // A browser changes "\r" in every field, and line ends in short ones.
      return typeof value === "string" && !(drawing.isLong ? /\r/ : /[\n\r]/).test(value) ? value : undefined;
    case "number":
      return isNumber(value) ? numberText(value) : undefined;
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
export function retyped(document: Document, schema: Schema, value: Json, count: Count): Json {
  const drawing = fitted(document.drawing(schema), value);
  const asJson = () => {
    count.json += 1;
    return parse(write(value, 2));
  };
  switch (drawing.as) {
    case "json":
      return asJson();
    case "union": {
      const arm = drawing.arms[armOf(document, drawing.arms, value)];
      return arm === undefined ? asJson() : retyped(document, arm, value, count);
    }
    case "list":
      if (!Array.isArray(value)) return asJson();
      count.drawn += 1;
      return value.map((inner, index) => retyped(document, drawing.item(index), inner, count));
    case "object": {
      if (!isObject(value)) return asJson();
      count.drawn += 1;
      let built = {};
      for (const [name, inner] of Object.entries(value)) {
        const known = Object.hasOwn(drawing.properties, name) ? drawing.properties[name] : drawing.further;
        built = withKey(built, name, retyped(document, known ?? true, inner, count));
      }
      return built;
    }
    default: {
      const text = textOf(drawing, value);
      if (text === undefined) return asJson();
      count.drawn += 1;
      return valueOf(drawing, text);
    }
  }
}
