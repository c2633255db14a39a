// SPDX-License-Identifier: Apache-2.0
import { Dialog } from "./dialog";
import { Markdown } from "./markdown";

/** A dialog with a page of documentation, once its text is here. */
export async function textDialog(title: string, address: string) {
  const text = await (await fetch(address)).text();
  return function TextDialog({ onClose }: { onClose: () => void }) {
    return (
      <Dialog title={title} onClose={onClose}>
        <Markdown text={text} />
      </Dialog>
    );
  };
}
