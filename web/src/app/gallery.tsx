// SPDX-License-Identifier: Apache-2.0
import { Dialog } from "../ui/dialog";
import { Icon } from "../ui/icons";
import { useController, useSelect } from "./context";
import { examples, exampleText } from "./examples";

/** The examples, each by the question it answers. */
export function Gallery({ onClose, onLessons }: { onClose: () => void; onLessons: () => void }) {
  const app = useController();
  const source = useSelect((s) => s.doc.source);
  const open = async (file: string) => {
    try {
      app.openExample(file, await exampleText(file));
    } catch (error) {
      app.refuseFile(file, `It could not be fetched: ${String(error)}`);
    }
    onClose();
  };
  return (
    <Dialog title="Examples" onClose={onClose}>
      <p>Each opens in place of what is here; Undo brings that back.</p>
      <p class="in-narrow">
        <button type="button" onClick={onLessons}>
          <Icon name="lessons" /> Lessons
        </button>
      </p>
      <ul class="gallery">
        {examples.map((example) => (
          <li key={example.file}>
            <button
              type="button"
              aria-current={(source.kind === "example" && source.file === example.file) || undefined}
              onClick={() => void open(example.file)}
            >
              <strong>{example.question}</strong>
              <span>{example.title}</span>
              <span>{example.headline}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
