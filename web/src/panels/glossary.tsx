// SPDX-License-Identifier: Apache-2.0
// The words of the page: docs/glossary.md, fetched when it is asked for.
import address from "../../../docs/glossary.md?url";
import { Dialog } from "../ui/dialog";
import { Markdown } from "../ui/markdown";

export async function loadGlossary() {
  const text = await (await fetch(address)).text();
  return function GlossaryDialog({ onClose }: { onClose: () => void }) {
    return (
      <Dialog title="Glossary" onClose={onClose}>
        <Markdown text={text} />
      </Dialog>
    );
  };
}
