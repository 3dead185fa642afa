// What the page knows, and where it is.

import { computed, effect, signal } from "@preact/signals";
import { api, root, type About, type Catalog, type Judged } from "./api";
import { parse, isObject, write, type JsonObject } from "./json";
import { Connection, MODERN, type Era } from "./mcp";

export const about = signal<About | null>(null);
export const catalog = signal<Catalog>({ tools: [], resources: [], prompts: [] });
export const judged = signal<Judged>({ tools: {}, others: [] });
export const failure = signal("");
export const era = signal<Era>(MODERN);

/** The connection of the page; another era is another connection. */
export const connection = computed(() => {
  const path = about.value?.path ?? "/mcp";
  // Behind the bridge, each page has a program of its own.
  const query = path.startsWith("/console/") ? `?page=${page}` : "";
  return new Connection(location.origin + root + path + query, era.value);
});
const page = crypto.randomUUID?.() ?? String(Math.random()).slice(2);

export async function load() {
  try {
    const isFirst = about.value === null;
    about.value = await api.about();
    if (isFirst) era.value = about.value.era >= MODERN ? MODERN : "2025-11-25";
    catalog.value = await api.catalog();
    failure.value = "";
  } catch (error) {
    failure.value = error instanceof Error ? error.message : String(error);
    return;
  }
  judged.value = await api.judged().catch(() => judged.value);
}

// -- where the page is: all of it stands in the address, but never a token

export interface Place {
  view: string;
  name: string;
  /** Arguments of a permanent link. */
  sent: JsonObject | null;
}

function read(): Place {
  const [, view = "tools", name = "", query = ""] = /^#\/([^/?]*)\/?([^?]*)\??(.*)$/.exec(location.hash) ?? [];
  let sent: JsonObject | null = null;
  const text = new URLSearchParams(query).get("arguments");
  try {
    const value = text === null ? null : parse(text);
    sent = isObject(value) ? value : null;
  } catch {
    sent = null; // a link that was cut: the form begins empty
  }
  try {
    return { view: view || "tools", name: decodeURIComponent(name), sent };
  } catch {
    return { view: "tools", name: "", sent: null };
  }
}

export const place = signal<Place>(read());
window.addEventListener("hashchange", () => {
  place.value = read();
});

export function link(view: string, name = "", sent?: JsonObject): string {
  const query = sent ? `?${new URLSearchParams({ arguments: write(sent) }).toString()}` : "";
  return `#/${view}${name ? `/${encodeURIComponent(name.toWellFormed())}` : ""}${query}`;
}

effect(() => {
  const title = about.value?.name ?? "Toolwright";
  document.title = place.value.name ? `${place.value.name} · ${title}` : title;
});

// -- what was called, in this page

export interface Past {
  id: number;
  at: number;
  tool: string;
  sent: JsonObject;
  outcome: "ok" | "failed" | "cancelled";
  milliseconds: number;
  summary: string;
}

const MOST_PAST = 100;
export const past = signal<Past[]>([]);

export function remember(entry: Omit<Past, "id">) {
  const id = (past.value[0]?.id ?? 0) + 1;
  past.value = [{ ...entry, id }, ...past.value].slice(0, MOST_PAST);
}
