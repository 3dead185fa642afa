// Try a tool: a form and JSON in step, the call while it runs, and what came of it.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, root, type Checked, type ToolDetail } from "./api";
import { Form, type Fault } from "./form";
import { at, isObject, parse, write, type Json, type JsonObject } from "./json";
import { Copy, Long, Tabs, duration, lines, plain, time } from "./parts";
import { Result } from "./result";
import { Document } from "./schema";
import { about, connection, era, link, past, remember } from "./state";
import { Failed, type Question } from "./mcp";

interface Entry {
  level: string;
  text: string;
}

interface Asked {
  question: Question;
  answer: (reply: JsonObject) => void;
}

interface Outcome {
  result: JsonObject | null;
  failure: string;
  milliseconds: number;
}

const MOST_ENTRIES = 300;

export function Try({ tool, sent }: { tool: ToolDetail; sent: JsonObject | null }) {
  const document = useMemo(() => new Document(tool.definition.inputSchema), [tool]);
  const [value, setValue] = useState<JsonObject>(() => sent ?? beginning(document));
  const [text, setText] = useState<string | null>(null);
  const [problem, setProblem] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [checked, setChecked] = useState<Checked | null>(null);
  const running = useRun(tool);
  const change = (next: JsonObject) => {
    setValue(next);
    setText(null);
    setProblem("");
  };
  useEffect(() => {
    const timer = setTimeout(() => {
      const body = `{"name":${JSON.stringify(tool.name)},"arguments":${write(value)}}`;
      void api.check(body).then(setChecked, () => setChecked(null));
    }, 300);
    return () => clearTimeout(timer);
  }, [tool, value]);
  const end = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (running.outcome) end.current?.nextElementSibling?.scrollIntoView({ block: "nearest" });
  }, [running.outcome]);
  const faults: Fault[] = checked?.faults ?? [];
  const run = (event: Event) => {
    event.preventDefault();
    if (!problem) running.start(value, (checked?.repairs ?? []).map((repair) => plain(repair.text)));
  };
  return (
    <div class="try">
      <form onSubmit={run} class="try-input">
        <Form document={document} value={value} onChange={change} faults={faults} />
        <Elsewhere faults={faults} />
        <details class="json" open={isOpen || problem !== ""} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Arguments as JSON</summary>
          <textarea
            class="code"
            aria-label="Arguments as JSON"
            rows={8}
            spellcheck={false}
            value={text ?? write(value, 2)}
            onInput={(event) => {
              const typed = event.currentTarget.value;
              setText(typed);
              try {
                const read = typed.trim() ? parse(typed) : {};
                if (!isObject(read)) throw new Error("arguments are an object");
                setValue(read);
                setProblem("");
              } catch (error) {
                setProblem(error instanceof Error ? error.message : String(error));
              }
            }}
          />
          {problem && <p class="faults">This is not JSON yet: {problem}</p>}
        </details>
        <div class="actions">
          <button type="submit" class="primary" disabled={running.isOn || problem !== ""}>
            {running.isOn ? "Running …" : "Run"}
          </button>
          {running.isOn && (
            <button type="button" onClick={running.stop}>
              Cancel
            </button>
          )}
          <button type="button" class="quiet" onClick={() => change(beginning(document))}>
            Clear
          </button>
          {checked?.accepted && !checked.repairs.length && <span class="quiet-text">The server accepts these arguments.</span>}
          {checked?.repairs.map((repair) => (
            <span class="repair">{plain(repair.text)}</span>
          ))}
        </div>
      </form>
      <Confirm running={running} tool={tool} />
      <Progress running={running} />
      {running.asked && <Questions asked={running.asked} />}
      <span ref={end} />
      {running.outcome?.result && (
        <Result key={running.count} result={running.outcome.result} milliseconds={running.outcome.milliseconds}>
          {running.repairs.map((repair) => (
            <p class="repair">Repaired: {repair}</p>
          ))}
        </Result>
      )}
      {running.outcome?.failure && (
        <p class="failure" role="alert">
          {lines(running.outcome.failure, 10_000)} <span class="quiet-text">({duration(running.outcome.milliseconds)})</span>
        </p>
      )}
      <SameCall tool={tool} value={value} />
      <PastCalls tool={tool.name} again={change} />
    </div>
  );
}

/** What must be there has a place in the form from the start. */
function beginning(document: Document): JsonObject {
  const node = document.node(document.root);
  const properties = isObject(node.properties) ? node.properties : {};
  const required = Array.isArray(node.required) ? node.required.map(String) : [];
  const fields = required.filter((name) => {
    const drawing = document.drawing((at(properties, name) as JsonObject | undefined) ?? true);
    return drawing.as === "list" || drawing.as === "object";
  });
  return Object.fromEntries(fields.map((name) => [name, document.beginning((at(properties, name) as JsonObject | undefined) ?? true)]));
}

/** Faults of arguments that the form has no place for are said below it. */
function Elsewhere({ faults }: { faults: Fault[] }) {
  const others = faults.filter((fault) => fault.path.length > 0);
  if (!others.length) return null;
  return (
    <details class="elsewhere">
      <summary>
        The server refuses this: {others.length} {others.length === 1 ? "fault" : "faults"}
      </summary>
      <ul>
        {others.slice(0, 50).map((fault) => (
          <li>{lines(fault.text, 4000)}</li>
        ))}
      </ul>
    </details>
  );
}

// -- one run

interface Running {
  isOn: boolean;
  count: number;
  waiting: JsonObject | null;
  begin: (sent: JsonObject) => void;
  start: (sent: JsonObject, repairs: string[]) => void;
  /** What the server makes of the arguments before it runs the tool. */
  repairs: string[];
  stop: () => void;
  progress: { progress: number; total: number | null; message: string } | null;
  logs: Entry[];
  asked: Asked | null;
  outcome: Outcome | null;
}

function useRun(tool: ToolDetail): Running {
  const [isOn, setOn] = useState(false);
  const [count, setCount] = useState(0);
  const [repairs, setRepairs] = useState<string[]>([]);
  const [waiting, setWaiting] = useState<JsonObject | null>(null);
  const [progress, setProgress] = useState<Running["progress"]>(null);
  const [logs, setLogs] = useState<Entry[]>([]);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const control = useRef<AbortController | null>(null);
  useEffect(() => () => control.current?.abort(), []);

  const ask = (question: Question) =>
    new Promise<JsonObject>((resolve) => {
      setAsked({
        question,
        answer: (reply) => {
          setAsked(null);
          resolve(reply);
        },
      });
    });

  const begin = async (sent: JsonObject) => {
    setWaiting(null);
    setOutcome(null);
    setProgress(null);
    setLogs([]);
    setOn(true);
    control.current = new AbortController();
    const began = performance.now();
    const done = (result: JsonObject | null, failure: string, isStopped = false) => {
      const milliseconds = performance.now() - began;
      setOutcome({ result, failure, milliseconds });
      setCount((before) => before + 1);
      const isError = failure !== "" || result?.isError === true;
      const outcome = isStopped ? "cancelled" : isError ? "failed" : "ok";
      remember({ at: Date.now(), tool: tool.name, sent, outcome, milliseconds, summary: failure || summary(result) });
    };
    try {
      const listeners = {
        signal: control.current.signal,
        onProgress: (said: { progress?: Json; total?: Json; message?: Json }) =>
          setProgress({
            progress: Number(said.progress ?? 0),
            total: typeof said.total === "number" ? said.total : null,
            message: typeof said.message === "string" ? said.message : "",
          }),
        onLog: (said: { level?: Json; data?: Json }) => {
          const data = typeof said.data === "string" ? said.data : write(said.data ?? null);
          setLogs((before) => [...before, { level: String(said.level ?? "info"), text: data }].slice(-MOST_ENTRIES));
        },
        onQuestion: ask,
      };
      done(await connection.value.request("tools/call", { name: tool.called, arguments: sent }, listeners), "");
    } catch (error) {
      const isStopped = control.current.signal.aborted;
      const reason = error instanceof Failed || error instanceof Error ? error.message : String(error);
      done(null, isStopped ? "Cancelled." : reason, isStopped);
    } finally {
      setAsked(null);
      setOn(false);
    }
  };
  const asksFirst = tool.hints.destructiveHint === true || tool.confirm;
  return {
    isOn,
    count,
    waiting,
    begin: (sent) => void begin(sent),
    start: (sent, found) => {
      setRepairs(found);
      if (asksFirst) setWaiting(sent);
      else void begin(sent);
    },
    repairs,
    stop: () => (waiting ? setWaiting(null) : control.current?.abort()),
    progress,
    logs,
    asked,
    outcome,
  };
}

function summary(result: JsonObject | null): string {
  const first = Array.isArray(result?.content) ? result.content[0] : undefined;
  const text = isObject(first) && typeof first.text === "string" ? first.text : "";
  return plain(text.slice(0, 120));
}

function Confirm({ running, tool }: { running: Running; tool: ToolDetail }) {
  const sent = running.waiting;
  const box = useShown<HTMLDivElement>(sent);
  if (!sent) return null;
  return (
    <div
      ref={box}
      class="confirm"
      role="alertdialog"
      aria-label="Confirm the call"
      onKeyDown={(event) => event.key === "Escape" && running.stop()}
    >
      <p>
        <strong>{plain(tool.name, 300)}</strong> may change or delete something. Run it?
      </p>
      <div class="actions">
        <button type="button" class="danger" onClick={() => running.begin(sent)}>
          Run it
        </button>
        {/* It has the focus: an Enter too many destroys nothing. */}
        <button type="button" class="first" onClick={running.stop}>
          Do not
        </button>
      </div>
    </div>
  );
}

/** Scrolls to what has just appeared, and moves the focus to its first field or answer. */
function useShown<T extends HTMLElement>(what: unknown) {
  const place = useRef<T>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: "nearest" });
    const first = place.current?.querySelector<HTMLElement>(".first");
    (first ?? place.current?.querySelector<HTMLElement>("input, select, textarea, button"))?.focus();
  }, [what]);
  return place;
}

function Progress({ running }: { running: Running }) {
  const { progress, logs, isOn } = running;
  if (!progress && !logs.length) return null;
  return (
    <div class="progress">
      {progress && (
        <p aria-live="polite">
          <progress {...(progress.total ? { value: progress.progress, max: progress.total } : {})} />{" "}
          {plain(progress.message)}{" "}
          <span class="quiet-text">{progress.total === null ? progress.progress : `${progress.progress} of ${progress.total}`}</span>
        </p>
      )}
      {logs.length > 0 && (
        <details open={isOn} class="logs">
          <summary>
            {logs.length} {logs.length === 1 ? "message" : "messages"}
          </summary>
          <ol>
            {logs.map((entry) => (
              <li class={`log-${plain(entry.level, 20)}`}>
                <span class="kind">{plain(entry.level, 20)}</span> {plain(entry.text)}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

/** What a tool asks while it runs, as a form. */
function Questions({ asked }: { asked: Asked }) {
  const { params, method } = asked.question;
  const schema = isObject(params.requestedSchema) ? params.requestedSchema : { type: "object", properties: {} };
  const document = useMemo(() => new Document(schema), [asked]);
  const [value, setValue] = useState<JsonObject>({});
  const form = useShown<HTMLFormElement>(asked);
  if (method !== "elicitation/create" || typeof params.url === "string") {
    const what = typeof params.url === "string" ? `to open ${params.url}` : `for ${method}`;
    return (
      <div class="question" role="alertdialog" aria-label="A question of the tool">
        <p>The tool asks {plain(what)}, which this page does not do.</p>
        <button type="button" onClick={() => asked.answer({ action: "decline" })}>
          Decline
        </button>
      </div>
    );
  }
  return (
    <form
      ref={form}
      class="question"
      aria-label="A question of the tool"
      onSubmit={(event) => {
        event.preventDefault();
        asked.answer({ action: "accept", content: value });
      }}
    >
      <p class="asked">{plain(String(params.message ?? "The tool asks:"))}</p>
      <Form document={document} value={value} onChange={setValue} faults={[]} />
      <div class="actions">
        <button type="submit" class="primary">
          Answer
        </button>
        <button type="button" onClick={() => asked.answer({ action: "decline" })}>
          Decline
        </button>
        <button type="button" class="quiet" onClick={() => asked.answer({ action: "cancel" })}>
          Cancel
        </button>
      </div>
    </form>
  );
}

// -- the same call elsewhere

function SameCall({ tool, value }: { tool: ToolDetail; value: JsonObject }) {
  const [kind, setKind] = useState<"command" | "curl" | "python" | "protocol">("command");
  const [isOpen, setOpen] = useState(false);
  const texts = {
    command: () => commandText(tool.name, value),
    curl: () => curlText(tool.called, value),
    python: () => pythonText(tool.name, value),
    protocol: () => write(protocolMessage(tool.called, value), 2),
  };
  return (
    <details class="same" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The same call elsewhere</summary>
      <Tabs
        label="The same call elsewhere"
        tabs={[
          ["command", "Command"],
          ["curl", "curl"],
          ["python", "Python"],
          ["protocol", "Protocol"],
        ]}
        chosen={kind}
        choose={setKind}
      />
      {isOpen && <Long text={texts[kind]()} />}
      <Copy text={() => location.href.split("#")[0] + link("tools", tool.name, value)} label="Copy a link to this call" />
    </details>
  );
}

const address = () => location.origin + root + (about.value?.path ?? "/mcp");

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function commandText(name: string, value: JsonObject): string {
  const target = about.value?.target || address();
  return `toolwright call ${quoted(target)} ${quoted(name)} --json ${quoted(write(value))}`;
}

function protocolMessage(name: string, value: JsonObject): JsonObject {
  const params: JsonObject = { name, arguments: value };
  if (era.value === "2026-07-28") {
    params._meta = {
      "io.modelcontextprotocol/protocolVersion": era.value,
      "io.modelcontextprotocol/clientInfo": { name: "curl", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
  }
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params };
}

function curlText(name: string, value: JsonObject): string {
  const isModern = era.value === "2026-07-28";
  const headers = [
    "content-type: application/json",
    "accept: application/json, text/event-stream",
    `mcp-protocol-version: ${era.value}`,
    ...(isModern ? ["mcp-method: tools/call", `mcp-name: ${name}`] : ["mcp-session-id: SESSION"]),
  ];
  const lines = headers.map((header) => `  -H ${quoted(header)} \\\n`).join("");
  return `curl ${quoted(address())} \\\n${lines}  -d ${quoted(write(protocolMessage(name, value)))}`;
}

function pythonText(name: string, value: JsonObject): string {
  return (
    `from toolwright.client import connect\n\n` +
    `with connect(${pythonLiteral(address())}) as server:\n` +
    `    print(server.call(${pythonLiteral(name)}, ${pythonLiteral(value)}).value)\n`
  );
}

function pythonLiteral(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (isObject(value)) {
    return `{${Object.entries(value).map(([key, inner]) => `${pythonLiteral(key)}: ${pythonLiteral(inner)}`).join(", ")}}`;
  }
  return write(value);
}

// -- history

function PastCalls({ tool, again }: { tool: string; again: (sent: JsonObject) => void }) {
  const calls = past.value.filter((entry) => entry.tool === tool).slice(0, 10);
  if (!calls.length) return null;
  return (
    <details class="past">
      <summary>Calls before</summary>
      <ul>
        {calls.map((entry) => (
          <li key={entry.id}>
            <button type="button" class="quiet" onClick={() => again(entry.sent)}>
              {time(entry.at)}
            </button>{" "}
            <code>{plain(write(entry.sent), 100)}</code> {entry.outcome === "ok" ? "" : entry.outcome} {duration(entry.milliseconds)}
          </li>
        ))}
      </ul>
    </details>
  );
}
