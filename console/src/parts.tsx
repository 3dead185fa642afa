// Small parts that several views have.

import DOMPurify from "dompurify";
import { Marked } from "marked";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { isObject, write, type Json } from "./json";
import { link } from "./state";

const MOST_MARKDOWN = 20_000;
const MOST_SHOWN = 100_000;
const MOST_ENTRIES = 100;
const TAGS = ["p", "em", "strong", "del", "code", "pre", "ul", "ol", "li", "a", "br", "hr", "blockquote"].concat(
  ["h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"],
);

const SPECIAL: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const written = (text: string) => text.replace(/[&<>"]/g, (sign) => SPECIAL[sign] ?? "");
// HTML is shown as it is written, and a picture as what stands for it: nothing is fetched.
const marked = new Marked({
  gfm: true,
  async: false,
  renderer: { html: ({ text }) => written(text), image: ({ text }) => written(text) },
});

/** Text of an author as Markdown: nothing in it runs, and nothing is fetched for it. */
export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => {
    if (text.length > MOST_MARKDOWN) return null;
    try {
      return DOMPurify.sanitize(marked.parse(lines(text)) as string, {
        ALLOWED_TAGS: TAGS,
        ALLOWED_ATTR: ["href"],
        ALLOWED_URI_REGEXP: /^(https?|mailto):/i,
      });
    } catch {
      return null; // quotes in quotes without end: it is shown as it is
    }
  }, [text]);
  if (html === null) return <Long text={text} />;
  // biome-ignore lint: sanitised just above
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** Text of any length, of which a part is shown at first. */
export function Long({ text, isCode = true }: { text: string; isCode?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? text.slice(0, 20 * MOST_SHOWN) : text.slice(0, MOST_SHOWN);
  return (
    <div class="long">
      <pre class={isCode ? "code" : "plain"} dir="auto" tabIndex={0}>
        {lines(shown, Infinity)}
      </pre>
      {shown.length < text.length && (
        <p class="quiet-text">
          {(text.length - shown.length).toLocaleString()} more characters are not shown.{" "}
          {!isOpen && (
            <button type="button" onClick={() => setOpen(true)}>
              Show more
            </button>
          )}
        </p>
      )}
      <Copy text={text} />
    </div>
  );
}

/** What is copied may be large: it is made when someone asks for it. */
export function Copy({ text, label = "Copy" }: { text: string | (() => string); label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : text()).catch(() => undefined);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <button type="button" class="quiet copy" onClick={() => void copy()}>
      {isDone ? "Copied" : label}
    </button>
  );
}

/** JSON as a tree that opens where one looks: large values cost nothing until then. */
export function Tree({ value, name, depth = 0 }: { value: Json; name?: string; depth?: number }) {
  const [isOpen, setOpen] = useState(depth < 2);
  const [most, setMost] = useState(MOST_ENTRIES);
  const key = name === undefined ? null : <span class="tree-key"><bdi>{plain(name, 200)}</bdi>: </span>;
  if (!isObject(value) && !Array.isArray(value)) {
    const text = typeof value === "string" ? write(value.slice(0, 2001)) : write(value);
    const kind = value === null ? "null" : typeof value;
    return (
      <div class="tree-leaf">
        {key}
        <span class={`tree-${kind}`}><bdi>{plain(text)}</bdi></span>
      </div>
    );
  }
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  const sign = Array.isArray(value) ? `[${count}]` : `{${count}}`;
  const entries = isOpen ? firstEntries(value, most) : [];
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} class="tree">
      <summary>
        {key}
        <span class="quiet-text">{sign}</span>
      </summary>
      {isOpen && (
        <div class="tree-inside">
          {entries.map(([inner, each]) => (
            <Tree key={inner} value={each} name={inner} depth={depth + 1} />
          ))}
          {count > most && (
            <button type="button" class="quiet" onClick={() => setMost(most * 10)}>
              {(count - most).toLocaleString()} more
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function firstEntries(value: Json[] | { [key: string]: Json }, most: number): [string, Json][] {
  if (Array.isArray(value)) return value.slice(0, most).map((each, at) => [String(at), each]);
  return Object.entries(value).slice(0, most);
}

export function Tabs<T extends string>(props: {
  label: string;
  tabs: readonly (readonly [T, ComponentChildren])[];
  chosen: T;
  choose: (tab: T) => void;
}) {
  const move = (event: KeyboardEvent, at: number) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = props.tabs[(at + step + props.tabs.length) % props.tabs.length];
    if (!step || !next) return;
    event.preventDefault();
    props.choose(next[0]);
    const list = (event.currentTarget as HTMLElement).parentElement;
    (list?.children[(at + step + props.tabs.length) % props.tabs.length] as HTMLElement | undefined)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={props.label}>
      {props.tabs.map(([tab, label], at) => (
        <button
          type="button"
          role="tab"
          aria-selected={tab === props.chosen}
          tabIndex={tab === props.chosen ? 0 : -1}
          onClick={() => props.choose(tab)}
          onKeyDown={(event) => move(event, at)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

/** The way back to a list, where it is hidden behind what was chosen: on phones. */
export function Back({ view, label }: { view: string; label: string }) {
  return (
    <a class="back" href={link(view)}>
      ‹ {label}
    </a>
  );
}

export function Badge({ kind, children }: { kind: string; children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function duration(milliseconds: number): string {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  return milliseconds >= 1 ? `${+milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms` : `${(milliseconds * 1000).toFixed(0)} µs`;
}

export function time(at: number): string {
  return new Date(at).toLocaleTimeString();
}

// Signs that are not seen, or turn around what is seen; not the joiners that scripts are written with.
const HIDDEN = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f";
const TURNING = "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";
const IN_LINES = new RegExp(`[${HIDDEN}${TURNING}]`, "gu");
const ON_ONE = new RegExp(`[${HIDDEN}${TURNING}]`, "gu");
const MOST_ON_ONE = 2000;

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Text that came from elsewhere, on one line: signs that turn text around are shown as such. */
export function plain(text: string, most = MOST_ON_ONE): string {
  return shortened(text, most).replace(/\s*[\t\n\r]\s*/g, " ").replace(ON_ONE, "�");
}

/** Text that came from elsewhere, with its lines. */
export function lines(text: string, most = MOST_SHOWN): string {
  return shortened(text, most).replaceAll("\r\n", "\n").replace(IN_LINES, "�");
}
