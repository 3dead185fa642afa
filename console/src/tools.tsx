// The list of tools, and one tool.

import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, type Dialect, type Examined, type Finding, type ListedTool, type ToolDetail } from "./api";
import { at, write, type Json, type JsonObject } from "./json";
import { Badge, Long, Markdown, Tabs, Tree, lines, plain } from "./parts";
import { Try } from "./run";
import { about, catalog, judged, link, place } from "./state";

const search = signal("");
const filter = signal("");
const MOST_LISTED = 200;

const HINTS: Record<string, [string, string]> = {
  readOnlyHint: ["read-only", "calm"],
  destructiveHint: ["destructive", "error"],
  idempotentHint: ["idempotent", "calm"],
  openWorldHint: ["open world", "calm"],
};

export function Hints({ tool }: { tool: Pick<ListedTool, "hints" | "confirm"> }) {
  const hints = Object.entries(tool.hints).filter(([name, holds]) => holds && Object.hasOwn(HINTS, name));
  return (
    <>
      {hints.map(([name]) => (
        <Badge kind={HINTS[name]?.[1] ?? ""}>{HINTS[name]?.[0]}</Badge>
      ))}
      {tool.confirm && <Badge kind="warning">asks first</Badge>}
    </>
  );
}

function matches(tool: ListedTool, words: string[], chosen: string): boolean {
  const [kind, value] = [chosen.slice(0, chosen.indexOf(":")), chosen.slice(chosen.indexOf(":") + 1)];
  const known: Record<string, () => boolean> = {
    tag: () => tool.tags.includes(value),
    hint: () => at(tool.hints, value) === true,
    source: () => tool.source === value,
    finding: () => at(judged.value.tools, tool.name)?.findings.some((finding) => finding.id === value) === true,
  };
  if (chosen && !at(known, kind)?.()) return false;
  const text = `${tool.name} ${tool.title ?? ""} ${tool.summary} ${tool.tags.join(" ")}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

export function ToolList() {
  const tools = catalog.value.tools;
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = useMemo(
    () => tools.filter((tool) => matches(tool, words, filter.value)),
    [tools, search.value, filter.value, judged.value],
  );
  const [most, setMost] = useState(MOST_LISTED);
  const total = Object.values(judged.value.tools).reduce((sum, each) => sum + each.tokens, 0);
  return (
    <nav class="list" aria-label="Tools">
      <div class="list-head">
        <input
          type="search"
          aria-label="Search the tools"
          placeholder={`Search ${tools.length.toLocaleString()} tools`}
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
            setMost(MOST_LISTED);
          }}
        />
        <Filter />
        <p class="quiet-text" role="status">
          {shown.length === tools.length ? `${tools.length} tools` : `${shown.length} of ${tools.length} tools`}
          {total > 0 && `, ${total.toLocaleString()} tokens`}
        </p>
      </div>
      <ul>
        {shown.slice(0, most).map((tool) => (
          <Row key={tool.name} tool={tool} />
        ))}
      </ul>
      {shown.length > most && (
        <button type="button" onClick={() => setMost(most * 5)}>
          {shown.length - most} more
        </button>
      )}
    </nav>
  );
}

function Row({ tool }: { tool: ListedTool }) {
  const known = at(judged.value.tools, tool.name);
  const worst = ["error", "warning"].find((severity) => known?.findings.some((each) => each.severity === severity));
  const isHere = place.value.view === "tools" && place.value.name === tool.name;
  return (
    <li>
      <a href={link("tools", tool.name)} {...(isHere ? { "aria-current": "page" as const } : {})}>
        <span class="row-name">
          <bdi>{plain(tool.name)}</bdi>
        </span>
        <span class="row-marks">
          {tool.hints.destructiveHint && <Badge kind="error">destructive</Badge>}
          {worst && <span class={`dot ${worst}`} role="img" aria-label={`has findings, the worst is: ${worst}`} />}
          {known && (
            <span class="quiet-text" title={`${known.tokens} tokens`}>
              {known.tokens}
            </span>
          )}
        </span>
        <span class="row-summary">
          <bdi>{plain(tool.summary)}</bdi>
        </span>
      </a>
    </li>
  );
}

function Filter() {
  const { tools } = catalog.value;
  const groups = useMemo(() => {
    const sorted = (values: Iterable<string>) => [...new Set(values)].filter(Boolean).sort();
    const findings = Object.values(judged.value.tools).flatMap((each) => each.findings.map((finding) => finding.id));
    return [
      ["tag", "Tag", sorted(tools.flatMap((tool) => tool.tags))],
      ["hint", "Hint", sorted(tools.flatMap((tool) => Object.keys(tool.hints).filter((hint) => tool.hints[hint])))],
      ["source", "Source", sorted(tools.map((tool) => tool.source))],
      ["finding", "Finding", sorted(findings)],
    ] as [string, string, string[]][];
  }, [tools, judged.value]);
  return (
    <select aria-label="Filter the tools" value={filter.value} onChange={(event) => (filter.value = event.currentTarget.value)}>
      <option value="">All</option>
      {groups.map(([kind, label, values]) =>
        values.length ? (
          <optgroup label={label}>
            {values.slice(0, 200).map((value) => (
              <option value={`${kind}:${value}`}>{at(HINTS, value)?.[0] ?? plain(value, 200)}</option>
            ))}
          </optgroup>
        ) : null,
      )}
    </select>
  );
}

// -- one tool

type Tab = "try" | "about" | "schemas" | "dialects" | "doctor";

export function ToolView({ name }: { name: string }) {
  const [tool, setTool] = useState<ToolDetail | null>(null);
  const [examined, setExamined] = useState<Examined | null>(null);
  const [failure, setFailure] = useState("");
  const [tab, setTab] = useState<Tab>("try");
  useEffect(() => {
    let isOver = false;
    setTool(null);
    setExamined(null);
    setFailure("");
    // The doctor may take seconds for many tools: nothing else waits for it.
    api.doctor(name).then(
      (said) => isOver || setExamined(said),
      () => undefined,
    );
    api.tool(name).then(
      (detail) => isOver || setTool(detail),
      (error: Error) => isOver || setFailure(error.message),
    );
    return () => {
      isOver = true;
    };
  }, [name, catalog.value]);
  if (failure) return <p class="failure" role="alert">{lines(failure, 4000)}</p>;
  if (!tool) return <p class="quiet-text">Loading …</p>;
  const changes = examined?.changes && "changes" in examined.changes ? examined.changes.changes.length : 0;
  const count = (examined?.findings.length ?? 0) + changes;
  return (
    <article class="tool">
      <header>
        <h2>
          <bdi>{plain(tool.title ?? tool.name, 300)}</bdi>
        </h2>
        <p class="marks">
          <Hints tool={tool} />
          {tool.tags.map((tag) => (
            <Badge kind="tag">{plain(tag)}</Badge>
          ))}
          <span class="quiet-text">
            {tool.tokens.total} tokens · {plain(tool.source)}
          </span>
        </p>
        <pre class="signature" tabIndex={0}>
          {plain(tool.signature, 10_000)}
        </pre>
      </header>
      <Tabs
        label="About the tool"
        tabs={[
          ["try", "Try it"],
          ["about", "About"],
          ["schemas", "Schemas"],
          ["dialects", "Providers"],
          ["doctor", count ? `Doctor (${count})` : "Doctor"],
        ]}
        chosen={tab}
        choose={setTab}
      />
      <div role="tabpanel" tabIndex={-1}>
        {tab === "try" && <Try key={`${name} ${write(place.value.sent)}`} tool={tool} sent={place.value.sent} />}
        {tab === "about" && <About tool={tool} />}
        {tab === "schemas" && <Schemas tool={tool} />}
        {tab === "dialects" && <Dialects name={name} />}
        {tab === "doctor" && <Doctor examined={examined} />}
      </div>
    </article>
  );
}

function About({ tool }: { tool: ToolDetail }) {
  const limits = Object.entries(tool.limits).filter(([, value]) => value && value.length);
  return (
    <div>
      {tool.description ? <Markdown text={tool.description} /> : <p class="quiet-text">It has no description.</p>}
      {tool.parameters.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Parameters">
          <table>
            <thead>
              <tr>
                <th scope="col">Parameter</th>
                <th scope="col">Type</th>
                <th scope="col">Default</th>
                <th scope="col">Meaning</th>
              </tr>
            </thead>
            <tbody>
              {tool.parameters.map((parameter) => (
                <tr>
                  <th scope="row">
                    <code>{plain(parameter.name)}</code>
                  </th>
                  <td>
                    <code>{plain(parameter.type)}</code>
                  </td>
                  <td>{parameter.default === null ? "required" : <code>{plain(parameter.default)}</code>}</td>
                  <td>
                    {plain(parameter.description)} {parameter.limits.map((limit) => `${plain(limit)}.`).join(" ")}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {limits.length > 0 && (
        <p>{plain(limits.map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : value}`).join("; "))}</p>
      )}
      {tool.problems.map((problem) => (
        <p class="note">Note: it {plain(problem)}</p>
      ))}
      <h3>Tokens</h3>
      <Tokens tokens={tool.tokens} />
    </div>
  );
}

function Tokens({ tokens }: { tokens: ToolDetail["tokens"] }) {
  const parts = ["name", "description", "schema", "output", "other"].filter((part) => tokens[part]);
  const parameters = Object.entries(tokens.parameters);
  const most = Math.max(...parts.map((part) => tokens[part] ?? 0), 1);
  const bar = (label: string, count: number) => (
    <tr>
      <th scope="row">{plain(label, 100)}</th>
      <td class="number">{count}</td>
      <td class="bar">
        <meter min={0} max={most} value={count} aria-label={`${plain(label, 100)}: ${count} tokens`} />
      </td>
    </tr>
  );
  return (
    <table class="tokens">
      <tbody>
        {parts.map((part) => bar(part, tokens[part] ?? 0))}
        {parameters.map(([name, count]) => bar(`· ${name}`, count))}
      </tbody>
    </table>
  );
}

function Schemas({ tool }: { tool: ToolDetail }) {
  const [isRaw, setRaw] = useState(false);
  const show = (title: string, schema: Json | null) => (
    <section>
      <h3>{title}</h3>
      {schema === null ? (
        <p class="quiet-text">Nothing is said about the result.</p>
      ) : isRaw ? (
        <Long text={write(schema, 2)} />
      ) : (
        <Tree value={schema} />
      )}
    </section>
  );
  return (
    <div>
      <label class="check">
        <input type="checkbox" checked={isRaw} onChange={(event) => setRaw(event.currentTarget.checked)} /> raw
      </label>
      {show("Arguments", tool.definition.inputSchema)}
      {show("Result", tool.output_schema)}
    </div>
  );
}

function Dialects({ name }: { name: string }) {
  const names = about.value?.dialects ?? ["mcp"];
  const [chosen, setChosen] = useState(names[1] ?? "mcp");
  const [shown, setShown] = useState<Dialect | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    setShown(null);
    setFailure("");
    api.dialect(name, chosen).then(setShown, (error: Error) => setFailure(error.message));
  }, [name, chosen]);
  return (
    <div>
      <label class="check">
        As{" "}
        <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          {names.map((dialect) => (
            <option value={dialect}>{dialect}</option>
          ))}
        </select>{" "}
        gets it
      </label>
      {failure && <p class="failure">{lines(failure, 4000)}</p>}
      {shown && (
        <>
          <p>
            {shown.tokens} tokens.{" "}
            {shown.losses.length ? `${shown.losses.length} things cannot be expressed:` : "Nothing is lost."}
          </p>
          <ul class="findings">
            {shown.losses.map((loss) => (
              <li class="warning">
                {loss.path && <code>{plain(loss.path)}</code>} {loss.keyword && <Badge kind="tag">{plain(loss.keyword, 100)}</Badge>}{" "}
                {plain(loss.message)}
              </li>
            ))}
          </ul>
          {shown.definition === null ? (
            <p class="failure">It is refused there: the tool is left out.</p>
          ) : (
            <Marked definition={shown.definition} paths={shown.losses.map((loss) => loss.path)} />
          )}
        </>
      )}
    </div>
  );
}

/** JSON with the lines marked that name what something was lost of. */
function Marked({ definition, paths }: { definition: Json; paths: string[] }) {
  const names = new Set(paths.map((path) => path.replace(/(\[\])+$/, "").split(".").pop()).filter(Boolean));
  const lines = write(definition, 2).split("\n").slice(0, 5000);
  if (!names.size) return <Long text={write(definition, 2)} />;
  return (
    <pre class="code" tabIndex={0}>
      {lines.map((line) => {
        const key = /^\s*"((?:[^"\\]|\\.)*)":/.exec(line)?.[1];
        return key !== undefined && names.has(key) ? <mark>{`${plain(line)}\n`}</mark> : `${plain(line)}\n`;
      })}
    </pre>
  );
}

export function Findings({ findings }: { findings: Finding[] }) {
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <li class={finding.severity}>
          <Badge kind={finding.severity}>{finding.severity}</Badge> <code>{finding.id}</code>
          <p>{plain(finding.message)}</p>
          {finding.fix && <p class="fix">Fix: {plain(finding.fix)}</p>}
        </li>
      ))}
    </ul>
  );
}

function Doctor({ examined }: { examined: Examined | null }) {
  if (!examined) return <p class="quiet-text">The doctor looks at all tools …</p>;
  const { changes, findings } = examined;
  return (
    <div>
      {findings.length ? <Findings findings={findings} /> : <p>The doctor finds nothing wrong.</p>}
      <h3>Since the lock</h3>
      {changes === null && <p class="quiet-text">There is no lock; `toolwright lock` writes one.</p>}
      {changes !== null && "unreadable" in changes && <p class="failure">{lines(changes.unreadable, 4000)}</p>}
      {changes !== null && "changes" in changes && (
        <ul class="findings">
          {changes.changes.length === 0 && <li>Nothing has changed.</li>}
          {changes.changes.map((change) => (
            <li class={change.severity === "breaking" ? "error" : change.severity === "risky" ? "warning" : "info"}>
              <Badge kind="tag">{change.severity}</Badge> {change.where && <code>{plain(change.where)}</code>} {plain(change.text)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export type { JsonObject };
