// SPDX-License-Identifier: Apache-2.0
// The words of the page: docs/glossary.md, fetched when it is asked for.
import text from "../../../docs/glossary.md?raw";
import { Dialog } from "../ui/dialog";
import { Markdown } from "../ui/markdown";

export function GlossaryDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Glossary" onClose={onClose}>
      <Markdown text={text} />
    </Dialog>
  );
}
