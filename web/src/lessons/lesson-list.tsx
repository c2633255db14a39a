// SPDX-License-Identifier: Apache-2.0
import { useController, useSelect } from "../app/context";
import { Dialog } from "../ui/dialog";
import { lessons } from "./lessons";

/** The lessons, each by its question. */
export function LessonList({ onClose }: { onClose: () => void }) {
  const app = useController();
  const now = useSelect((s) => s.doc.lesson);
  return (
    <Dialog title="Lessons" onClose={onClose}>
      <p>Each asks a question, sets a goal and leaves one control. Undo brings back what is here.</p>
      <ol class="gallery">
        {[...lessons].map(([name, lesson]) => (
          <li key={name}>
            <button
              type="button"
              aria-current={name === now || undefined}
              onClick={() => {
                app.openLesson(name);
                onClose();
              }}
            >
              <strong>{lesson.question}</strong>
              <span>{lesson.title}</span>
            </button>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
