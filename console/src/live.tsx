// A running server: what it does now, and the last calls.

import { useEffect, useState } from "preact/hooks";
import { api, type Live as Figures, type ToolFigures } from "./api";
import { Badge, duration, plain, size, time } from "./parts";
import { about } from "./state";

const EVERY = 1000;

export function Live() {
  const [figures, setFigures] = useState<Figures | null>(null);
  const [failure, setFailure] = useState("");
  const [tool, setTool] = useState("");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const look = async () => {
      try {
        if (!document.hidden) setFigures(await api.live());
        setFailure("");
      } catch (error) {
        setFailure(error instanceof Error ? error.message : String(error));
      }
      if (!isOver) timer = setTimeout(() => void look(), EVERY);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  if (!figures) return <p class="quiet-text">{failure || "Loading …"}</p>;
  const every = Object.values(figures.tools);
  const sum = (of: (each: ToolFigures) => number) => every.reduce((total, each) => total + of(each), 0);
  const calls = sum((each) => each.calls);
  const last = figures.minute.reduce((total, each) => total + each, 0);
  const chosen = tool ? figures.tools[tool] : undefined;
  const histogram = chosen?.histogram ?? addUp(every);
  const tiles: [string, string][] = [
    ["calls", calls.toLocaleString()],
    ["last minute", last.toLocaleString()],
    ["running", String(figures.running)],
    ["errors", sum((each) => each.errors).toLocaleString()],
    ["cancelled", sum((each) => each.cancelled).toLocaleString()],
    ["cached", sum((each) => each.cached).toLocaleString()],
    ["abandoned", String(figures.abandoned)],
    ["sessions", figures.sessions.toLocaleString()],
    ["refused", Object.values(figures.refusals).reduce((total, each) => total + each, 0).toLocaleString()],
  ];
  return (
    <div class="page">
      <h2>Live</h2>
      {failure && <p class="failure">{failure}</p>}
      <p class="quiet-text">Since {new Date(figures.since * 1000).toLocaleString()}, looked at every second.</p>
      <dl class="tiles">
        {tiles.map(([label, value]) => (
          <div>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h3>Calls a second</h3>
      <Bars values={figures.minute} label={`Calls a second in the last minute: ${last} in all`} />
      <h3>How long they take{tool && `: ${plain(tool)}`}</h3>
      <Histogram counts={histogram} />
      <h3>By tool</h3>
      <ToolTable figures={figures} choose={setTool} chosen={tool} />
      <Refusals refusals={figures.refusals} />
      <Recent figures={figures} />
    </div>
  );
}

function addUp(every: ToolFigures[]): number[] {
  const count = (about.value?.bounds.length ?? 0) + 1;
  return Array.from({ length: count }, (_, at) => every.reduce((total, each) => total + (each.histogram[at] ?? 0), 0));
}

function Bars({ values, label }: { values: number[]; label: string }) {
  const most = Math.max(...values, 1);
  return (
    <svg class="bars" viewBox={`0 0 ${values.length * 4} 40`} preserveAspectRatio="none" role="img" aria-label={label}>
      {values.map((value, at) => (
        <rect x={at * 4} width={3} y={40 - (value / most) * 38} height={(value / most) * 38} />
      ))}
    </svg>
  );
}

function Histogram({ counts }: { counts: number[] }) {
  const bounds = about.value?.bounds ?? [];
  const most = Math.max(...counts, 1);
  const label = (at: number) => {
    const bound = bounds[at];
    return bound === undefined ? `over ${duration((bounds.at(-1) ?? 0) * 1000)}` : `up to ${duration(bound * 1000)}`;
  };
  return (
    <table class="tokens">
      <tbody>
        {counts.map((count, at) =>
          count ? (
            <tr>
              <th scope="row">{label(at)}</th>
              <td class="number">{count.toLocaleString()}</td>
              <td class="bar">
                <meter min={0} max={most} value={count} aria-label={`${label(at)}: ${count}`} />
              </td>
            </tr>
          ) : null,
        )}
      </tbody>
    </table>
  );
}

function ToolTable(props: { figures: Figures; chosen: string; choose: (name: string) => void }) {
  const rows = Object.entries(props.figures.tools).sort(([, one], [, other]) => other.calls - one.calls);
  if (!rows.length) return <p class="quiet-text">Nothing was called yet.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Figures by tool">
      <table>
        <thead>
          <tr>
            {["Tool", "Calls", "Errors", "Cancelled", "Cached", "Average"].map((title, at) => (
              <th scope="col" class={at ? "number" : ""}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, 200).map(([name, each]) => (
            <tr>
              <th scope="row">
                <button type="button" class="quiet" aria-pressed={name === props.chosen} onClick={() => props.choose(name === props.chosen ? "" : name)}>
                  {plain(name)}
                </button>
              </th>
              {[each.calls, each.errors, each.cancelled, each.cached].map((count) => (
                <td class="number">{count.toLocaleString()}</td>
              ))}
              <td class="number">{duration((each.seconds / each.calls) * 1000)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Refusals({ refusals }: { refusals: Record<string, number> }) {
  const rows = Object.entries(refusals);
  if (!rows.length) return null;
  return (
    <>
      <h3>Refused</h3>
      <p>{rows.map(([kind, count]) => `${kind}: ${count}`).join(", ")}</p>
    </>
  );
}

function Recent({ figures }: { figures: Figures }) {
  if (!figures.recent.length) return null;
  return (
    <>
      <h3>The last calls</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="The last calls">
        <table>
          <thead>
            <tr>
              {["At", "What", "Outcome", "Took", "Sent", "Received", "Arguments"].map((title, at) => (
                <th scope="col" class={at > 2 && at < 6 ? "number" : ""}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {figures.recent.slice(0, 100).map((call) => (
              <tr>
                <td>{time(call.at * 1000)}</td>
                <td>{plain(call.name)}</td>
                <td>
                  <Badge kind={["ok", "asked"].includes(call.outcome) ? "calm" : "error"}>{call.outcome}</Badge>
                </td>
                <td class="number">{duration(call.seconds * 1000)}</td>
                <td class="number">{size(call.sent)}</td>
                <td class="number">{size(call.received)}</td>
                <td>{call.arguments === null ? <span class="quiet-text">not shown</span> : <code>{plain(call.arguments)}</code>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
