// SPDX-License-Identifier: Apache-2.0
// Beside the answer: throughput, layout, how it was computed, and what was assumed.
import { useState } from "preact/hooks";
import { useController } from "../app/context";
import * as format from "../base/format";
import { withValue } from "../base/json";
import type { Diagnostic, Result } from "../base/result";
import { basis, layersText, sentence } from "../base/sentences";
import { freshSeed } from "../input/seed";
import { CopyButton } from "../ui/copy";
import { Icon } from "../ui/icons";

export function Throughput({ result }: { result: Result }) {
  const t = result.throughput;
  if (!t) return null;
  return (
    <section class="card">
      <header>
        <h2>Throughput</h2>
      </header>
      <dl class="pairs">
        <dt>Tokens a second</dt>
        <dd>{format.short(t.tokens_per_s)}</dd>
        <dt>Per GPU</dt>
        <dd>{format.significant(t.tokens_per_s_per_gpu, 3)} tokens/s</dd>
        <dt>Model FLOP/s per GPU</dt>
        <dd>{format.significant(t.model_tflops_per_s_per_gpu, 3)} TFLOP/s</dd>
        <dt>MFU</dt>
        <dd>{format.percent(t.mfu)}</dd>
        <dt>HFU</dt>
        <dd>{format.percent(t.hfu)}</dd>
        <dt>Tokens a step</dt>
        <dd>{format.short(t.tokens_per_step)}</dd>
      </dl>
      <p class="hint">
        At the median step, against the dense peak. MFU counts the model’s own arithmetic (causal attention
        half, nothing recomputed); HFU counts what the kernels really do.
      </p>
    </section>
  );
}

export function Layout({ result }: { result: Result }) {
  const l = result.layout;
  const stages = l.layers_per_virtual_stage.length;
  const rows = Array.from({ length: l.pp }, (_, rank) =>
    l.layers_per_virtual_stage.filter((_, stage) => stage % l.pp === rank),
  );
  return (
    <section class="card">
      <header>
        <h2>Layout</h2>
      </header>
      <dl class="pairs">
        <dt>GPUs</dt>
        <dd>
          {format.count(l.gpus)} on {format.count(l.nodes)} {l.nodes === 1 ? "node" : "nodes"}
        </dd>
        <dt>Degrees</dt>
        <dd>
          tp {l.tp} × {l.cp > 1 && `cp ${l.cp} × `}pp {l.pp} × dp {format.count(l.dp)}
        </dd>
        <dt>Schedule</dt>
        <dd>{l.schedule}</dd>
        <dt>Micro-batches</dt>
        <dd>{format.count(l.micro_batches)} a replica and step</dd>
        <dt>Layers</dt>
        <dd>
          {format.count(l.layers)} on {format.count(stages)} virtual stages:{" "}
          {layersText(l.layers_per_virtual_stage)}
        </dd>
      </dl>
      <details>
        <summary>Layers on each virtual stage</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
        <section class="table-scroll" aria-label="Layers on each virtual stage" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Pipeline rank</th>
                {Array.from({ length: l.virtual_stages }, (_, v) => (
                  <th key={v} scope="col">
                    {v + 1}
                  </th>
                ))}
                <th scope="col">Sum</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((layers, rank) => (
                <tr key={rank}>
                  <th scope="row">{rank}</th>
                  {layers.map((n, v) => (
                    <td key={v}>{n}</td>
                  ))}
                  <td>{layers.reduce((a, b) => a + b, 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </section>
  );
}

const paths = {
  fast: "fast: only the replicas that can decide the step are simulated",
  exact: "exact: every replica is simulated",
  reference: "reference: every rank is simulated",
};
const samplings = {
  chunk: "one draw a chunk, from the distribution of its sum",
  segment: "one draw a segment",
  rank: "one draw an operator and rank",
};

export function Provenance({ result, ms }: { result: Result; ms: number }) {
  const app = useController();
  const e = result.engine;
  const reroll = () =>
    app.edit(withValue(app.state.doc.text, "/run/seed", freshSeed()), "drawing a new seed", {
      group: "field seed",
    });
  return (
    <section class="card seven">
      <header>
        <h2>How it was computed</h2>
      </header>
      <dl class="pairs">
        <dt>Trials</dt>
        <dd>
          {basis(result)}, in {format.elapsed(ms)} here
        </dd>
        <dt>Seed</dt>
        <dd class="with-buttons">
          <code>{result.seed}</code>
          <CopyButton text={result.seed} name="Copy the seed" />
          <button type="button" class="plain" aria-label="Run with a new seed" onClick={reroll}>
            <Icon name="die" />
          </button>
        </dd>
        <dt>Path</dt>
        <dd>{paths[e.path]}</dd>
        <dt>Replicas</dt>
        <dd>
          {format.count(e.replicas_simulated)} of {format.count(e.replicas)} simulated
          {e.replicas_simulated < e.replicas &&
            `; one of the others decided ${format.count(e.decided_by_residual)} of ${format.count(result.trials)} trials`}
        </dd>
        <dt>Sampling</dt>
        <dd>
          {samplings[e.sampling]}; {format.count(e.tasks)} tasks a replica
        </dd>
        <dt>Check</dt>
        <dd>
          {e.check
            ? `${format.count(e.check.trials)} trials again with every replica: ${signedPercent(e.check.mean_difference)} ± ${format.significant(100 * e.check.standard_error, 2)} % on average, ${format.significant(100 * e.check.largest_difference, 2)} % at most`
            : result.partial
              ? "after the trials"
              : "not needed: every replica is simulated"}
        </dd>
        <dt>Engine</dt>
        <dd>
          Prism {result.engine_version}, {app.workers} {app.workers === 1 ? "worker" : "workers"}
        </dd>
        <dt>Digest</dt>
        <dd class="with-buttons">
          {result.digest ? (
            <>
              <code>{result.digest}</code>
              <CopyButton text={result.digest} name="Copy the digest" />
            </>
          ) : (
            "when all is in"
          )}
        </dd>
      </dl>
      {result.notes.length > 0 && (
        <details>
          <summary>What the cost model chose</summary>
          <dl class="pairs">
            {result.notes.map((note, i) => (
              <Note key={i} {...note} />
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}

const signedPercent = (share: number) =>
  `${share < 0 ? "−" : "+"}${format.significant(Math.abs(100 * share), 2)} %`;

function Note({ about, text }: { about: string; text: string }) {
  return (
    <>
      <dt>{about}</dt>
      <dd>{text}</dd>
    </>
  );
}

const shownValue = (value: unknown) => {
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
};

export function Assumptions({ result }: { result: Result }) {
  const [all, setAll] = useState(false);
  const list = result.assumptions;
  const few = 12;
  if (list.length === 0) return null;
  return (
    <section class="card wide">
      <header>
        <h2>Assumed, not written in the scenario</h2>
      </header>
      <p class="reading">
        {format.count(list.length)} values come from presets, from rules or from defaults. Write any of them
        in the text to change it.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section class="table-scroll" aria-label="Assumed values" tabIndex={0}>
        <table class="prose">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Value</th>
              <th scope="col">From</th>
              <th scope="col">Source</th>
            </tr>
          </thead>
          <tbody>
            {(all ? list : list.slice(0, few)).map((a) => (
              <tr key={a.pointer}>
                <th scope="row">
                  <code>{a.pointer}</code>
                </th>
                <td>
                  <code>{shownValue(a.value)}</code>
                </td>
                <td>{a.origin}</td>
                <td>{a.source}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {list.length > few && (
        <button type="button" class="plain" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `Show all ${list.length}`}
        </button>
      )}
    </section>
  );
}

/** `label` tells several on one page apart. */
export function Warnings({ warnings, label = "Warnings" }: { warnings: Diagnostic[]; label?: string }) {
  if (warnings.length === 0) return null;
  return (
    <section class="notice warning" aria-label={label}>
      {warnings.map((w, i) => (
        <p key={i}>
          <strong>{sentence(w.message)}</strong>
          {w.hint && (
            <>
              <br />
              {sentence(w.hint)}
            </>
          )}
        </p>
      ))}
    </section>
  );
}
