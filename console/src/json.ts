// JSON values, read and written without changing any number.

export type Json = null | boolean | number | string | RawNumber | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A number that JavaScript would write differently, such as 1.0 or 2^60: kept as its text. */
export interface RawNumber {
  readonly rawJSON: string;
}

interface WithRaw {
  rawJSON?: (text: string) => RawNumber;
  isRawJSON?: (value: unknown) => boolean;
}
const { rawJSON, isRawJSON } = JSON as unknown as WithRaw;

export function isRaw(value: unknown): value is RawNumber {
  return isRawJSON !== undefined && isRawJSON(value);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRaw(value);
}

export function isNumber(value: unknown): value is number | RawNumber {
  return typeof value === "number" || isRaw(value);
}

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

const DEEPEST = 1000;

/** Whether lists and objects are in each other so deep that walking through them would end a page. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (isText) {
      if (sign === 92) at += 1;
      else if (sign === 34) isText = false;
    } else if (sign === 34) isText = true;
    else if (sign === 91 || sign === 123) {
      if (++depth > DEEPEST) return true;
    } else if (sign === 93 || sign === 125) depth -= 1;
  }
  return false;
}

/** Reads JSON. Throws `SyntaxError`. */
export function parse(text: string): Json {
  if (isTooDeep(text)) throw new SyntaxError(`it is more than ${DEEPEST} lists and objects deep`);
  const revive: Reviver = (_key, value, context) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined || rawJSON === undefined) return value;
    return String(value) === source ? value : rawJSON(source);
  };
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown) as Json;
}

/** Reads a number as JSON writes it; undefined if the text is none. */
export function parseNumber(text: string): number | RawNumber | undefined {
  if (!/^\s*-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\s*$/.test(text)) return undefined;
  return parse(text.trim()) as number | RawNumber;
}

export function write(value: Json, indent = 0): string {
  return JSON.stringify(value, null, indent);
}

export function numberText(value: number | RawNumber): string {
  return isRaw(value) ? value.rawJSON : String(value);
}

export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return write(one) === write(other);
}

/** A value by its key, where the object itself has it: never what every object inherits. */
export function at<T>(object: Record<string, T> | undefined, key: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Returns an object with one key changed, in its place; undefined takes the key out. */
export function withKey(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  const entries = Object.entries(object).filter(([name]) => name !== key || value !== undefined);
  if (value === undefined) return Object.fromEntries(entries);
  if (!Object.hasOwn(object, key)) return Object.fromEntries([...entries, [key, value]]);
  return Object.fromEntries(entries.map(([name, old]) => [name, name === key ? value : old]));
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
