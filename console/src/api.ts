// The JSON under the page: everything here can be had by program as well.

import { signal } from "@preact/signals";
import { parse, type Json, type JsonObject } from "./json";

/** A token for the server. It lives in this page only: no storage, no address, no history. */
export const token = signal("");
/** Whether the server has refused to answer without a token, or with this one. */
export const wantsToken = signal(false);

export interface About {
  name: string;
  version: string;
  instructions: string;
  target: string;
  dialects: string[];
  path: string;
  era: string;
  bounds: number[];
}

export interface ListedTool {
  name: string;
  /** Its name in messages: a server behind the bridge has its own. */
  called: string;
  title: string | null;
  summary: string;
  tags: string[];
  hints: Record<string, boolean>;
  confirm: boolean;
  source: string;
}

export interface ListedResource {
  uri?: string;
  uriTemplate?: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  is_template: boolean;
}

export interface ListedPrompt {
  name: string;
  called: string;
  title?: string;
  description?: string;
  arguments?: { name: string; description?: string; required?: boolean }[];
}

export interface Catalog {
  tools: ListedTool[];
  resources: ListedResource[];
  prompts: ListedPrompt[];
}

export interface Finding {
  id: string;
  severity: "error" | "warning" | "info";
  message: string;
  fix: string;
  parameter: string | null;
}

export interface Judged {
  tools: Record<string, { tokens: number; findings: Pick<Finding, "id" | "severity">[] }>;
  others: Finding[];
}

export interface Parameter {
  name: string;
  type: string;
  default: string | null;
  description: string;
  limits: string[];
}

export interface Change {
  severity: "breaking" | "risky" | "additive";
  where: string;
  text: string;
}

export interface ToolDetail extends ListedTool {
  signature: string;
  description: string;
  definition: { inputSchema: JsonObject; outputSchema?: JsonObject } & JsonObject;
  output_schema: JsonObject | null;
  parameters: Parameter[];
  problems: string[];
  limits: { timeout: string | null; cache: string | null; roles: string[] };
  tokens: Record<string, number> & { parameters: Record<string, number> };
}

export interface Examined {
  findings: Finding[];
  changes: { file: string; changes: Change[] } | { unreadable: string } | null;
}

export interface Dialect {
  definition: Json;
  losses: { path: string; keyword: string; message: string }[];
  tokens: number;
}

export interface Checked {
  accepted: boolean;
  faults: { path: (string | number)[]; text: string }[];
  repairs: { path: (string | number)[]; text: string }[];
}

export interface ToolFigures {
  calls: number;
  errors: number;
  cancelled: number;
  cached: number;
  seconds: number;
  histogram: number[];
}

export interface Live {
  since: number;
  now: number;
  running: number;
  abandoned: number;
  sessions: number;
  tools: Record<string, ToolFigures>;
  refusals: Record<string, number>;
  minute: number[];
  recent: {
    at: number;
    kind: string;
    name: string;
    outcome: string;
    seconds: number;
    sent: number;
    received: number;
    arguments: string | null;
  }[];
}

export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** Where the server is mounted: the page is at `.../console/`. */
export const root = location.pathname.replace(/\/console\/.*$/, "");

async function ask<T>(path: string, init: RequestInit = {}, read: (text: string) => unknown = JSON.parse): Promise<T> {
  const headers = new Headers(init.headers);
  if (token.value) headers.set("authorization", `Bearer ${token.value}`);
  const answer = await fetch(`${root}/console/api/${path}`, { ...init, headers, credentials: "omit" });
  if (answer.status === 401) wantsToken.value = true;
  if (!answer.ok) {
    const body = (await answer.json().catch(() => ({}))) as { error?: string };
    throw new Refused(body.error ?? `the server answered ${answer.status}`, answer.status);
  }
  return read(await answer.text()) as T;
}

const query = (values: Record<string, string>) => new URLSearchParams(values).toString();

export const api = {
  about: () => ask<About>("about"),
  catalog: () => ask<Catalog>("catalog"),
  judged: () => ask<Judged>("judged"),
  // Numbers in schemas stay as they are written: a choice among them is sent back.
  tool: (name: string) => ask<ToolDetail>(`tool?${query({ name })}`, {}, parse),
  doctor: (name: string) => ask<Examined>(`doctor?${query({ name })}`),
  dialect: (name: string, dialect: string) => ask<Dialect>(`dialect?${query({ name, dialect })}`, {}, parse),
  live: () => ask<Live>("live"),
  check: (body: string) => ask<Checked>("check", { method: "POST", body }),
};
