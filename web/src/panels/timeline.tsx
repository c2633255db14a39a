// SPDX-License-Identifier: Apache-2.0
// One step, drawn: a median one and one at p95, chunk by chunk, with each wait explained.
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { useSelect } from "../app/context";
import { Glossary } from "../app/glossary";
import * as format from "../base/format";
import {
  inStep,
  longestWaits,
  type Move,
  moved,
  type Piece,
  type Rows,
  rowsOf,
  type Span,
  showing,
  spanOf,
  type Timeline,
  whole,
  zoomed,
} from "../base/timeline";
import {
  chunksTable,
  explanation,
  followText,
  spentTable,
  stepName,
  timelineReading,
  waits_listed,
  waitsTable,
} from "../base/timeline-words";
import { legendOf } from "../charts/timeline";
import { timelineSvg } from "../charts/timeline-surfaces";
import { Choice } from "../ui/choice";
import { Icon } from "../ui/icons";
import { DataTable } from "../ui/table";
import { Files, useStudyOrigin } from "./files";
import { TimelineCanvas, zoom_step } from "./timeline-canvas";
import { useStudy } from "./use-study";

export function TimelinePanel() {
  const text = useSelect((s) => s.answer?.text ?? s.doc.text);
  const button = useRef<HTMLButtonElement>(null);
  const { running, share, fault, start, stop } = useStudy();
  const [found, setFound] = useState<{ timeline: Timeline; text: string } | null>(null);
  const play = () =>
    start(
      text,
      () => ({ study: "timeline" }),
      (answer) => setFound({ timeline: answer as unknown as Timeline, text }),
      { trials: "as asked" },
    );
  // Asked for by the button that this panel stands in place of.
  useEffect(() => {
    play();
    button.current?.focus();
  }, []);
  const stale = found !== null && found.text !== text;

  return (
    <section class="card wide figure">
      <header>
        <h2>One step, drawn</h2>
        <p>
          <output>{running ? `${Math.round(100 * share)} %` : ""}</output>{" "}
          <button type="button" class="small" ref={button} onClick={running ? stop : play}>
            {running ? "Stop drawing" : "Draw again"}
          </button>
        </p>
      </header>
      {fault && <p role="alert">{fault}</p>}
      {found && (
        <div data-stale={stale || undefined}>
          {stale && <p>The scenario has changed since: draw again.</p>}
          <Drawn key={found.timeline.digest} timeline={found.timeline} of={found.text} />
        </div>
      )}
    </section>
  );
}

function Drawn({ timeline, of }: { timeline: Timeline; of: string }) {
  const [at, setAt] = useState(0);
  const [chosen, setChosen] = useState<Piece | null>(null);
  const [tablesOpen, setTablesOpen] = useState(false);
  const limit = useMemo(() => whole(timeline), [timeline]);
  const [shown, setShown] = useState<Span>(limit);
  const words = useId();
  const step = timeline.steps[at]!;
  const rows = useMemo(() => rowsOf(timeline, step), [timeline, step]);
  const reading = useMemo(() => timelineReading(timeline, step), [timeline, step]);
  const origin = useStudyOrigin(of, {
    ...timeline,
    name: "timeline",
    sample: `${timeline.steps.length} of ${format.count(timeline.trials)} trials`,
  });

  const piece = chosen && inStep(rows, chosen);
  const choose = (next: Piece | null) => {
    setChosen(next);
    if (next) setShown((w) => showing(w, spanOf(rows, next), limit));
  };
  const move = (by: Move) => choose(moved(rows, piece, by));
  const follow = piece && followText(rows, piece);
  const zoom = (factor: number) => {
    const around = piece ? spanOf(rows, piece) : shown;
    const middle = (around.from + around.to) / 2;
    setShown((w) => zoomed(showing(w, around, limit), factor, middle, limit));
  };

  return (
    <>
      <Choice
        name="Which step"
        value={String(at)}
        options={timeline.steps.map((s, i): [string, string] => [String(i), stepName(s).replace("the ", "")])}
        onChange={(value) => setAt(Number(value))}
      />
      <p class="reading">{reading}</p>
      <Legend rows={rows} />
      <TimelineCanvas
        name={`Timeline of ${stepName(step)}: ${timeline.ranks} pipeline ranks over time. Left and right arrow keys go along a rank, up and down to another, Page Down and Page Up to the next and previous wait, Enter to what was waited for; plus, minus and 0 zoom.`}
        describedBy={words}
        rows={rows}
        window={shown}
        limit={limit}
        chosen={piece}
        onWindow={setShown}
        onChoose={choose}
      />
      <Walk
        onMove={move}
        onLongest={() => choose(longestWaits(rows, 1)[0] ?? null)}
        onZoom={zoom}
        onWhole={() => setShown(limit)}
      />
      <output id={words} class="timeline-words">
        {piece
          ? explanation(rows, piece)
          : "Choose any place on the timeline, by pointer or by arrow keys, to read what the rank does there and what it waits for."}
      </output>
      <p>
        <button type="button" class="small" disabled={!follow} onClick={() => move("follow")}>
          {follow ?? "Go to what it waited for"}
        </button>
      </p>
      <footer>
        <details onToggle={(event) => setTablesOpen(event.currentTarget.open)}>
          <summary>Data table</summary>
          {tablesOpen && <Tables rows={rows} />}
        </details>
        <details>
          <summary>How to read this</summary>
          <About timeline={timeline} />
        </details>
        <Files
          title={`Timeline of ${stepName(step)}`}
          stem="timeline"
          origin={origin}
          table={() => chunksTable(timeline)}
          draw={(width, palette) => timelineSvg(rows, shown, width, palette)}
        />
      </footer>
    </>
  );
}

function Tables({ rows }: { rows: Rows }) {
  const waits = useMemo(() => waitsTable(rows), [rows]);
  return (
    <>
      <h3>Where each rank’s step went</h3>
      <DataTable table={spentTable(rows.step)} caption="Where each rank’s step went" />
      <h3>The {waits_listed} longest waits</h3>
      <DataTable table={waits} caption="The longest waits" />
    </>
  );
}

interface WalkProps {
  onMove: (move: Move) => void;
  onLongest: () => void;
  onZoom: (factor: number) => void;
  onWhole: () => void;
}

const walks: [move: Move, sign: string, label: string][] = [
  ["previous", "←", "Previous on the rank"],
  ["next", "→", "Next on the rank"],
  ["above", "↑", "Rank above"],
  ["below", "↓", "Rank below"],
];

/** The keys of the timeline as buttons. */
function Walk({ onMove, onLongest, onZoom, onWhole }: WalkProps) {
  return (
    <fieldset class="timeline-walk">
      <legend class="visually-hidden">Move on the timeline</legend>
      {walks.map(([move, sign, label]) => (
        <button key={move} type="button" class="small" aria-label={label} onClick={() => onMove(move)}>
          {sign}
        </button>
      ))}
      <button type="button" class="small" onClick={() => onMove("next-wait")}>
        Next wait
      </button>
      <button type="button" class="small" onClick={onLongest}>
        Longest wait
      </button>
      <button type="button" class="small" aria-label="Zoom in" onClick={() => onZoom(1 / zoom_step ** 2)}>
        <Icon name="plus" />
      </button>
      <button type="button" class="small" aria-label="Zoom out" onClick={() => onZoom(zoom_step ** 2)}>
        <Icon name="minus" />
      </button>
      <button type="button" class="small" onClick={onWhole}>
        Whole step
      </button>
    </fieldset>
  );
}

function Legend({ rows }: { rows: Rows }) {
  return (
    <ul class="legend timeline-legend" aria-label="Legend">
      {legendOf(rows).map(([ink, label]) => (
        <li key={ink}>
          <span class={`swatch ${ink}`} aria-hidden="true" />
          {label}
        </li>
      ))}
    </ul>
  );
}

function About({ timeline }: { timeline: Timeline }) {
  return (
    <div class="about">
      <p>
        Each row is a pipeline rank of the replica that decided the step, each block a chunk: one pass of one
        micro-batch through one virtual stage. Both steps share one time axis, so changing between them shows
        what grew. Ranks, stages and micro-batches count from 0.
      </p>
      <p>
        The strip at the foot of a chunk is as long as its collectives took together, not where they ran. The
        strip at its head, with lines between ranks, is the path that decided the step: shortening anything
        else does not shorten that step. It is the replica’s own path; what the ranks do with the other
        replicas comes after.
      </p>
      <p>
        A rank waits when what it needs has not come. For what, and until when, is told for each wait; go on
        from there to find what began the delay.
      </p>
      <p>
        Wheel with Ctrl, or with two fingers, zooms; dragging moves. Keys, once the timeline has focus: arrows
        along and between ranks, Page Up and Page Down between waits, Home and End, Enter to what was waited
        for, plus and minus and 0 to zoom, Shift with an arrow to move.
      </p>
      <p>
        Of {format.count(timeline.trials)} trials drawn operator by operator, seed {timeline.seed}, these are
        the ones at their quantiles. One step each, not a mean: another seed shows others. Of a tensor group
        whose ranks are propagated one by one the first is shown. Times are recorded to about 1e-7 of the
        step; digest {timeline.digest}.
      </p>
      <Glossary />
    </div>
  );
}
