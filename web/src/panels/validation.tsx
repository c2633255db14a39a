// SPDX-License-Identifier: Apache-2.0
// The whole comparison with public measurements: docs/validation.md, fetched when it is asked for.
import address from "../../../docs/validation.md?url";
import { Dialog } from "../ui/dialog";
import { Markdown } from "../ui/markdown";

export async function loadValidation() {
  const text = await (await fetch(address)).text();
  return function ValidationDialog({ onClose }: { onClose: () => void }) {
    return (
      <Dialog title="Validation: the cost model against public measurements" onClose={onClose}>
        <Markdown text={text} />
      </Dialog>
    );
  };
}
