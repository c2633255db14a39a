// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { Icon } from "./icons";

/** Copies within the click itself; says so only if it worked. */
export function CopyButton({ text, name, label }: { text: string; name: string; label?: string }) {
  const [state, setState] = useState<"" | "done" | "failed">("");
  const copy = () => {
    const result = (outcome: "done" | "failed") => {
      setState(outcome);
      setTimeout(() => setState(""), 2500);
    };
    if (!navigator.clipboard) return result("failed");
    navigator.clipboard.writeText(text).then(
      () => result("done"),
      () => result("failed"),
    );
  };
  const said = state === "done" ? "Copied" : state === "failed" ? "Select the text and copy it" : "";
  return (
    <>
      <button type="button" class={label ? undefined : "plain"} aria-label={name} onClick={copy}>
        <Icon name="copy" />
        {label && <span>{state === "done" ? "Copied" : label}</span>}
      </button>
      <span class={label ? "visually-hidden" : "said"} role="status">
        {said}
      </span>
    </>
  );
}
