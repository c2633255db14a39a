// SPDX-License-Identifier: Apache-2.0
// A button that opens the glossary, for wherever words are explained.
import { useState } from "preact/hooks";
import { useView } from "./brought";
import { useController } from "./context";

export function Glossary() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="small plain" onClick={() => setOpen(true)}>
        Glossary
      </button>
      {open && <GlossaryView onClose={() => setOpen(false)} />}
    </>
  );
}

function GlossaryView({ onClose }: { onClose: () => void }) {
  const app = useController();
  const Dialog = useView<{ onClose: () => void }>(
    () => import("../panels/glossary").then((m) => m.GlossaryDialog),
    (why) => {
      app.refuseFile("The glossary", why);
      onClose();
    },
  );
  return Dialog && <Dialog onClose={onClose} />;
}
