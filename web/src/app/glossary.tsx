// SPDX-License-Identifier: Apache-2.0
// A button that opens the glossary, for wherever words are explained. The dialog itself stands beside the page's others: an
// element within a card would take its colours and its landmarks. Without a provider there is no button.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useView } from "./brought";
import { useController } from "./context";

export const OpenGlossary = createContext<(() => void) | null>(null);

export function Glossary() {
  const open = useContext(OpenGlossary);
  return (
    open && (
      <button type="button" class="small plain" onClick={open}>
        Glossary
      </button>
    )
  );
}

export function GlossaryView({ onClose }: { onClose: () => void }) {
  const app = useController();
  const Dialog = useView<{ onClose: () => void }>(
    () => import("../panels/glossary").then((m) => m.loadGlossary()),
    (why) => {
      app.refuseFile("The glossary", why);
      onClose();
    },
  );
  return Dialog && <Dialog onClose={onClose} />;
}
