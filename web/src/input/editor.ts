// SPDX-License-Identifier: Apache-2.0
// The text editor, CodeMirror 6, loaded when the text is first opened. It lives in a shadow root: there its styles
// are adopted style sheets, which a strict content policy allows. It has no history of its own; undo is the page's.
import { defaultKeymap, indentWithTab, temporarilySetTabFocusMode } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, type Diagnostic as Mark, setDiagnostics } from "@codemirror/lint";
import { EditorState, Transaction } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { offsetOf, rangeOf } from "../base/json";
import type { Diagnostic } from "../base/result";

export interface EditorHandle {
  setText(text: string): void;
  setErrors(errors: Diagnostic[]): void;
  goTo(line: number, column: number): void;
  close(): void;
}

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", color: "var(--ink)", backgroundColor: "var(--card)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--muted)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--ink) 4%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--focus) 28%, transparent)",
  },
  ".cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--focus) 22%, transparent)" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", maxWidth: "46ch", padding: "6px 10px" },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--syntax-key)" },
  { tag: tags.string, color: "var(--syntax-text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--syntax-number)" },
  { tag: [tags.separator, tags.bracket], color: "var(--muted)" },
]);

export function mount(
  host: HTMLElement,
  options: {
    text: string;
    label: string;
    describedBy: string;
    onChange: (text: string) => void;
    onUndo: () => void;
    onRedo: () => void;
  },
): EditorHandle {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  root.replaceChildren();
  const sheet = document.createElement("style");
  sheet.textContent = ":host{display:block;height:100%} .cm-editor{height:100%}";
  root.append(sheet);
  let quiet = false;
  const command = (run: () => void) => () => {
    run();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        drawSelection(),
        highlightActiveLine(),
        indentOnInput(),
        bracketMatching(),
        json(),
        theme,
        syntaxHighlighting(colours),
        EditorView.contentAttributes.of({
          "aria-label": options.label,
          "aria-description": options.describedBy,
          spellcheck: "false",
          tabindex: "0",
        }),
        keymap.of([
          { key: "Mod-z", run: command(options.onUndo) },
          { key: "Mod-y", run: command(options.onRedo) },
          { key: "Mod-Shift-z", run: command(options.onRedo) },
          // Tab indents, so there must be a way out for the keyboard: Escape, then Tab.
          { key: "Escape", run: temporarilySetTabFocusMode },
          indentWithTab,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !quiet) options.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });

  return {
    setText(text) {
      const before = view.state.doc.toString();
      if (text === before) return;
      // Only what differs is replaced, so that the cursor stays where it is.
      let start = 0;
      const shorter = Math.min(text.length, before.length);
      while (start < shorter && text[start] === before[start]) start++;
      let end = 0;
      while (end < shorter - start && text[text.length - 1 - end] === before[before.length - 1 - end]) end++;
      quiet = true;
      view.dispatch({
        changes: { from: start, to: before.length - end, insert: text.slice(start, text.length - end) },
        annotations: Transaction.addToHistory.of(false),
      });
      quiet = false;
    },
    setErrors(errors) {
      const text = view.state.doc.toString();
      view.dispatch(
        setDiagnostics(
          view.state,
          errors.map((error) => markOf(text, error)),
        ),
      );
    },
    goTo(line, column) {
      const at = offsetOf(view.state.doc.toString(), line, column);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

function markOf(text: string, error: Diagnostic): Mark {
  const placed = error.line > 0 ? offsetOf(text, error.line, error.column) : 0;
  const [from, to] =
    error.pointer === "" || error.code === "syntax" ? [placed, placed + 1] : rangeOf(text, error.pointer);
  // The core's own place wins where it points elsewhere, at a key for instance.
  const inside = placed >= from && placed < to;
  return {
    from: Math.min(inside ? from : placed, text.length),
    to: Math.min(inside ? to : placed + 1, text.length),
    severity: error.severity,
    message: [error.message, error.hint].filter(Boolean).join("\n"),
  };
}
