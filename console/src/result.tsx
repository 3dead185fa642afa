// What came of a call: text, tree, table, picture, sound, plot.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { at, bytesOf, isNumber, isObject, numberText, parse, write, type Json, type JsonObject } from "./json";
import { Long, Markdown, Tabs, Tree, duration, plain, size } from "./parts";

const ROWS = 100;
const MOST_ROWS_PLOTTED = 20_000;
const PICTURES = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
const SOUNDS = /^audio\/[\w.+-]+$/;
const BASE64 = /^[A-Za-z0-9+/_=\s-]*$/;

export function Result(props: { result: JsonObject; milliseconds: number; children?: ComponentChildren }) {
  const { result, milliseconds } = props;
  const blocks = Array.isArray(result.content) ? result.content.filter(isObject) : [];
  const meta = isObject(result._meta) ? result._meta : {};
  const bytes = useMemo(() => bytesOf(write(result)), [result]);
  const value = useMemo(() => valueOf(result, blocks), [result]);
  const rows = useMemo(() => rowsOf(value), [value]);
  const numbers = useMemo(() => (rows ? columnsOfNumbers(rows) : numbersOf(value)), [rows, value]);
  const tabs = [
    ["content", "Content"],
    ...(rows ? [["table", `Table (${rows.length.toLocaleString()})`]] : []),
    ...(numbers ? [["plot", "Plot"]] : []),
    ...(value === undefined || typeof value === "string" ? [] : [["tree", "Tree"]]),
    ["raw", "Raw"],
  ] as [string, string][];
  const [wanted, setWanted] = useState("");
  const chosen = tabs.some(([tab]) => tab === wanted) ? wanted : rows ? "table" : "content";
  const isError = result.isError === true;
  return (
    <section class={`result${isError ? " failed" : ""}`} aria-label="Result">
      <p class="result-head" role="status">
        <strong>{isError ? "Failed" : "Done"}</strong> in {duration(milliseconds)},{" "}
        {size(bytes)}
      </p>
      {props.children}
      <Cached meta={meta} />
      <Tabs label="How the result is shown" tabs={tabs} chosen={chosen} choose={setWanted} />
      <div role="tabpanel" tabIndex={-1}>
        {chosen === "content" && blocks.map((block) => <Block block={block} />)}
        {chosen === "table" && rows && <Table rows={rows} />}
        {chosen === "plot" && numbers && <Plot columns={numbers} />}
        {chosen === "tree" && value !== undefined && <Tree value={value} />}
        {chosen === "raw" && <Long text={write(result, 2)} />}
      </div>
    </section>
  );
}

function Cached({ meta }: { meta: JsonObject }) {
  const cache = meta["toolwright/cache"];
  if (!isObject(cache)) return null;
  return <p class="quiet-text">{cache.hit ? "It comes from the cache." : "It was not in the cache."}</p>;
}

/** One block of content; nothing in it is run, and nothing is fetched for it. */
export function Block({ block }: { block: JsonObject }) {
  const data = typeof block.data === "string" ? block.data : "";
  const mime = typeof block.mimeType === "string" ? block.mimeType : "";
  if (block.type === "text" && typeof block.text === "string") return <Text text={block.text} />;
  if (block.type === "image" && PICTURES.test(mime) && BASE64.test(data)) {
    return <img class="picture" src={`data:${mime};base64,${data}`} alt="A picture that the tool returned" />;
  }
  if (block.type === "audio" && SOUNDS.test(mime) && BASE64.test(data)) {
    return <audio controls src={`data:${mime};base64,${data}`} />;
  }
  if (block.type === "resource_link") {
    return (
      <p>
        A link to <code>{plain(String(block.uri))}</code>
        {typeof block.description === "string" && ` (${plain(block.description)})`}
      </p>
    );
  }
  if (block.type === "resource" && isObject(block.resource)) return <Contents contents={block.resource} />;
  return <Tree value={block} />;
}

/** The contents of a resource. */
export function Contents({ contents }: { contents: JsonObject }) {
  const mime = typeof contents.mimeType === "string" ? contents.mimeType : "";
  const blob = typeof contents.blob === "string" ? contents.blob : "";
  const kind = mime.startsWith("image/") ? "image" : mime.startsWith("audio/") ? "audio" : "";
  const name = <p class="quiet-text">{`${plain(String(contents.uri ?? ""))} ${plain(mime)}`}</p>;
  if (kind && blob) {
    return (
      <div>
        {name}
        <Block block={{ type: kind, mimeType: mime, data: blob }} />
      </div>
    );
  }
  const isMarkdown = mime === "text/markdown" && typeof contents.text === "string";
  return (
    <div>
      {name}
      {isMarkdown ? (
        <Markdown text={contents.text as string} />
      ) : typeof contents.text === "string" ? (
        <Text text={contents.text} />
      ) : (
        <p>{size(Math.floor((blob.length * 3) / 4))} of data</p>
      )}
    </div>
  );
}

function Text({ text }: { text: string }) {
  const value = useMemo(() => (text.length < 1_000_000 ? jsonIn(text) : undefined), [text]);
  return value === undefined ? <Long text={text} isCode={false} /> : <Tree value={value} />;
}

/** The value of a result: what is structured, or JSON in its only text. */
function valueOf(result: JsonObject, blocks: JsonObject[]): Json | undefined {
  const structured = result.structuredContent;
  if (structured !== undefined) {
    const isBox = isObject(structured) && Object.keys(structured).length === 1 && "result" in structured;
    return isBox ? (structured as JsonObject).result : structured;
  }
  const text = blocks.length === 1 ? blocks[0]?.text : undefined;
  return typeof text === "string" ? jsonIn(text) : undefined;
}

function jsonIn(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The rows of a table, if a value is a list of objects or lists. */
function rowsOf(value: Json | undefined): JsonObject[] | null {
  if (!Array.isArray(value)) {
    const inner = isObject(value) ? Object.values(value) : [];
    return inner.length === 1 && Array.isArray(inner[0]) ? rowsOf(inner[0]) : null;
  }
  if (!value.length) return null;
  if (value.every(isObject)) return value as JsonObject[];
  if (!value.every(Array.isArray)) return null;
  return (value as Json[][]).map((row) => Object.fromEntries(row.map((cell, at) => [`${at + 1}`, cell])));
}

function namesIn(rows: JsonObject[]): string[] {
  const names = new Set<string>();
  for (const row of rows.slice(0, 200)) for (const name of Object.keys(row)) names.add(name);
  return [...names].slice(0, 50);
}

function Table({ rows }: { rows: JsonObject[] }) {
  const names = useMemo(() => namesIn(rows), [rows]);
  const [by, setBy] = useState<{ name: string; isDown: boolean } | null>(null);
  const [most, setMost] = useState(ROWS);
  const sorted = useMemo(() => {
    if (!by) return rows;
    return sortedBy(rows, by.name, by.isDown);
  }, [rows, by]);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table of the result">
      <table>
        <thead>
          <tr>
            {names.map((name) => (
              <th scope="col" class={isNumber(at(rows[0], name)) ? "number" : ""} aria-sort={by?.name === name ? (by.isDown ? "descending" : "ascending") : "none"}>
                <button type="button" onClick={() => setBy({ name, isDown: by?.name === name && !by.isDown })}>
                  {plain(name)} {by?.name === name ? (by.isDown ? "↓" : "↑") : ""}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, most).map((row) => (
            <tr>
              {names.map((name) => (
                <td class={isNumber(at(row, name)) ? "number" : ""}>{cell(at(row, name))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > most && (
        <button type="button" onClick={() => setMost(Math.min(most * 4, 5000))} disabled={most >= 5000}>
          {(rows.length - most).toLocaleString()} more rows
        </button>
      )}
    </div>
  );
}

const { compare } = new Intl.Collator();

/** What is compared is worked out once for each row: there may be a hundred thousand. */
function sortedBy(rows: JsonObject[], name: string, isDown: boolean): JsonObject[] {
  const sign = isDown ? -1 : 1;
  const keyed = rows.map((row) => {
    const value = at(row, name);
    return { row, number: isNumber(value) ? Number(numberText(value)) : null, text: cell(value) };
  });
  keyed.sort((one, other) => {
    const isByNumber = one.number !== null && other.number !== null;
    return sign * (isByNumber ? (one.number as number) - (other.number as number) : compare(one.text, other.text));
  });
  return keyed.map(({ row }) => row);
}

function cell(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : isNumber(value) ? numberText(value) : write(value);
  return plain(text, 300);
}

// -- plots

type Columns = { name: string; values: (number | null)[] }[];

function columnsOfNumbers(rows: JsonObject[]): Columns | null {
  if (rows.length < 3) return null;
  const few = rows.slice(0, MOST_ROWS_PLOTTED);
  const names = namesIn(rows).filter((name) => few.every((row) => (at(row, name) ?? null) === null || isNumber(at(row, name))));
  const columns = names.map((name) => ({
    name,
    values: few.map((row) => {
      const value = at(row, name);
      return isNumber(value) ? Number(numberText(value)) : null;
    }),
  }));
  return columns.length ? columns.slice(0, 8) : null;
}

function numbersOf(value: Json | undefined): Columns | null {
  if (!Array.isArray(value) || value.length < 3 || !value.every(isNumber)) return null;
  const values = value.slice(0, MOST_ROWS_PLOTTED).map((each) => Number(numberText(each as number)));
  return [{ name: "value", values }];
}

function Plot({ columns }: { columns: Columns }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let end = () => {};
    let isOver = false;
    void import("./plot").then(({ draw }) => {
      if (!isOver) end = draw(element, columns);
    });
    return () => {
      isOver = true;
      end();
    };
  }, [columns]);
  const names = columns.map((column) => plain(column.name)).join(", ");
  return <div ref={place} class="plot" role="img" aria-label={`A plot of ${names}`} />;
}
