// SPDX-License-Identifier: Apache-2.0
// A lesson above the answer: question, one control, goal, hints by degrees, and the cause once it is earned or asked for.
import { useState } from "preact/hooks";
import { useController, useSelect } from "../app/context";
import { isSettled } from "../app/state";
import { chosen, type Lesson, measures, reached, said, withOption } from "../base/lesson";
import { Choice } from "../ui/choice";
import { lessons } from "./lessons";

export function LessonPanel({ name }: { name: string }) {
  const lesson = lessons.get(name);
  // By its name: another lesson begins with its hints unread.
  return lesson ? <Open key={name} name={name} lesson={lesson} /> : null;
}

function Open({ name, lesson }: { name: string; lesson: Lesson }) {
  const app = useController();
  const text = useSelect((s) => s.doc.text);
  const result = useSelect((s) => (isSettled(s) ? s.answer?.result : undefined));
  const [hints, setHints] = useState(0);
  const [shown, setShown] = useState(false);
  const measure = measures[lesson.measure];
  const value = result && measure.of(result);
  const good = value !== undefined && reached(lesson, value);
  const names = [...lessons.keys()];
  const next = names[names.indexOf(name) + 1];
  return (
    <section class="lesson" aria-label={`Lesson: ${lesson.title}`}>
      <p class="hint">
        Lesson {names.indexOf(name) + 1} of {names.length}: {lesson.title}
      </p>
      <h2>{lesson.question}</h2>
      <p>{said(lesson, lesson.setting)}</p>
      <div class="lesson-control">
        <h3>{lesson.control.label}</h3>
        <Choice
          name={lesson.control.label}
          value={chosen(lesson, text)?.label ?? ""}
          options={lesson.control.options.map(({ label }) => [label, label])}
          onChange={(label) => {
            const option = lesson.control.options.find((o) => o.label === label);
            if (option)
              app.edit(withOption(lesson, option), `changing ${lesson.control.label.toLowerCase()}`);
          }}
        />
      </div>
      <p class={`goal ${good ? "reached" : ""}`}>
        <strong>Goal.</strong> {said(lesson, lesson.goal.text)}{" "}
        <span role="status">
          {value !== undefined && `${good ? "Reached" : "Not yet"}: ${measure.name} ${measure.text(value)}.`}
        </span>
      </p>
      <ol class="hints">
        {lesson.hints.slice(0, hints).map((hint) => (
          <li key={hint}>{said(lesson, hint)}</li>
        ))}
      </ol>
      {(shown || good) && (
        <p class="cause">
          <strong>Cause.</strong> {said(lesson, lesson.cause)}
        </p>
      )}
      <div class="buttons">
        {!good && hints < lesson.hints.length && (
          <button type="button" class="small" onClick={() => setHints(hints + 1)}>
            Hint {hints + 1} of {lesson.hints.length}
          </button>
        )}
        {!good && !shown && hints === lesson.hints.length && (
          <button type="button" class="small" onClick={() => setShown(true)}>
            Show the cause
          </button>
        )}
        {next && (
          <button type="button" class={`small ${good ? "primary" : ""}`} onClick={() => app.openLesson(next)}>
            Next lesson
          </button>
        )}
        <button type="button" class="small plain" onClick={() => app.leaveLesson()}>
          Leave the lesson
        </button>
      </div>
    </section>
  );
}
