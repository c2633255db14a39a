// SPDX-License-Identifier: Apache-2.0
// Joins state, engine, address bar and storage. Components read the state and call the methods here.

import { pretty } from "../base/json";
import { type LinkFault, openLink } from "../base/link";
import type { Pool, Ticket } from "../engine/pool";
import { linkOf, readContent } from "./documents";
import { exampleText, firstExample, presetName } from "./examples";
import { type Action, type Answer, type Doc, empty, isSettled, reduce, type State } from "./state";

export interface Draft {
  text: string;
  fragment: string;
}

/** What the controller needs of the browser; tests give their own. */
export interface Surroundings {
  now(): number;
  /** Address bar, fragment only. */
  fragment(): string;
  replaceFragment(fragment: string): void;
  /** Last edited text, and the address that held its result (empty if none did). */
  draft: { load(): Draft | null; save(draft: Draft | null): void };
  /** The pinned result, for as long as the tab is open. */
  pinned: { load(): Answer | null; save(pinned: Answer | null): void };
}

/** Seconds of estimated work that something from elsewhere (link, file) may start without a click. */
export const limit_from_elsewhere_s = 2;
/** The same for the user's own changes: they come with progress and a cancel button, but not by the hour. */
export const limit_own_s = 60;

const typing_pause_ms = 300;
const address_pause_ms = 300;
const progress_pause_ms = 80;
const file_limit = 8_000_000;

export class Controller {
  state: State = empty;
  private readonly listeners = new Set<() => void>();
  private ticket: Ticket | null = null;
  private runTimer: ReturnType<typeof setTimeout> | undefined;
  private addressTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly around: Surroundings,
  ) {}

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private dispatch(action: Action) {
    const before = this.state;
    this.state = reduce(before, action);
    if (this.state === before) return;
    for (const listener of this.listeners) listener();
  }

  /** First screen: what the address holds, else the example. */
  async start(example: { file: string; text: string }) {
    const draft = this.around.draft.load();
    this.dispatch({ type: "pin", answer: this.around.pinned.load() });
    const opening = this.openFragment();
    if (opening) await opening;
    else {
      this.dispatch({
        type: "open",
        doc: { text: example.text, source: { kind: "example", file: example.file } },
        done: "",
      });
      this.run(limit_from_elsewhere_s);
    }
    const shown =
      draft?.text === this.state.doc.text ||
      (draft?.fragment !== "" && draft?.fragment === this.around.fragment());
    if (draft && !shown) this.dispatch({ type: "draft", text: draft.text });
  }

  /** Opens what the address bar holds; null if it holds nothing. */
  openFragment(): Promise<void> | null {
    const fragment = this.around.fragment();
    if (fragment === "" || fragment === "#") return null;
    return fragment === this.linkInAddress ? Promise.resolve() : this.openAddress(fragment);
  }

  private async openAddress(fragment: string) {
    const [, kind, name] = /^#(preset|lesson)=(.*)$/.exec(fragment) ?? [];
    if (kind !== undefined && name !== undefined) {
      this.linkInAddress = fragment;
      return kind === "lesson" ? this.openLesson(name) : this.openPreset(name);
    }
    const opened = await openLink(fragment);
    // The newest address wins.
    if (this.around.fragment() !== fragment) return;
    if (!opened.ok) return this.refuseLink(opened.fault);
    const { engine, digest, scenario } = opened.shared;
    this.linkInAddress = fragment;
    this.open({ text: pretty(scenario), source: { kind: "link", engine, digest } }, "opening a link");
  }
  private linkInAddress = "";

  private refuseLink(fault: LinkFault) {
    this.halt();
    this.dispatch({ type: "refuse", refusal: { kind: "link", fault } });
  }

  private async openPreset(name: string) {
    try {
      const file = `${name}.json`;
      this.openExample(file, await exampleText(file));
    } catch {
      const message = `There is no example of the name “${name.slice(0, 80)}”. The gallery holds all of them.`;
      this.refuseLink({ outcome: "not_a_link", message });
    }
  }

  /** By its name; the lessons are fetched when one is asked for. */
  async openLesson(name: string) {
    try {
      const [{ lessons }, { beginning }] = await Promise.all([
        import("../lessons/lessons"),
        import("../base/lesson"),
      ]);
      const lesson = lessons.get(name);
      if (!lesson) {
        const message = `There is no lesson of the name “${name.slice(0, 80)}”.`;
        return this.refuseLink({ outcome: "not_a_link", message });
      }
      this.open({ text: beginning(lesson), source: { kind: "edited" }, lesson: name }, "opening a lesson");
    } catch (error) {
      this.refuseLink({
        outcome: "not_a_link",
        message: `The lessons could not be fetched: ${String(error)}`,
      });
    }
  }

  /** The scenario stays, and all of it can be changed again. */
  leaveLesson() {
    const { text } = this.state.doc;
    this.dispatch({ type: "open", doc: { text, source: { kind: "edited" } }, done: "leaving the lesson" });
    this.followAddress();
  }

  openExample(file: string, text: string) {
    this.open({ text, source: { kind: "example", file } }, "loading an example");
  }

  /** A dropped, chosen or pasted file: a scenario, a result document, or a text that holds a link. */
  async openText(name: string, content: string, done: string) {
    if (content.length > file_limit) {
      return this.refuseFile(name, "It is larger than 8 MB, the limit for a scenario.");
    }
    const read = await readContent(content);
    if (!read.ok) return this.dispatch({ type: "refuse", refusal: { kind: "link", fault: read.fault } });
    const { scenario: text, engine, digest } = read.document;
    const source: Doc["source"] =
      read.from === "link"
        ? { kind: "link", engine: engine ?? "", digest: digest ?? "" }
        : { kind: "file", name, engine, digest };
    this.open({ text, source }, done);
  }

  refuseFile(name: string, message: string) {
    this.dispatch({ type: "refuse", refusal: { kind: "file", name, message } });
  }

  private open(doc: State["doc"], done: string) {
    this.dispatch({ type: "open", doc, done });
    this.run(limit_from_elsewhere_s);
  }

  /** A change by the user. Typing runs after a pause, everything else at once. */
  edit(text: string, done: string, how: { group?: string; typing?: boolean } = {}) {
    const { group, typing } = how;
    this.dispatch({
      type: "edit",
      text,
      done,
      at: this.around.now(),
      ...(group === undefined ? {} : { group }),
    });
    // A lesson's steps are not work to be brought back.
    if (this.state.doc.lesson === undefined) this.around.draft.save({ text, fragment: "" });
    if (this.state.draft !== null) this.dispatch({ type: "draft", text: null });
    if (typing) this.runSoon();
    else this.run(limit_own_s);
  }

  undo() {
    this.travel({ type: "undo" });
  }

  redo() {
    this.travel({ type: "redo" });
  }

  private travel(action: Action) {
    const before = this.state.doc;
    this.dispatch(action);
    if (this.state.doc === before) return;
    this.run(limit_own_s);
  }

  /** Sets every later result beside the one on show, until it is taken away. */
  pin() {
    if (isSettled(this.state)) this.keepPinned(this.state.answer);
  }

  unpin() {
    this.keepPinned(null);
  }

  private keepPinned(answer: Answer | null) {
    this.dispatch({ type: "pin", answer });
    this.around.pinned.save(answer);
  }

  returnToPinned() {
    const { pinned } = this.state;
    if (!pinned) return;
    const doc: Doc = { text: pinned.text, source: { kind: "edited" } };
    this.dispatch({ type: "open", doc, done: "going back to the pinned scenario" });
    this.run(limit_own_s);
  }

  restoreDraft() {
    const { draft } = this.state;
    this.dispatch({ type: "draft", text: null });
    if (draft !== null) this.edit(draft, "restoring the text of an earlier visit");
  }

  forgetDraft() {
    this.dispatch({ type: "draft", text: null });
    this.around.draft.save(null);
  }

  dismiss() {
    this.dispatch({ type: "dismiss" });
  }

  private runSoon() {
    this.halt();
    this.runTimer = setTimeout(() => this.run(limit_own_s), typing_pause_ms);
  }

  /** Stops what runs, without a word. */
  private halt() {
    clearTimeout(this.runTimer);
    this.ticket?.cancel();
    this.ticket = null;
  }

  run(limitSeconds = limit_own_s) {
    this.halt();
    const { text } = this.state.doc;
    if (text === "") return;
    this.dispatch({ type: "started" });
    let told = Number.NEGATIVE_INFINITY;
    this.ticket = this.pool.run(
      text,
      (event) => {
        // The page shares its cores with the workers: no more progress than an eye can follow.
        if (event.type === "progress") {
          if (this.around.now() - told < progress_pause_ms) return;
          told = this.around.now();
        }
        this.dispatch({ type: "run", text, event });
        if (event.type === "done") this.followAddress();
      },
      limitSeconds,
    );
  }

  /** The Run button: also starts what was held for its length. */
  runNow() {
    if (this.state.run.phase === "held" && this.ticket) this.ticket.proceed();
    else this.run(Number.POSITIVE_INFINITY);
  }

  cancel() {
    this.halt();
    this.dispatch({ type: "cancelled" });
  }

  get workers(): number {
    return this.pool.size;
  }

  presets(): Promise<string> {
    return this.pool.presets();
  }

  /** Virtual stages of the answer on show. */
  get stages(): number {
    const layout = this.state.answer?.result.layout;
    return layout ? layout.pp * layout.virtual_stages : 1;
  }

  /** The last link made: it is asked for at every render. */
  private made: { answer: Answer; link: string } | undefined;

  /** The link of the result on show, or null while it is not whole. */
  link(): string | null {
    const { answer } = this.state;
    if (!isSettled(this.state) || !answer) return null;
    if (this.made?.answer !== answer) this.made = { answer, link: linkOf(answer.text, answer.result) };
    return this.made.link;
  }

  /** What stands in the address for the present text; null while it has no link yet. */
  private address(): string | null {
    const { source, lesson } = this.state.doc;
    if (lesson !== undefined) return `#lesson=${lesson}`;
    if (source.kind !== "example") return this.link();
    const named = `#preset=${presetName(source.file)}`;
    // The example that the bare page opens with needs no name.
    return source.file === firstExample.file && this.around.fragment() !== named ? "" : named;
  }

  /** The address follows the answer, and always holds what is on show. */
  private followAddress() {
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => {
      // An opened link stays as it was written, digest included, for as long as nothing is changed.
      if (this.state.doc.source.kind === "link") return;
      const fragment = this.address();
      if (fragment === null || fragment === this.around.fragment()) return;
      this.linkInAddress = fragment;
      this.around.replaceFragment(fragment);
      if (this.state.doc.source.kind === "edited" && this.state.doc.lesson === undefined)
        this.around.draft.save({ text: this.state.doc.text, fragment });
    }, address_pause_ms);
  }
}
