// SPDX-License-Identifier: Apache-2.0
// Files by button, by drop anywhere, and by paste.
import { useEffect, useRef, useState } from "preact/hooks";
import { isEvidence } from "../base/evidence";
import { isModelConfig } from "../base/model-import";
import { decodeUtf8 } from "../base/utf8";
import { useController } from "./context";

const byte_limit = 8_000_000;

/** What is no scenario and has a view of its own: measurements (traces, logs, launch scripts), a model's config.json. */
export interface Brought {
  kind: "evidence" | "model";
  file: File;
}

/** `onSought`, any number of times: a file is being chosen or dragged over the page. */
export function useFiles(onBrought: (brought: Brought) => void, onSought: () => void) {
  const app = useController();
  const input = useRef<HTMLInputElement>(null);
  const [dragging, setDragging] = useState(false);

  const open = async (file: File, done: string) => {
    const head = new TextDecoder().decode(
      await file
        .slice(0, 65_536)
        .arrayBuffer()
        .catch(() => new ArrayBuffer(0)),
    );
    if (isModelConfig(head) && file.size <= byte_limit) return onBrought({ kind: "model", file });
    if (isEvidence(file.name, file.size, head)) return onBrought({ kind: "evidence", file });
    // By its size, before a byte of it is read.
    if (file.size > byte_limit)
      return app.refuseFile(file.name, "It is larger than 8 MB, the limit for a scenario.");
    try {
      const decoded = decodeUtf8(new Uint8Array(await file.arrayBuffer()));
      if (decoded.ok) return app.openText(file.name, decoded.text, done);
      app.refuseFile(file.name, `Line ${decoded.line}:${decoded.column}: this is not UTF-8 text.`);
    } catch {
      app.refuseFile(file.name, "The browser could not read it.");
    }
  };

  useEffect(() => {
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      onSought();
      setDragging(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setDragging(false);
    };
    const drop = (event: DragEvent) => {
      setDragging(false);
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      void open(file, "opening a dropped file");
    };
    const paste = (event: ClipboardEvent) => {
      const target = event.composedPath()[0];
      if (
        target instanceof HTMLElement &&
        (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
      )
        return;
      const file = event.clipboardData?.files[0];
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (file) void open(file, "opening a pasted file");
      else if (isModelConfig(text)) onBrought({ kind: "model", file: new File([text], "the pasted text") });
      else if (/^\s*\{|#v\d/.test(text)) app.openText("The pasted text", text, "pasting a scenario");
      else return;
      event.preventDefault();
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    document.addEventListener("paste", paste);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
      document.removeEventListener("paste", paste);
    };
  }, [app]);

  return {
    input,
    dragging,
    choose: () => {
      onSought();
      input.current?.click();
    },
    chosen: () => {
      const field = input.current;
      const file = field?.files?.[0];
      if (file) void open(file, "opening a file");
      // So that the same file can be chosen again.
      if (field) field.value = "";
    },
  };
}
