// SPDX-License-Identifier: Apache-2.0
// The scenario as text. A plain text area works until the editor has arrived, and if it never does.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useController, useSelect } from "../app/context";
import { offsetOf } from "../base/json";
import type { EditorHandle } from "./editor";

/** A place in the text that someone asked to see. `nonce` makes asking twice for the same place two requests. */
export interface Place {
  line: number;
  column: number;
  nonce: number;
}

export function TextInput({ place }: { place: Place | null }) {
  const app = useController();
  const text = useSelect((s) => s.doc.text);
  const errors = useSelect((s) => s.errors);
  const host = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<EditorHandle | null>(null);
  const [ready, setReady] = useState(false);
  const help = useId();
  const change = (text: string) => app.edit(text, "typing", { group: "typing", typing: true });

  useEffect(() => {
    let gone = false;
    import("./editor").then(
      ({ mount }) => {
        if (gone || !host.current) return;
        editor.current = mount(host.current, {
          text: app.state.doc.text,
          label: "Scenario, JSON text",
          describedBy: "Tab indents; press Escape, then Tab, to leave the editor.",
          onChange: change,
          onUndo: () => app.undo(),
          onRedo: () => app.redo(),
        });
        setReady(true);
      },
      () => {},
    );
    return () => {
      gone = true;
      editor.current?.close();
      editor.current = null;
    };
  }, [app]);

  useEffect(() => {
    editor.current?.setText(text);
    editor.current?.setErrors(errors);
  }, [ready, text, errors]);

  useEffect(() => {
    if (!place) return;
    if (editor.current) return editor.current.goTo(place.line, place.column);
    const at = offsetOf(app.state.doc.text, place.line, place.column);
    area.current?.focus();
    area.current?.setSelectionRange(at, at + 1);
  }, [ready, place]);

  return (
    <div class="text-input">
      <p class="hint" id={help}>
        The whole scenario. Tab indents; Escape, then Tab, leaves the editor.
      </p>
      <div ref={host} class="editor" hidden={!ready} />
      {!ready && (
        <textarea
          ref={area}
          class="editor"
          aria-label="Scenario, JSON text"
          aria-describedby={help}
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
        />
      )}
    </div>
  );
}
