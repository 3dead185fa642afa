// A form from a JSON Schema. The JSON value is the truth; every field shows a part of it.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { isObject, parse, withKey, write, type Json, type JsonObject } from "./json";
import { lines, plain } from "./parts";
import { Document, type Drawing, type Schema } from "./schema";
import { MOST_ITEMS, armOf, canShow, fitted, textOf, typedValue, valueOf } from "./widgets";

export interface Fault {
  path: (string | number)[];
  text: string;
}

type Path = (string | number)[];
type Change = (value: Json | undefined) => void;

const MOST_LABEL = 200;
const MOST_ABOUT = 4000;

interface NodeProps {
  document: Document;
  schema: Schema;
  value: Json | undefined;
  onChange: Change;
  path: Path;
  label: string;
  isRequired: boolean;
  faults: Fault[];
  /** What takes the node out of a list or an object, if something can. */
  remove?: (() => void) | undefined;
}

export function Form(props: {
  document: Document;
  value: JsonObject;
  onChange: (value: JsonObject) => void;
  faults: Fault[];
}) {
  const { document, value, faults } = props;
  const drawing = document.drawing(document.root);
  const here = faults.filter((fault) => fault.path.length === 0);
  return (
    <div class="form">
      <Faults faults={here} />
      {drawing.as === "object" ? (
        <ObjectBody
          drawing={drawing}
          document={document}
          value={value}
          path={[]}
          faults={faults}
          onChange={(next) => props.onChange(isObject(next) ? next : {})}
        />
      ) : (
        <Node
          {...{ document, value, faults }}
          schema={document.root}
          path={[]}
          label="arguments"
          isRequired
          onChange={(next) => props.onChange(isObject(next) ? next : {})}
        />
      )}
    </div>
  );
}

export function Node(props: NodeProps) {
  const { document, schema, value, faults, path } = props;
  const drawing = fitted(document.drawing(schema), value);
  const id = useId();
  const own = faults.filter((fault) => isSamePath(fault.path, path));
  const inner = { ...props, drawing, id, own };
  if (value !== undefined && !canShow(document, drawing, value, path.length)) return <JsonNode {...inner} />;
  switch (drawing.as) {
    case "object":
    case "list":
      return <GroupNode {...inner} />;
    case "union":
      return <UnionNode {...inner} arms={drawing.arms} />;
    case "json":
      return <JsonNode {...inner} />;
    default:
      return <LeafNode {...inner} />;
  }
}

interface InnerProps extends NodeProps {
  drawing: Drawing;
  id: string;
  own: Fault[];
}

// -- parts of every node

function Head({ props, forId, children }: { props: InnerProps; forId?: string; children?: ComponentChildren }) {
  const { document, schema, label, isRequired, value, onChange, remove } = props;
  const take = remove ?? (!isRequired && value !== undefined ? () => onChange(undefined) : undefined);
  return (
    <div class="head">
      <label {...(forId ? { for: forId } : {})}>
        <span class="name">
          <bdi>{plain(label, MOST_LABEL)}</bdi>
        </span>{" "}
        {isRequired && <span class="required">required</span>}{" "}
        <span class="kind">{plain(document.kind(schema), MOST_LABEL)}</span>
      </label>
      {children}
      {take && (
        <button type="button" class="quiet" onClick={take} aria-label={`Take out ${plain(label, MOST_LABEL)}`}>
          ×
        </button>
      )}
    </div>
  );
}

function About({ props }: { props: InnerProps }) {
  const { description, default: byDefault } = props.document.node(props.schema);
  const shows = byDefault !== undefined && props.value === undefined;
  if (typeof description !== "string" && !shows) return null;
  return (
    <p class="about" id={`${props.id}-about`}>
      {typeof description === "string" ? lines(description, MOST_ABOUT) : ""}
      {shows && <span class="default"> Default: {short(byDefault as Json)}</span>}
    </p>
  );
}

function Faults({ faults, id }: { faults: Fault[]; id?: string }) {
  if (!faults.length) return null;
  return (
    <div role="alert">
      <ul class="faults" {...(id ? { id } : {})}>
        {faults.slice(0, 50).map((fault) => (
          <li>{lines(fault.text, MOST_ABOUT)}</li>
        ))}
      </ul>
    </div>
  );
}

// -- leaves

function LeafNode(props: InnerProps) {
  const { drawing, value, onChange } = props;
  return (
    <div class={`node${props.own.length ? " wrong" : ""}`}>
      <Head props={props} forId={props.id}>
        {drawing.as === "text" && !drawing.isFile && !drawing.hint && value === undefined && (
          <button type="button" class="quiet" onClick={() => onChange("")} title="Send an empty text">
            empty
          </button>
        )}
      </Head>
      <Widget {...props} />
      <About props={props} />
      <Faults faults={props.own} id={`${props.id}-faults`} />
    </div>
  );
}

function Widget(props: InnerProps) {
  const { drawing, id, value, onChange, isRequired } = props;
  const text = value === undefined ? "" : (textOf(drawing, value) ?? "");
  const isLong = useStaysLong(drawing.as === "text" && drawing.isLong);
  const send = (typed: string) => onChange(typedValue(drawing, typed, isRequired));
  const common = {
    id,
    "aria-describedby": `${id}-about ${id}-faults`,
    "aria-invalid": props.own.length > 0,
  };
  if (drawing.as === "null" && value === null && isRequired) return <span class="null">null</span>;
  if (drawing.as === "boolean" || drawing.as === "choice" || drawing.as === "null") {
    const options =
      drawing.as === "choice"
        ? drawing.values.map((choice, at) => [String(at), typeof choice === "string" ? choice : write(choice)])
        : (drawing.as === "null" ? ["null"] : ["true", "false"]).map((word) => [word, word]);
    return (
      <select
        {...common}
        value={text}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          onChange(chosen === "" ? undefined : valueOf(drawing, chosen));
        }}
      >
        {(value === undefined || !isRequired) && <option value="">(not sent)</option>}
        {options.map(([option, shown]) => (
          <option value={option}>{plain(shown ?? "", MOST_LABEL)}</option>
        ))}
      </select>
    );
  }
  const isEmpty = value === "" && !(drawing.as === "text" && drawing.hint);
  const placeholder = isEmpty ? "an empty text" : "";
  if (drawing.as === "text" && drawing.isFile) return <FileWidget {...props} text={text} />;
  if (drawing.as === "text" && isLong.holds) {
    return (
      <textarea
        {...common}
        ref={isLong.place}
        rows={4}
        value={text}
        placeholder={placeholder}
        onInput={(event) => send(event.currentTarget.value)}
      />
    );
  }
  const isNumber = drawing.as === "number";
  return (
    <input
      {...common}
      type="text"
      inputMode={isNumber ? "decimal" : "text"}
      autocomplete="off"
      spellcheck={false}
      value={text}
      placeholder={placeholder || (drawing.as === "text" && drawing.hint ? `such as ${drawing.hint}` : "")}
      onInput={(event) => send(event.currentTarget.value)}
      onPaste={(event) => {
        const pasted = event.clipboardData?.getData("text") ?? "";
        if (drawing.as === "text" && /[\n\r]/.test(pasted)) withLines(event, pasted, send);
      }}
      onKeyDown={(event) => {
        if (drawing.as === "text" && event.key === "Enter" && event.shiftKey) withLines(event, "\n", send);
      }}
    />
  );
}

/** A field of one line would drop line ends: the text is put in here, and its field becomes long. */
function withLines(event: Event & { currentTarget: HTMLInputElement }, added: string, send: (text: string) => void) {
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  const [from, to] = [selectionStart ?? value.length, selectionEnd ?? value.length];
  send(value.slice(0, from) + added.replace(/\r\n?/g, "\n") + value.slice(to));
}

/** A field that has become long stays so while it is shown, and keeps the focus that it had. */
function useStaysLong(isLong: boolean) {
  const was = useRef(isLong);
  const place = useRef<HTMLTextAreaElement>(null);
  const isNew = isLong && !was.current;
  was.current ||= isLong;
  useEffect(() => {
    if (isNew) place.current?.focus();
  });
  return { holds: was.current, place };
}

function FileWidget(props: InnerProps & { text: string }) {
  const read = async (file: File | undefined) => {
    if (!file) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    let binary = "";
    for (let at = 0; at < bytes.length; at += 32768) {
      binary += String.fromCharCode(...bytes.subarray(at, at + 32768));
    }
    props.onChange(btoa(binary));
  };
  return (
    <div class="file">
      <input id={props.id} type="file" onChange={(event) => void read(event.currentTarget.files?.[0])} />
      <span class="quiet-text">{props.text ? `${props.text.length} characters of base64` : "no file"}</span>
    </div>
  );
}

// -- JSON for one node

function JsonNode(props: InnerProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? (props.value === undefined ? "" : write(props.value, 2));
  const [problem, setProblem] = useState("");
  return (
    <div class={`node${props.own.length || problem ? " wrong" : ""}`}>
      <Head props={props} forId={props.id}>
        <span class="kind">as JSON</span>
      </Head>
      <textarea
        id={props.id}
        class="code"
        rows={Math.min(12, shown.split("\n").length + 1)}
        spellcheck={false}
        value={shown}
        onInput={(event) => {
          const text = event.currentTarget.value;
          setTyped(text);
          try {
            props.onChange(text.trim() ? parse(text) : undefined);
            setProblem("");
          } catch (error) {
            setProblem(error instanceof Error ? error.message : String(error));
          }
        }}
        onBlur={() => {
          if (!problem) setTyped(null);
        }}
      />
      {problem && <p class="faults">This is not JSON yet: {problem}</p>}
      <About props={props} />
      <Faults faults={props.own} />
    </div>
  );
}

// -- unions

function UnionNode(props: InnerProps & { arms: Schema[] }) {
  const { document, arms, value, onChange, id } = props;
  const [chosen, setChosen] = useState<number | null>(null);
  const fitting = chosen !== null && arms[chosen] !== undefined && document.fits(arms[chosen], value);
  const at = fitting ? (chosen as number) : armOf(document, arms, value);
  const arm = arms[at] ?? true;
  const labels = arms.map((each) => document.label(each));
  return (
    <div class={`node${props.own.length ? " wrong" : ""}`}>
      <Head props={props} forId={id} />
      <select
        id={id}
        value={value === undefined ? "" : String(at)}
        onChange={(event) => {
          const next = event.currentTarget.value;
          if (next === "") return onChange(undefined);
          setChosen(Number(next));
          onChange(document.beginning(arms[Number(next)] ?? true));
        }}
      >
        <option value="">(not sent)</option>
        {labels.map((label, index) => (
          <option value={String(index)}>{plain(label, MOST_LABEL)}</option>
        ))}
      </select>
      <About props={props} />
      {value !== undefined && (
        <div class="inside">
          <Node {...props} schema={arm} label={labels[at] ?? ""} isRequired remove={undefined} />
        </div>
      )}
      <Faults faults={value === undefined ? props.own : []} />
    </div>
  );
}

// -- lists and objects

function GroupNode(props: InnerProps) {
  const { drawing, value, onChange, document, schema, id } = props;
  return (
    <fieldset class={`node group${props.own.length ? " wrong" : ""}`} aria-labelledby={`${id}-label`}>
      <div id={`${id}-label`}>
        <Head props={props} />
      </div>
      <About props={props} />
      {value === undefined ? (
        <button type="button" class="add" onClick={() => onChange(document.beginning(schema))}>
          Add {plain(props.label, MOST_LABEL)}
        </button>
      ) : drawing.as === "list" ? (
        <ListBody {...props} drawing={drawing} value={value as Json[]} />
      ) : (
        drawing.as === "object" && <ObjectBody {...props} drawing={drawing} value={value as JsonObject} />
      )}
      <Faults faults={props.own} />
    </fieldset>
  );
}

type Drawn<K extends Drawing["as"]> = Extract<Drawing, { as: K }>;

function ListBody(props: InnerProps & { drawing: Drawn<"list">; value: Json[] }) {
  const { drawing, value, onChange, document, path } = props;
  const put = (at: number, next: Json | undefined) =>
    onChange(next === undefined ? value.toSpliced(at, 1) : value.with(at, next));
  return (
    <div class="inside">
      {value.map((item, at) => (
        <Node
          document={document}
          schema={drawing.item(at)}
          value={item}
          path={[...path, at]}
          label={`${at + 1}`}
          isRequired
          faults={props.faults}
          onChange={(next) => put(at, next)}
          remove={() => put(at, undefined)}
        />
      ))}
      <button
        type="button"
        class="add"
        onClick={() => onChange([...value, document.beginning(drawing.item(value.length))])}
      >
        Add an item
      </button>
    </div>
  );
}

interface ObjectProps {
  drawing: Drawn<"object">;
  document: Document;
  value: JsonObject;
  path: Path;
  faults: Fault[];
  onChange: Change;
}

function ObjectBody(props: ObjectProps) {
  const { drawing, value, document, path, onChange } = props;
  const [typed, setTyped] = useState("");
  const [most, setMost] = useState(MOST_ITEMS);
  const known = useMemo(() => Object.keys(drawing.properties), [drawing]);
  const further = Object.keys(value).filter((name) => !Object.hasOwn(drawing.properties, name));
  const names = [...known, ...further];
  const isNew = typed !== "" && !Object.hasOwn(value, typed) && !known.includes(typed);
  const add = () => {
    if (!isNew) return;
    onChange(withKey(value, typed, document.beginning(drawing.further ?? true)));
    setTyped("");
  };
  return (
    <div class={path.length ? "inside" : ""}>
      {names.slice(0, most).map((name) => (
        <Node
          key={name}
          document={document}
          schema={(Object.hasOwn(drawing.properties, name) ? drawing.properties[name] : drawing.further) ?? true}
          value={Object.hasOwn(value, name) ? value[name] : undefined}
          path={[...path, name]}
          label={name}
          isRequired={drawing.required.includes(name)}
          faults={props.faults}
          onChange={(next) => onChange(withKey(value, name, next))}
          remove={Object.hasOwn(drawing.properties, name) ? undefined : () => onChange(withKey(value, name, undefined))}
        />
      ))}
      {names.length > most && (
        <button type="button" class="add" onClick={() => setMost(most * 2)}>
          {names.length - most} more fields
        </button>
      )}
      {drawing.further !== undefined && drawing.isOpen && (path.length > 0 || known.length > 0 || isObject(drawing.further)) && (
        <div class="further">
          <input
            type="text"
            aria-label="Another name"
            placeholder="another name"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              add();
            }}
          />
          <button type="button" class="add" disabled={!isNew} onClick={add}>
            Add
          </button>
        </div>
      )}
    </div>
  );
}

function isSamePath(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((part, at) => String(part) === String(other[at]));
}

function short(value: Json): string {
  const text = typeof value === "string" && value ? value : write(value);
  return plain(text, 80);
}
