// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { number } from "../base/format";
import type { Diagnostic } from "../base/result";
import { Errors } from "../input/errors";
import { Form, usePresets } from "../input/form";
import { type Place, TextInput } from "../input/text";
import { AnswerView } from "../panels/answer";
import { Assumptions, Layout, Provenance, Throughput } from "../panels/facts";
import { Quantiles, StepTime } from "../panels/step-time";
import { CriticalPath, Ranks } from "../panels/time";
import { Icon } from "../ui/icons";
import { applyTheme, currentTheme, type Theme } from "./browser";
import { useApp } from "./context";
import { firstExample } from "./examples";
import { useFiles } from "./files";
import { Gallery } from "./gallery";
import { Share } from "./share";
import { isStale } from "./state";
import { Announcements } from "./status";

export function App() {
  const [app, state] = useApp();
  const [dialog, setDialog] = useState<"share" | "gallery" | null>(null);
  const [tab, setTab] = useState<"form" | "text">("form");
  const [place, setPlace] = useState<Place | null>(null);
  const presets = usePresets();
  const files = useFiles();
  useShortcuts();

  const goTo = (error: Diagnostic) => {
    setTab("text");
    setPlace((before) => ({ line: error.line, column: error.column, nonce: (before?.nonce ?? 0) + 1 }));
  };
  const { answer } = state;
  return (
    <>
      <a class="skip" href="#answer">
        Skip to the answer
      </a>
      <header class="bar">
        <p class="mark">
          <img src="./icon.svg" alt="" width="26" height="26" />
          <span>Prism</span>
        </p>
        <nav aria-label="Document">
          <button type="button" onClick={() => setDialog("gallery")}>
            <Icon name="examples" /> <span class="label">Examples</span>
          </button>
          <button type="button" onClick={files.choose}>
            <Icon name="open" /> <span class="label">Open file</span>
          </button>
          <button
            type="button"
            aria-label={state.past.length > 0 ? `Undo ${state.past.at(-1)?.done}` : "Undo"}
            title={state.past.length > 0 ? `Undo ${state.past.at(-1)?.done}` : "Nothing to undo"}
            disabled={state.past.length === 0}
            onClick={() => app.undo()}
          >
            <Icon name="undo" />
          </button>
          <button
            type="button"
            aria-label={state.future.length > 0 ? `Redo ${state.future[0]?.done}` : "Redo"}
            title={state.future.length > 0 ? `Redo ${state.future[0]?.done}` : "Nothing to redo"}
            disabled={state.future.length === 0}
            onClick={() => app.redo()}
          >
            <Icon name="redo" />
          </button>
          <ThemeButton />
          <button type="button" class="primary" onClick={() => setDialog("share")}>
            <Icon name="share" /> <span class="label">Share</span>
          </button>
        </nav>
        <input
          ref={files.input}
          type="file"
          accept=".json,.txt,application/json,text/plain"
          hidden
          onChange={files.chosen}
          aria-label="Scenario or result file"
        />
      </header>
      <main data-wide-input={tab === "text" || undefined}>
        <div id="answer" class="answer" tabIndex={-1}>
          <Draft />
          <Refused />
          <AnswerView>
            <Errors errors={state.errors} onGo={goTo} />
          </AnswerView>
        </div>
        <InputPane>
          <div class="tabs" role="tablist" aria-label="How to edit the scenario">
            {(["form", "text"] as const).map((name) => (
              <button
                key={name}
                type="button"
                role="tab"
                id={`tab-${name}`}
                aria-selected={tab === name}
                aria-controls={`panel-${name}`}
                tabIndex={tab === name ? 0 : -1}
                onClick={() => setTab(name)}
                onKeyDown={(event) => {
                  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
                  const other = name === "form" ? "text" : "form";
                  setTab(other);
                  document.getElementById(`tab-${other}`)?.focus();
                }}
              >
                {name === "form" ? "Settings" : "Text"}
              </button>
            ))}
          </div>
          <div id="panel-form" role="tabpanel" aria-labelledby="tab-form" hidden={tab !== "form"}>
            <Form presets={presets} />
          </div>
          <div id="panel-text" role="tabpanel" aria-labelledby="tab-text" hidden={tab !== "text"}>
            {tab === "text" && <TextInput place={place} />}
          </div>
        </InputPane>
        {answer && !state.refusal && (
          <div class="panels-place">
            <div class="panels" data-stale={isStale(state) || undefined}>
              <StepTime result={answer.result} />
              <Quantiles result={answer.result} />
              <CriticalPath result={answer.result} />
              <Ranks result={answer.result} />
              <div class="stack five">
                <Throughput result={answer.result} />
                <Layout result={answer.result} />
              </div>
              <Provenance result={answer.result} ms={answer.ms} />
              <Assumptions result={answer.result} />
            </div>
          </div>
        )}
      </main>
      <footer class="foot">
        <p>Everything is computed in this browser. Scenarios, files and results never leave it.</p>
        <p>
          <a href="./licenses.txt">Licences</a>
        </p>
      </footer>
      {dialog === "share" && <Share onClose={() => setDialog(null)} />}
      {dialog === "gallery" && <Gallery onClose={() => setDialog(null)} />}
      {files.dragging && <div class="drop">Drop a scenario or a result</div>}
      <Announcements />
    </>
  );
}

/** Beside the answer in a wide window; below it and folded in a narrow one. */
function InputPane({ children }: { children: ComponentChildren }) {
  const [wide, setWide] = useState(() => matchMedia("(min-width: 720px)").matches);
  useEffect(() => {
    const query = matchMedia("(min-width: 720px)");
    const follow = () => setWide(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  return (
    <aside aria-label="Scenario" class="input-place">
      <details class="input" open={wide}>
        <summary>Change the scenario</summary>
        {children}
      </details>
    </aside>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(currentTheme());
  const next: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
  const words = { system: "as the system", light: "light", dark: "dark" };
  return (
    <button
      type="button"
      aria-label={`Colours: ${words[theme]}. Change to ${words[next[theme]]}`}
      title={`Colours: ${words[theme]}`}
      onClick={() => {
        applyTheme(next[theme]);
        setTheme(next[theme]);
      }}
    >
      <Icon name={theme} />
    </button>
  );
}

function Draft() {
  const [app, state] = useApp();
  if (state.draft === null) return null;
  return (
    <section class="notice" aria-label="Text of an earlier visit">
      <p>
        You were editing a scenario of {number(state.draft.split("\n").length)} lines when you left.{" "}
        <button type="button" class="small" onClick={() => app.restoreDraft()}>
          Bring it back
        </button>{" "}
        <button type="button" class="small plain" onClick={() => app.forgetDraft()}>
          Forget it
        </button>
      </p>
    </section>
  );
}

function Refused() {
  const [app, state] = useApp();
  const { refusal } = state;
  if (!refusal) return null;
  const text = refusal.kind === "link" ? refusal.fault.message : refusal.message;
  const name = refusal.kind === "link" ? null : refusal.name;
  return (
    <section class="notice error" role="alert">
      <h1>{refusal.kind === "link" ? "The link was not opened" : `${name} was not opened`}</h1>
      <p>{text}</p>
      <p>
        {state.doc.text === "" ? (
          <button
            type="button"
            class="small"
            onClick={() => app.openExample(firstExample.file, firstExample.text)}
          >
            Show the first example instead
          </button>
        ) : (
          <button type="button" class="small" onClick={() => app.dismiss()}>
            Back to what was here
          </button>
        )}
      </p>
    </section>
  );
}

/** Undo and redo by keys, everywhere but in fields that only show. */
function useShortcuts() {
  const [app] = useApp();
  const latest = useRef(app);
  latest.current = app;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
      const key = event.key.toLowerCase();
      const redo = key === "y" || (key === "z" && event.shiftKey);
      if (key !== "z" && !redo) return;
      event.preventDefault();
      if (redo) latest.current.redo();
      else latest.current.undo();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
