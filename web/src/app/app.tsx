// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { number } from "../base/format";
import type { Diagnostic } from "../base/result";
import { Errors } from "../input/errors";
import { Form, usePresets } from "../input/form";
import type { Presets } from "../input/reading";
import { type Place, TextInput } from "../input/text";
import { AnswerView } from "../panels/answer";
import { Assumptions, Layout, Provenance, Throughput } from "../panels/facts";
import { Sharing } from "../panels/sharing";
import { Quantiles, StepTime } from "../panels/step-time";
import { CriticalPath, Ranks } from "../panels/time";
import { TrainingPanels } from "../panels/training";
import { Memory, Trust } from "../panels/trust";
import { Icon } from "../ui/icons";
import { Baseline } from "./baseline";
import { BroughtView, Lessons, LessonView, prepareReader, Share, Validation } from "./brought";
import { applyTheme, currentTheme, type Theme } from "./browser";
import { useController, useLater, useSelect } from "./context";
import { firstExample } from "./examples";
import { type Brought, useFiles } from "./files";
import { Gallery } from "./gallery";
import { Glossary, GlossaryView, OpenGlossary } from "./glossary";
import { Studies, TimelinePlace } from "./later";
import { NewVersion } from "./offline";
import { type Answer, isStale } from "./state";
import { Announcements } from "./status";
import { version } from "./version";

const longest_wait_ms = 2000;

export function App() {
  const errors = useSelect((s) => s.errors);
  const refused = useSelect((s) => s.refusal !== null);
  const [dialog, setDialog] = useState<"share" | "gallery" | "lessons" | "validation" | "glossary" | null>(
    null,
  );
  const lesson = useSelect((s) => s.doc.lesson);
  const [tab, setTab] = useState<"form" | "text">("form");
  const [place, setPlace] = useState<Place | null>(null);
  const presets = usePresets();
  const [brought, setBrought] = useState<Brought | null>(null);
  const files = useFiles(setBrought, prepareReader);
  useShortcuts();
  const answered = useLater((s) => s.answer !== null);
  const unhurried = useUnhurried(answered || errors.length > 0 || refused);
  const openGlossary = useCallback(() => setDialog("glossary"), []);
  const openValidation = useCallback(() => setDialog("validation"), []);

  const goTo = (error: Diagnostic) => {
    setTab("text");
    setPlace((before) => ({ line: error.line, column: error.column, nonce: (before?.nonce ?? 0) + 1 }));
  };
  return (
    <OpenGlossary.Provider value={openGlossary}>
      <a class="skip" href="#answer">
        Skip to the answer
      </a>
      <header class="bar">
        <p class="mark">
          <img src="./icon.svg" alt="" width="26" height="26" />
          <span class="label">Prism</span>
        </p>
        <nav aria-label="Document">
          <button type="button" onClick={() => setDialog("gallery")}>
            <Icon name="examples" /> <span class="label">Examples</span>
          </button>
          <button type="button" class="in-wide" onClick={() => setDialog("lessons")}>
            <Icon name="lessons" /> <span class="label">Lessons</span>
          </button>
          <button type="button" onClick={files.choose}>
            <Icon name="open" /> <span class="label">Open file</span>
          </button>
          <HistoryButtons />
          <ThemeButton place="in-wide" />
          <button type="button" class="primary" onClick={() => setDialog("share")}>
            <Icon name="share" /> <span class="label">Share</span>
          </button>
        </nav>
        <input
          ref={files.input}
          type="file"
          accept=".json,.txt,.csv,.gz,.log,.out,.sh,application/json,text/plain,text/csv,application/gzip"
          hidden
          onChange={files.chosen}
          aria-label="Scenario, result, model config, trace or log file"
        />
      </header>
      <main data-wide-input={tab === "text" || undefined}>
        <div id="answer" class="answer" tabIndex={-1}>
          <NewVersion />
          <Draft />
          <Refused />
          {lesson !== undefined && !refused && <LessonView name={lesson} />}
          <AnswerView>
            <Errors errors={errors} onGo={goTo} />
          </AnswerView>
          <Baseline />
        </div>
        <InputPane wanted={place?.nonce ?? 0}>
          {lesson !== undefined ? (
            <Locked />
          ) : (
            unhurried && <InputTabs tab={tab} onTab={setTab} presets={presets} place={place} />
          )}
        </InputPane>
        {!refused && <Panels presets={presets} onAll={openValidation} />}
      </main>
      <footer class="foot">
        <p>Everything is computed in this browser. Scenarios, files and results never leave it.</p>
        <ul>
          <li>
            <Glossary />
          </li>
          <li>
            <a href="./release-notes.txt">Prism {version}</a>
          </li>
          <li>
            <a href="./licenses.txt">Apache-2.0 and third-party notices</a>
          </li>
          <li>
            <ThemeButton place="in-narrow" />
          </li>
        </ul>
      </footer>
      {dialog === "share" && <Share onClose={() => setDialog(null)} />}
      {dialog === "gallery" && (
        <Gallery onClose={() => setDialog(null)} onLessons={() => setDialog("lessons")} />
      )}
      {dialog === "lessons" && <Lessons onClose={() => setDialog(null)} />}
      {dialog === "validation" && <Validation onClose={() => setDialog(null)} />}
      {dialog === "glossary" && <GlossaryView onClose={() => setDialog(null)} />}
      {brought && <BroughtView brought={brought} onClose={() => setBrought(null)} />}
      {files.dragging && (
        <div class="drop">Drop a scenario or a result, a model’s config.json, a trace or a log</div>
      )}
      <Announcements />
    </OpenGlossary.Provider>
  );
}

/** True once the first answer is there, or late: until then what is built here would only delay it. */
function useUnhurried(answered: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), longest_wait_ms);
    return () => clearTimeout(timer);
  }, []);
  const was = useRef(false);
  was.current ||= answered || late;
  return was.current;
}

interface InputTabsProps {
  tab: "form" | "text";
  onTab: (tab: "form" | "text") => void;
  presets: Presets | undefined;
  place: Place | null;
}

/** The scenario as settings or as text. */
function InputTabs({ tab, onTab, presets, place }: InputTabsProps) {
  return (
    <>
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
            onClick={() => onTab(name)}
            onKeyDown={(event) => {
              if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
              const other = name === "form" ? "text" : "form";
              onTab(other);
              document.getElementById(`tab-${other}`)?.focus();
            }}
          >
            {name === "form" ? "Settings" : "Text"}
          </button>
        ))}
      </div>
      <div id="panel-form" role="tabpanel" aria-labelledby="tab-form" hidden={tab !== "form"}>
        {tab === "form" && <Form presets={presets} />}
      </div>
      <div id="panel-text" role="tabpanel" aria-labelledby="tab-text" hidden={tab !== "text"}>
        {tab === "text" && <TextInput place={place} />}
      </div>
    </>
  );
}

interface PanelsProps {
  presets: Presets | undefined;
  /** Shows all measurements. */
  onAll: () => void;
}

/** All that stands below the answer. The sentence is painted before they are built, or follow. */
function Panels({ presets, onAll }: PanelsProps) {
  const answer = useLater((s) => s.answer);
  if (!answer) return null;
  const { result, ms } = answer;
  return (
    <Marked answer={answer}>
      <StepTime result={result} />
      <Quantiles result={result} />
      <TrainingPanels result={result} />
      <CriticalPath result={result} />
      <Ranks result={result} />
      <TimelinePlace />
      <Studies />
      <Sharing result={result} presets={presets} />
      <Trust result={result} onAll={onAll} />
      <Memory result={result} />
      <div class="stack five">
        <Throughput result={result} />
        <Layout result={result} />
      </div>
      <Provenance result={result} ms={ms} />
      <Assumptions result={result} />
    </Marked>
  );
}

/** Marks what belongs to an older answer, without drawing it again. */
function Marked({ answer, children }: { answer: Answer; children: ComponentChildren }) {
  const newest = useSelect((s) => s.answer);
  const stale = useSelect(isStale) || newest !== answer;
  return (
    <div class="panels-place">
      <div class="panels" data-stale={stale || undefined}>
        {children}
      </div>
    </div>
  );
}

/** Beside the answer in a wide window; below it and folded in a narrow one, until a place in it is `wanted`. */
function InputPane({ wanted, children }: { wanted: number; children: ComponentChildren }) {
  const [open, setOpen] = useState(() => wideWindow().matches);
  useEffect(() => {
    const query = wideWindow();
    const follow = () => setOpen(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  useEffect(() => {
    if (wanted > 0) setOpen(true);
  }, [wanted]);
  return (
    <aside aria-label="Scenario" class="input-place">
      <details class="input" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Change the scenario</summary>
        {children}
      </details>
    </aside>
  );
}

/** In a lesson: what can be changed stands with its question. */
function Locked() {
  const app = useController();
  return (
    <div class="locked">
      <p>This lesson leaves one control, beside its question. All other settings are locked.</p>
      <button type="button" class="small" onClick={() => app.leaveLesson()}>
        Leave the lesson and change them
      </button>
    </div>
  );
}

const wideWindow = () => matchMedia("(min-width: 720px)");

function ThemeButton({ place }: { place: "in-wide" | "in-narrow" }) {
  const [theme, setTheme] = useState<Theme>(currentTheme());
  const next: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
  const words = { system: "as the system", light: "light", dark: "dark" };
  return (
    <button
      type="button"
      class={place}
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

function HistoryButtons() {
  const app = useController();
  const undone = useSelect((s) => s.past.at(-1)?.done);
  const redone = useSelect((s) => s.future[0]?.done);
  const undo = undone === undefined ? "Undo" : `Undo ${undone}`;
  const redo = redone === undefined ? "Redo" : `Redo ${redone}`;
  return (
    <>
      <button
        type="button"
        aria-label={undo}
        title={undo}
        disabled={undone === undefined}
        onClick={() => app.undo()}
      >
        <Icon name="undo" />
      </button>
      <button
        type="button"
        aria-label={redo}
        title={redo}
        disabled={redone === undefined}
        onClick={() => app.redo()}
      >
        <Icon name="redo" />
      </button>
    </>
  );
}

function Draft() {
  const app = useController();
  const draft = useSelect((s) => s.draft);
  if (draft === null) return null;
  return (
    <section class="notice" aria-label="Text of an earlier visit">
      <p>
        You were editing a scenario of {number(draft.split("\n").length)} lines when you left.{" "}
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
  const app = useController();
  const refusal = useSelect((s) => s.refusal);
  const nothing = useSelect((s) => s.doc.text === "");
  if (!refusal) return null;
  const text = refusal.kind === "link" ? refusal.fault.message : refusal.message;
  const name = refusal.kind === "link" ? null : refusal.name;
  return (
    <section class="notice error" role="alert">
      <h1>{refusal.kind === "link" ? "The link was not opened" : `${name} was not opened`}</h1>
      <p>{text}</p>
      <p>
        {nothing ? (
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
  const app = useController();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
      const key = event.key.toLowerCase();
      const redo = key === "y" || (key === "z" && event.shiftKey);
      if (key !== "z" && !redo) return;
      event.preventDefault();
      if (redo) app.redo();
      else app.undo();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [app]);
}
