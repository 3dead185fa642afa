// A client of MCP over Streamable HTTP, in both eras of the protocol.

import { signal } from "@preact/signals";
import { token, wantsToken } from "./api";
import { bytesOf, isObject, parse, write, type Json, type JsonObject } from "./json";

export type Era = "2026-07-28" | "2025-11-25";
export const MODERN: Era = "2026-07-28";
export const ERAS: Era[] = [MODERN, "2025-11-25"];

const META = "io.modelcontextprotocol/";
const CLIENT = { name: "toolwright-console", version: "1" };
const MOST_MESSAGES = 500;
const MOST_TEXT = 200_000;
const MOST_ROUNDS = 20;

/** One message of this page's own connection. */
export interface Message {
  id: number;
  at: number;
  way: "sent" | "received";
  what: string;
  era: Era;
  session: string;
  status: number | null;
  milliseconds: number | null;
  headers: [string, string][];
  /** The body, cut if it is very long. */
  text: string;
  bytes: number;
}

export const traffic = signal<Message[]>([]);
let lastNumber = 0;

function note(message: Omit<Message, "id" | "at" | "bytes">) {
  const bytes = bytesOf(message.text);
  const text = message.text.length > MOST_TEXT ? `${message.text.slice(0, MOST_TEXT)}…` : message.text;
  const entry = { ...message, id: ++lastNumber, at: Date.now(), bytes, text };
  traffic.value = [entry, ...traffic.value].slice(0, MOST_MESSAGES);
}

/** An error that the server answered with, or that the connection met. */
export class Failed extends Error {
  constructor(
    message: string,
    readonly code: number | null = null,
    readonly status: number | null = null,
  ) {
    super(message);
  }
}

/** What a server asks while a request runs. */
export interface Question {
  method: string;
  params: JsonObject;
}

export interface Listeners {
  signal?: AbortSignal;
  onProgress?: (progress: { progress?: Json; total?: Json; message?: Json }) => void;
  onLog?: (entry: { level?: Json; data?: Json; logger?: Json }) => void;
  onQuestion?: (question: Question) => Promise<JsonObject>;
}

interface Reply {
  result?: JsonObject;
  error?: { code: number; message: string; data?: Json };
}

export class Connection {
  session = "";
  private number = 0;
  private opening: Promise<void> | null = null;
  capabilities: JsonObject = {};

  constructor(
    readonly url: string,
    readonly era: Era,
  ) {}

  get isModern(): boolean {
    return this.era === MODERN;
  }

  /** Sends a request, answers what the server asks meanwhile, and returns its result. */
  async request(method: string, params: JsonObject, listeners: Listeners = {}): Promise<JsonObject> {
    if (!this.isModern) await this.open();
    let sent: JsonObject = params;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const result = await this.once(method, sent, listeners);
      if (result.resultType !== "input_required") return result;
      const questions = isObject(result.inputRequests) ? result.inputRequests : {};
      const answers: JsonObject = {};
      for (const [key, question] of Object.entries(questions)) {
        answers[key] = await this.answer(question, listeners);
      }
      sent = { ...params, inputResponses: answers, requestState: result.requestState ?? null };
    }
    throw new Failed("the server asks again and again");
  }

  /** Ends a session, where there is one. */
  async close(): Promise<void> {
    if (!this.session) return;
    const headers = this.headers("", {});
    this.session = "";
    await fetch(this.url, { method: "DELETE", headers, credentials: "omit" }).catch(() => undefined);
  }

  /** Sends what a client says first, as one that has no token; returns the bare answer. */
  async greetWithoutToken(): Promise<Response> {
    const method = this.isModern ? "server/discover" : "initialize";
    const params: JsonObject = this.isModern
      ? { _meta: this.modernMeta() }
      : { protocolVersion: this.era, capabilities: {}, clientInfo: CLIENT };
    const headers = this.headers(method, params);
    headers.delete("authorization");
    headers.delete("mcp-session-id");
    const body = write({ jsonrpc: "2.0", id: 1, method, params });
    const answer = await fetch(this.url, { method: "POST", headers, body, credentials: "omit" });
    const session = answer.headers.get("mcp-session-id");
    if (session) {
      headers.set("mcp-session-id", session);
      await fetch(this.url, { method: "DELETE", headers, credentials: "omit" }).catch(() => undefined);
    }
    return answer;
  }

  private modernMeta(): JsonObject {
    return {
      [`${META}protocolVersion`]: this.era,
      [`${META}clientInfo`]: CLIENT,
      [`${META}clientCapabilities`]: { elicitation: { form: {} }, roots: {} },
    };
  }

  private async answer(question: Json | undefined, listeners: Listeners): Promise<JsonObject> {
    if (!isObject(question) || typeof question.method !== "string") return { action: "decline" };
    const params = isObject(question.params) ? question.params : {};
    if (question.method === "roots/list") return { roots: [] };
    return (await listeners.onQuestion?.({ method: question.method, params })) ?? { action: "decline" };
  }

  private open(): Promise<void> {
    this.opening ??= this.handshake().catch((error: unknown) => {
      this.opening = null;
      throw error;
    });
    return this.opening;
  }

  private async handshake(): Promise<void> {
    const capabilities = { elicitation: { form: {} }, roots: {} };
    const result = await this.once(
      "initialize",
      { protocolVersion: this.era, capabilities, clientInfo: CLIENT },
      {},
    );
    this.capabilities = isObject(result.capabilities) ? result.capabilities : {};
    await this.post({ jsonrpc: "2.0", method: "notifications/initialized" }, {});
    if ("logging" in this.capabilities) {
      await this.once("logging/setLevel", { level: "debug" }, {}).catch(() => undefined);
    }
  }

  private async once(method: string, params: JsonObject, listeners: Listeners): Promise<JsonObject> {
    const id = ++this.number;
    const meta: JsonObject = { ...(isObject(params._meta) ? params._meta : {}) };
    if (listeners.onProgress) meta.progressToken = id;
    if (this.isModern) {
      Object.assign(meta, this.modernMeta());
      if (listeners.onLog) meta[`${META}logLevel`] = "debug";
    }
    const whole = Object.keys(meta).length ? { ...params, _meta: meta } : params;
    const cancel = () => {
      if (this.isModern) return; // there, closing the answer says so
      const notice = { requestId: id, reason: "the person at the page stopped it" };
      void this.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: notice }, {});
    };
    listeners.signal?.addEventListener("abort", cancel, { once: true });
    try {
      const reply = await this.post({ jsonrpc: "2.0", id, method, params: whole }, listeners, id);
      if (reply?.error) throw new Failed(reply.error.message, reply.error.code);
      if (!reply?.result) throw new Failed("the answer has neither a result nor an error");
      return reply.result;
    } finally {
      listeners.signal?.removeEventListener("abort", cancel);
    }
  }

  private headers(method: string, params: Json | undefined): Headers {
    const headers = new Headers({
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    });
    if (token.value) headers.set("authorization", `Bearer ${token.value}`);
    if (method !== "initialize") headers.set("mcp-protocol-version", this.era);
    if (this.session) headers.set("mcp-session-id", this.session);
    if (this.isModern && method) {
      headers.set("mcp-method", method);
      const name = isObject(params) ? (params.name ?? params.uri) : undefined;
      if (typeof name === "string") headers.set("mcp-name", headerText(name));
    }
    return headers;
  }

  private async post(body: JsonObject, listeners: Listeners, id?: number): Promise<Reply | undefined> {
    const method = typeof body.method === "string" ? body.method : "";
    const headers = this.headers(method, body.params);
    const text = write(body);
    const what = method || "answer";
    const common = { what, era: this.era };
    note({
      ...common,
      way: "sent",
      session: this.session,
      status: null,
      milliseconds: null,
      headers: shown(headers),
      text,
    });
    const began = performance.now();
    const init: RequestInit = { method: "POST", headers, body: text, credentials: "omit" };
    if (listeners.signal) init.signal = listeners.signal;
    const answer = await fetch(this.url, init);
    this.session = answer.headers.get("mcp-session-id") ?? this.session;
    const received = (said: string, name = what) =>
      note({
        era: this.era,
        what: name,
        way: "received",
        session: this.session,
        status: answer.status,
        milliseconds: performance.now() - began,
        headers: shown(answer.headers),
        text: said,
      });
    if (answer.headers.get("content-type")?.startsWith("text/event-stream")) {
      return this.streamed(answer, listeners, id, received);
    }
    const said = await answer.text();
    received(said);
    return this.whole(answer, said);
  }

  private whole(answer: Response, said: string): Reply | undefined {
    if (answer.status === 401) wantsToken.value = true;
    if (answer.status === 404 && this.session) {
      this.session = "";
      this.opening = null;
    }
    if (answer.status === 202 || (answer.ok && !said)) return undefined;
    let body: Json = null;
    try {
      body = parse(said);
    } catch (error) {
      const why = error instanceof SyntaxError ? `: ${error.message.slice(0, 200)}` : "";
      throw new Failed(`the server answered ${answer.status} with no JSON${why}`, null, answer.status);
    }
    if (isObject(body) && (isObject(body.error) || isObject(body.result))) return body as Reply;
    const reason = isObject(body) && typeof body.error === "string" ? `: ${body.error}` : "";
    throw new Failed(`the server answered ${answer.status}${reason}`, null, answer.status);
  }

  private async streamed(
    answer: Response,
    listeners: Listeners,
    id: number | undefined,
    received: (said: string, name?: string) => void,
  ): Promise<Reply | undefined> {
    for await (const data of events(answer)) {
      const message = parse(data);
      received(data, isObject(message) && typeof message.method === "string" ? message.method : undefined);
      if (!isObject(message)) continue;
      if (typeof message.method !== "string") {
        if (message.id === id) return message as Reply;
      } else if ("id" in message) {
        void this.asked(message, listeners);
      } else {
        tell(message.method, isObject(message.params) ? message.params : {}, listeners);
      }
    }
    throw new Failed("the server closed the connection without an answer");
  }

  private async asked(message: JsonObject, listeners: Listeners): Promise<void> {
    const id = message.id ?? null;
    const isKnown = ["elicitation/create", "roots/list", "ping"].includes(String(message.method));
    const error = { code: -32601, message: "the console does not answer this" };
    const result = message.method === "ping" ? {} : isKnown && (await this.answer(message, listeners));
    await this.post({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }, {});
  }
}

function tell(method: string, params: JsonObject, listeners: Listeners) {
  if (method === "notifications/progress") listeners.onProgress?.(params);
  if (method === "notifications/message") listeners.onLog?.(params);
}

/** Yields the data of each event of a stream; what came is looked through once, however long. */
async function* events(answer: Response): AsyncGenerator<string> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let parts: string[] = [];
  let isAfterReturn = false;
  let data: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const came = isAfterReturn && value.startsWith("\n") ? value.slice(1) : value;
    isAfterReturn = value === "" ? isAfterReturn : value.endsWith("\r");
    const [first = "", ...others] = came.split(/\r\n|\n|\r/);
    parts.push(first);
    for (const next of others) {
      const line = parts.join("");
      parts = [next];
      if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      else if (line === "" && data.length) {
        const text = data.join("\n");
        data = [];
        if (text) yield text;
      }
    }
  }
}

/** Headers as the page shows them: a token is never shown. */
function shown(headers: Headers): [string, string][] {
  return [...headers].map(([name, value]) => [name, name === "authorization" ? "Bearer …" : value]);
}

/** Text as a header: what is not plain ASCII goes as base64 (2026-07-28, streamable HTTP). */
function headerText(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(String.fromCharCode(...bytes))}?=`;
}
