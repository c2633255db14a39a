// SPDX-License-Identifier: Apache-2.0
// This scenario beside any other: both distributions on the same noise, their difference, and what differs in the texts.
import { useRef, useState } from "preact/hooks";
import { useController, useSelect } from "../app/context";
import { readContent } from "../app/documents";
import { type Example, examples, exampleText } from "../app/examples";
import {
  asLayout,
  type Changed,
  changedMembers,
  comparisonReading,
  comparisonTable,
  curvesTable,
} from "../base/compare";
import type { Origin } from "../base/exports";
import * as format from "../base/format";
import { isObject } from "../base/json";
import type { Study } from "../base/study";
import * as palettes from "../charts/palette";
import { curves } from "../charts/studies";
import { DataTable } from "../ui/table";
import { Files, useStudyOrigin } from "./files";
import { Picture } from "./picture";
import { useStudy } from "./use-study";

const byte_limit = 8_000_000;

export interface Other {
  name: string;
  text: string;
  data: Record<string, unknown>;
}

/** The other scenario, or why it is none. Whether it is right the core says. */
async function otherOf(name: string, content: string): Promise<Other | string> {
  const read = await readContent(content);
  if (!read.ok) return read.fault.message;
  const { scenario: text } = read.document;
  try {
    const data: unknown = JSON.parse(text);
    if (!isObject(data)) return `${name} is not a scenario.`;
    return { name: typeof data.title === "string" && data.title ? data.title : name, text, data };
  } catch {
    return `${name} is not a scenario: it is not JSON.`;
  }
}

export function Comparison() {
  const text = useSelect((s) => s.answer?.text ?? s.doc.text);
  const [other, setOther] = useState<Other | null>(null);
  const { running, share, fault, setFault, start, stop } = useStudy();
  const resolved = useSelect((s) => s.answer?.result.scenario);
  const [found, setFound] = useState<Omit<FoundProps, "stale"> | null>(null);

  const take = (second: Other | string) => {
    stop();
    setFound(null);
    setOther(typeof second === "string" ? null : second);
    setFault(typeof second === "string" ? second : "");
  };
  const compare = (second: Other) =>
    start(
      text,
      () => ({
        study: "compare",
        layouts: [asLayout(second.name, JSON.parse(text) as Record<string, unknown>, second.data)],
      }),
      (study) => setFound({ study, text, resolved, other: second }),
    );

  return (
    <section class="card wide figure">
      <header>
        <h2>Compare with another scenario</h2>
      </header>
      <SecondScenario onTake={take} />
      {other && (
        <>
          <p>
            <strong>{other.name}</strong> is the second one.
          </p>
          <p>
            <button type="button" class="small" onClick={() => (running ? stop() : compare(other))}>
              {running ? "Stop comparing" : "Compare the two"}
            </button>{" "}
            <output>{running ? `${Math.round(100 * share)} %` : ""}</output>
          </p>
        </>
      )}
      {fault && <p role="alert">{fault}</p>}
      {found && <Found {...found} stale={found.text !== text} />}
    </section>
  );
}

interface SecondScenarioProps {
  onTake: (other: Other | string) => void;
  offered?: Example[];
  /** Of the file. */
  label?: string;
}

/** An example, a file, or a link or text that is pasted. */
export function SecondScenario({
  onTake,
  offered = examples,
  label = "Second scenario",
}: SecondScenarioProps) {
  const file = useRef<HTMLInputElement>(null);
  const opened = async () => {
    const chosen = file.current?.files?.[0];
    if (!chosen) return;
    if (chosen.size > byte_limit) onTake(`${chosen.name} is larger than 8 MB, the limit for a scenario.`);
    else onTake(await otherOf(chosen.name, await chosen.text()));
    file.current!.value = "";
  };
  const example = (name: string) =>
    exampleText(name).then(
      async (content) => onTake(await otherOf(name, content)),
      (error) => onTake(`The example could not be fetched: ${String(error)}`),
    );
  return (
    <div class="second-scenario">
      <label>
        An example
        <select value="" onChange={(event) => void example(event.currentTarget.value)}>
          <option value="" disabled>
            Choose one
          </option>
          {offered.map(({ file: name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        A link or a text
        <input
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder="#v1.…"
          onChange={(event) => {
            const content = event.currentTarget.value.trim();
            if (content) void otherOf("The pasted text", content).then(onTake);
          }}
        />
      </label>
      <button type="button" onClick={() => file.current?.click()}>
        Open a file
      </button>
      <input
        ref={file}
        type="file"
        hidden
        accept=".json,.txt"
        aria-label={label}
        onChange={() => void opened()}
      />
    </div>
  );
}

interface FoundProps {
  study: Study;
  text: string;
  /** What the core made of the text. */
  resolved: unknown;
  other: Other;
  stale: boolean;
}

function Found({ study, text, resolved, other, stale }: FoundProps) {
  const app = useController();
  const origin = useStudyOrigin(text, {
    ...study,
    name: `compared with ${other.name}`,
    sample: `${format.count(study.trials)} trials each`,
  });
  const played = study.variants.every((v) => v.fault === null) && study.variants.length > 1;
  return (
    <div data-stale={stale || undefined}>
      {stale && <p>The scenario has changed since: compare again.</p>}
      <p class="reading">{comparisonReading(study)}</p>
      {played && (
        <>
          <Beside study={study} index={1} origin={origin} />
          <DataTable table={comparisonTable(study)} caption="The two, and their difference" />
        </>
      )}
      <Changes
        list={changedMembers({ written: JSON.parse(text), resolved }, { written: other.data })}
        headings={["This scenario", "The second one"]}
      />
      <p>
        <button
          type="button"
          class="small"
          onClick={() => app.openText(other.name, other.text, "opening the second scenario")}
        >
          Open the second one
        </button>
      </p>
      <p class="hint">
        {format.count(study.trials)} trials each, with this scenario’s seed, on the same noise where the two
        are alike; digest {study.digest}.
      </p>
    </div>
  );
}

interface ChangesProps {
  list: Changed[];
  headings: [string, string];
}

export function Changes({ list, headings }: ChangesProps) {
  if (list.length === 0) return <p>The two texts say the same.</p>;
  const oneSided = list.filter(({ before, after }) => before === "–" || after === "–").length;
  const short = (value: string) => (value.length > 60 ? `${value.slice(0, 59)}…` : value);
  return (
    <details open>
      <summary>
        {list.length === 1 ? "One setting differs" : `${format.count(list.length)} settings differ`}
        {oneSided > 0 && ` (${format.count(oneSided)} written in only one of the two)`}
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section class="table-scroll" aria-label="Settings that differ" tabIndex={0}>
        <table class="prose changes">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              {headings.map((heading) => (
                <th key={heading} scope="col">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.map(({ pointer, before, after }) => (
              <tr key={pointer}>
                <th scope="row">
                  <code>{pointer}</code>
                </th>
                <td>{short(before)}</td>
                <td>{short(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

/** The curves of the first variant and of another, with their files. */
export function Beside({ study, index, origin }: { study: Study; index: number; origin: Origin | null }) {
  const [first, second] = [study.variants[0]!, study.variants[index]!];
  return (
    <>
      <ul class="legend" aria-label="Legend">
        <li>
          <span class="stroke" aria-hidden="true" />
          {first.name}
        </li>
        <li>
          <span class="stroke dashed" aria-hidden="true" />
          {second.name}
        </li>
      </ul>
      <Picture
        name={`Share of steps within a time: ${first.name}, and dashed ${second.name}`}
        draw={(width) => curves(study, [0, index], width, palettes.page)}
        of={`${study.digest} ${index}`}
      />
      <footer>
        <Files
          title={`${first.name}, and dashed ${second.name}`}
          stem="compared"
          origin={origin}
          table={() => curvesTable(study, index)}
          draw={(width, palette) => curves(study, [0, index], width, palette)}
        />
      </footer>
    </>
  );
}
