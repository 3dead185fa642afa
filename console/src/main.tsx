// The console's page: a client of the server that it comes from.

import { effect, untracked } from "@preact/signals";
import { render } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { token, wantsToken } from "./api";
import { ERAS, type Era } from "./mcp";
import { Live } from "./live";
import { History, Prompts, Resources, SignIn, TokenField, Traffic } from "./others";
import { Back, Markdown, lines, plain } from "./parts";
import { about, catalog, connection, era, failure, judged, link, load, place } from "./state";
import { Findings, ToolList, ToolView } from "./tools";

const VIEWS: [string, string][] = [
  ["tools", "Tools"],
  ["resources", "Resources"],
  ["prompts", "Prompts"],
  ["history", "History"],
  ["traffic", "Traffic"],
  ["live", "Live"],
  ["sign-in", "Sign-in"],
];

function Page() {
  const known = about.value;
  const { view } = place.value;
  useEffect(() => {
    // On a phone, not all views are in sight.
    document.querySelector(".top nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [view]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skip(event)}>
        Skip to the content
      </a>
      <header class="top">
        <h1>
          <a href="#/tools">{plain(known?.name ?? "Toolwright")}</a>
          {known?.version && <span class="quiet-text">{plain(known.version)}</span>}
        </h1>
        <nav aria-label="Views">
          {VIEWS.map(([view, label]) => (
            <a href={link(view)} {...(place.value.view === view ? { "aria-current": "page" as const } : {})}>
              {label}
            </a>
          ))}
        </nav>
        <label class="era">
          Protocol{" "}
          <select value={era.value} onChange={(event) => changeEra(event.currentTarget.value as Era)}>
            {ERAS.map((each) => (
              <option value={each}>{each}</option>
            ))}
          </select>
        </label>
      </header>
      {wantsToken.value ? (
        <main id="main" tabIndex={-1} class="page">
          <TokenField reason={token.value ? "The server does not take this token." : "The server wants a token."} />
        </main>
      ) : (
        <View />
      )}
    </>
  );
}

function skip(event: Event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function changeEra(chosen: Era) {
  void connection.value.close();
  era.value = chosen;
}

function View() {
  const { view, name } = place.value;
  // What one view cannot show leaves the others as they are.
  const [broken, forget] = useErrorBoundary();
  useEffect(() => forget(), [place.value]);
  const reason = broken ? `This cannot be shown: ${String(broken)}` : failure.value;
  if (reason) {
    return (
      <main id="main" tabIndex={-1} class="page">
        <p class="failure" role="alert">
          {lines(reason, 4000)}
        </p>
        <button type="button" onClick={() => { forget(); void load(); }}>
          Try again
        </button>
      </main>
    );
  }
  if (view === "tools") {
    return (
      <div class={`split${name ? " has-detail" : ""}`}>
        <ToolList />
        <main id="main" tabIndex={-1}>
          {name && <Back view="tools" label="All tools" />}
          {name ? <ToolView name={name} /> : <Welcome />}
        </main>
      </div>
    );
  }
  return (
    <main id="main" tabIndex={-1}>
      {view === "resources" && <Resources name={name} />}
      {view === "prompts" && <Prompts name={name} />}
      {view === "history" && <History />}
      {view === "traffic" && <Traffic />}
      {view === "live" && <Live />}
      {view === "sign-in" && <SignIn />}
    </main>
  );
}

function Welcome() {
  const { tools, resources, prompts } = catalog.value;
  const others = judged.value.others;
  return (
    <div class="page">
      <h2>{plain(about.value?.name ?? "")}</h2>
      {about.value?.instructions ? <Markdown text={about.value.instructions} /> : null}
      <p>
        {tools.length} tools, {resources.length} resources, {prompts.length} prompts. Choose a tool to look at it and to try it.
      </p>
      {others.length > 0 && (
        <>
          <h3>The doctor, about all of them</h3>
          <Findings findings={others} />
        </>
      )}
    </div>
  );
}

const target = document.getElementById("app");
if (target) render(<Page />, target);
effect(() => {
  void token.value; // another token may show other tools
  untracked(() => void load());
});
