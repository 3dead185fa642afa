// Resources, prompts, traffic, sign-in and history.

import { useMemo, useState } from "preact/hooks";
import { token, wantsToken, type ListedPrompt, type ListedResource } from "./api";
import { at, isObject, parse, write, type Json, type JsonObject } from "./json";
import { Back, Badge, Copy, Long, Markdown, Tree, duration, lines, plain, size, time } from "./parts";
import { Block, Contents } from "./result";
import { catalog, connection, link, past } from "./state";
import { traffic, type Message } from "./mcp";

function useRequest() {
  const [result, setResult] = useState<JsonObject | null>(null);
  const [failure, setFailure] = useState("");
  const send = (method: string, params: JsonObject) => {
    setResult(null);
    setFailure("");
    connection.value.request(method, params).then(setResult, (error: Error) => setFailure(error.message));
  };
  return { result, failure, send };
}

// -- resources

const VARIABLE = /\{[+#./;?&]?([\w,.*]+)\}/g;

export function Resources({ name }: { name: string }) {
  const { resources } = catalog.value;
  const chosen = resources.find((each) => (each.uri ?? each.uriTemplate) === name);
  return (
    <div class={`split${chosen ? " has-detail" : ""}`}>
      <nav class="list" aria-label="Resources">
        <ul>
          {resources.map((resource) => {
            const uri = resource.uri ?? resource.uriTemplate ?? "";
            return (
              <li key={uri}>
                <a href={link("resources", uri)} {...(uri === name ? { "aria-current": "page" as const } : {})}>
                  <span class="row-name">{plain(uri)}</span>
                  <span class="row-marks">{resource.is_template && <Badge kind="tag">template</Badge>}</span>
                  <span class="row-summary">{plain(resource.description ?? "")}</span>
                </a>
              </li>
            );
          })}
        </ul>
        {!resources.length && <p class="quiet-text">There are no resources.</p>}
      </nav>
      {chosen && <Resource key={name} resource={chosen} />}
    </div>
  );
}

function Resource({ resource }: { resource: ListedResource }) {
  const template = resource.uriTemplate ?? resource.uri ?? "";
  const names = useMemo(() => [...template.matchAll(VARIABLE)].flatMap((found) => (found[1] ?? "").split(",")), [template]);
  const [values, setValues] = useState<Record<string, string>>({});
  const { result, failure, send } = useRequest();
  const uri = template.replace(VARIABLE, (_whole, inner: string) =>
    inner.split(",").map((name) => encodeURIComponent((at(values, name) ?? "").toWellFormed())).join(","),
  );
  const contents = Array.isArray(result?.contents) ? result.contents.filter(isObject) : [];
  return (
    <article class="tool">
      <Back view="resources" label="All resources" />
      <h2>{plain(resource.title ?? resource.name)}</h2>
      <Markdown text={resource.description ?? ""} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send("resources/read", { uri });
        }}
      >
        {names.map((name) => (
          <label class="field">
            {plain(name, 200)}
            <input type="text" value={at(values, name) ?? ""} onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })} />
          </label>
        ))}
        <p>
          <code>{plain(uri)}</code>
        </p>
        <button type="submit" class="primary">
          Read
        </button>
      </form>
      {failure && <p class="failure" role="alert">{lines(failure, 10_000)}</p>}
      <section aria-label="Contents">
        {contents.map((each) => (
          <Contents contents={each} />
        ))}
      </section>
    </article>
  );
}

// -- prompts

export function Prompts({ name }: { name: string }) {
  const { prompts } = catalog.value;
  const chosen = prompts.find((each) => each.name === name);
  return (
    <div class={`split${chosen ? " has-detail" : ""}`}>
      <nav class="list" aria-label="Prompts">
        <ul>
          {prompts.map((prompt) => (
            <li key={prompt.name}>
              <a href={link("prompts", prompt.name)} {...(prompt.name === name ? { "aria-current": "page" as const } : {})}>
                <span class="row-name">{plain(prompt.name)}</span>
                <span class="row-summary">{plain(prompt.description ?? "")}</span>
              </a>
            </li>
          ))}
        </ul>
        {!prompts.length && <p class="quiet-text">There are no prompts.</p>}
      </nav>
      {chosen && <Prompt key={name} prompt={chosen} />}
    </div>
  );
}

function Prompt({ prompt }: { prompt: ListedPrompt }) {
  const [values, setValues] = useState<Record<string, string>>({});
  const { result, failure, send } = useRequest();
  const messages = Array.isArray(result?.messages) ? result.messages.filter(isObject) : [];
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  return (
    <article class="tool">
      <Back view="prompts" label="All prompts" />
      <h2>{plain(prompt.title ?? prompt.name)}</h2>
      <Markdown text={prompt.description ?? ""} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send("prompts/get", { name: prompt.called, arguments: given });
        }}
      >
        {(prompt.arguments ?? []).map((argument) => (
          <label class="field">
            {plain(argument.name, 200)} {argument.required && <span class="required">required</span>}
            <input
              type="text"
              value={at(values, argument.name) ?? ""}
              onInput={(event) => setValues({ ...values, [argument.name]: event.currentTarget.value })}
            />
            {argument.description && <span class="about">{plain(argument.description)}</span>}
          </label>
        ))}
        <button type="submit" class="primary">
          Get
        </button>
      </form>
      {failure && <p class="failure" role="alert">{lines(failure, 10_000)}</p>}
      <section aria-label="Messages">
        {messages.map((message) => (
          <div class="message">
            <Badge kind="tag">{plain(String(message.role))}</Badge>
            {isObject(message.content) && <Block block={message.content} />}
          </div>
        ))}
      </section>
    </article>
  );
}

// -- traffic

export function Traffic() {
  const [words, setWords] = useState("");
  const wanted = words.toLowerCase();
  const shown = useMemo(
    () => traffic.value.filter((message) => !wanted || `${message.what} ${message.text}`.toLowerCase().includes(wanted)),
    [traffic.value, wanted],
  );
  return (
    <div class="page">
      <h2>Traffic</h2>
      <p class="quiet-text">The messages of this page's own connection, the latest first.</p>
      <div class="actions">
        <input type="search" aria-label="Filter the messages" placeholder="Filter" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        <button type="button" onClick={() => (traffic.value = [])}>
          Clear
        </button>
        <Copy text={() => JSON.stringify(shown, null, 2)} label="Copy all" />
      </div>
      <ol class="traffic">
        {shown.slice(0, 200).map((message) => (
          <TrafficRow key={message.id} message={message} />
        ))}
      </ol>
      {!shown.length && <p class="quiet-text">Nothing yet.</p>}
    </div>
  );
}

function TrafficRow({ message }: { message: Message }) {
  const [isOpen, setOpen] = useState(false);
  const body = useMemo<Json | undefined>(() => {
    if (!isOpen) return undefined;
    try {
      return parse(message.text);
    } catch {
      return undefined;
    }
  }, [isOpen, message]);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class={message.way}>{message.way === "sent" ? "→" : "←"}</span> {time(message.at)}{" "}
          <code>{plain(message.what)}</code> {message.status !== null && <Badge kind={message.status < 400 ? "calm" : "error"}>{message.status}</Badge>}{" "}
          <span class="quiet-text">
            {size(message.bytes)}
            {message.milliseconds !== null && `, ${duration(message.milliseconds)}`} · {message.era}
            {message.session && ` · ${message.session.slice(0, 8)}`}
          </span>
        </summary>
        {isOpen && (
          <div>
            <table class="headers">
              <tbody>
                {message.headers.map(([name, value]) => (
                  <tr>
                    <th scope="row">{plain(name)}</th>
                    <td>{plain(value)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {body === undefined ? <Long text={message.text} /> : <Tree value={body} />}
            <Copy text={message.text} />
          </div>
        )}
      </details>
    </li>
  );
}

// -- sign-in

export function TokenField({ reason }: { reason: string }) {
  const [typed, setTyped] = useState("");
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault();
        token.value = typed.trim();
        wantsToken.value = false;
      }}
    >
      <p>{reason}</p>
      <label class="field">
        Token
        <input type="password" autocomplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      <div class="actions">
        <button type="submit" class="primary">
          Use it
        </button>
        {token.value && (
          <button type="button" onClick={() => (token.value = "")}>
            Forget it
          </button>
        )}
      </div>
      <p class="quiet-text">It stays in this page, and is gone when the page is closed or loaded again.</p>
    </form>
  );
}

interface Step {
  title: string;
  says: string;
  detail?: Json;
  isGood: boolean;
}

export function SignIn() {
  const [steps, setSteps] = useState<Step[] | null>(null);
  const look = async () => setSteps(await walked());
  return (
    <div class="page">
      <h2>Sign-in</h2>
      <p>What a client meets that has no token yet, step by step. Nothing is registered, and no sign-in begins.</p>
      <button type="button" class="primary" onClick={() => void look()}>
        Look
      </button>
      <ol class="steps">
        {steps?.map((step) => (
          <li class={step.isGood ? "good" : "bad"}>
            <h3>{step.title}</h3>
            <p>{plain(step.says)}</p>
            {step.detail !== undefined && <Tree value={step.detail} />}
          </li>
        ))}
      </ol>
      <h3>This page's own token</h3>
      <TokenField reason={token.value ? "The page sends a token." : "The page sends no token."} />
    </div>
  );
}

/** Asks as a client without a token does, and says in words what comes back. */
async function walked(): Promise<Step[]> {
  const answer = await connection.value.greetWithoutToken();
  if (answer.status !== 401) {
    return [{ title: "A request without a token", says: `${answer.ok ? "It is answered: no sign-in is needed." : `It is refused with ${answer.status}, which asks for no token.`}`, isGood: answer.ok }];
  }
  const challenge = answer.headers.get("www-authenticate") ?? "";
  const steps: Step[] = [
    {
      title: "A request without a token",
      says: challenge ? `It is refused with 401, and told how to go on: ${challenge}` : "It is refused with 401, without a word on how to go on.",
      isGood: challenge !== "",
    },
  ];
  const place = /resource_metadata="([^"]*)"/.exec(challenge)?.[1];
  if (!place) {
    const says = "The server names no metadata: it takes bearer tokens that it was started with. Ask its operator for one.";
    return [...steps, { title: "Metadata of the resource", says, isGood: false }];
  }
  return [...steps, ...(await fromMetadata(place))];
}

async function fromMetadata(place: string): Promise<Step[]> {
  const title = "Metadata of the resource (RFC 9728)";
  const url = new URL(place, location.href);
  if (url.origin !== location.origin) {
    const says = `It is at ${place}, another address than this page's: a client asks there, this page does not.`;
    return [{ title, says, isGood: true }];
  }
  const answer = await fetch(url, { credentials: "omit" });
  const metadata = (await answer.json().catch(() => null)) as Json;
  if (!answer.ok || !isObject(metadata)) {
    return [{ title, says: `${place} answers ${answer.status}, and no document.`, isGood: false }];
  }
  const list = (value: Json | undefined) => (Array.isArray(value) ? value.map(String).join(", ") : "");
  const issuers = list(metadata.authorization_servers);
  const scopes = list(metadata.scopes_supported);
  return [
    { title, says: `The resource is ${String(metadata.resource)}.`, detail: metadata, isGood: true },
    {
      title: "The issuer",
      says: issuers ? `Tokens come from ${issuers}. A client reads its metadata there (RFC 8414) and registers if it is not known.` : "No issuer is named.",
      isGood: issuers !== "",
    },
    { title: "Scopes", says: scopes ? `A client asks for: ${scopes}.` : "No scope is named: a client asks for what it needs.", isGood: true },
  ];
}

// -- history

export function History() {
  return (
    <div class="page">
      <h2>History</h2>
      <p class="quiet-text">The calls of this page, until it is closed.</p>
      <ul class="past">
        {past.value.map((entry) => (
          <li key={entry.id}>
            <a href={link("tools", entry.tool, entry.sent)}>
              {time(entry.at)} <strong>{plain(entry.tool)}</strong>
            </a>{" "}
            <code>{plain(write(entry.sent), 200)}</code>{" "}
            <Badge kind={entry.outcome === "failed" ? "error" : entry.outcome === "ok" ? "calm" : ""}>
              {entry.outcome === "ok" ? duration(entry.milliseconds) : entry.outcome}
            </Badge>
            <span class="row-summary">{entry.summary}</span>
          </li>
        ))}
      </ul>
      {!past.value.length && <p class="quiet-text">Nothing was called yet.</p>}
    </div>
  );
}
