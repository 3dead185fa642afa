// What the test of the form runs: values through every widget, and how much of a schema is drawn.

import { isObject, parse, write, type Json, type JsonObject } from "./json";
import { Document, type Schema } from "./schema";
import { retyped, type Count } from "./widgets";

/** One line of the test: a schema and values for it; the answer is one line as well. */
export function answer(line: string): string {
  const { schema, values } = parse(line) as { schema: JsonObject; values: Json[] };
  const document = new Document(schema);
  const count: Count = { drawn: 0, json: 0 };
  const sent = values.map((value) => retyped(document, schema, value, count));
  return write({ sent, values: { ...count }, nodes: survey(document) } as unknown as Json);
}

/** Counts the nodes of a schema that the form draws itself, and names those that it does not. */
function survey(document: Document): { drawn: number; json: Json[] } {
  const seen = new Set<Json>();
  const json: Json[] = [];
  let drawn = 0;
  const visit = (schema: Schema | undefined, isPart = false) => {
    if (!isObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    const drawing = document.drawing(schema);
    if (drawing.as === "json") json.push(schema);
    else if (!isPart) drawn += 1;
    const node = document.node(schema);
    if (node.additionalProperties === true || node.items === true) json.push(true);
    if (drawing.as === "list") {
      for (let at = 0; at < 20; at++) visit(drawing.item(at));
    } else if (drawing.as === "object") {
      for (const inner of Object.values(drawing.properties)) visit(inner);
      visit(drawing.further);
    } else if (drawing.as === "union") {
      // Where one node has several types, they are parts of it and no nodes of their own.
      const isOne = document.arms(node) === undefined;
      for (const arm of drawing.arms) visit(arm, isOne);
    }
  };
  visit(document.root);
  return { drawn, json };
}
