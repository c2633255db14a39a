// SPDX-License-Identifier: Apache-2.0
// The answer: what a person reads in the first ten seconds.
import type { ComponentChildren } from "preact";
import { useSelect } from "../app/context";
import { isStale } from "../app/state";
import { ReproductionNote, Status } from "../app/status";
import * as format from "../base/format";
import type { Result } from "../base/result";
import {
  answer as answerText,
  deterministicText,
  headlineText,
  intervalText,
  isConstant,
} from "../base/sentences";
import { Warnings } from "./facts";
import { Headline } from "./headline";

export function AnswerView({ children }: { children: ComponentChildren }) {
  const answer = useSelect((s) => s.answer);
  const stale = useSelect(isStale);
  const refusal = useSelect((s) => s.refusal);
  const failing = useSelect((s) => s.errors.length > 0);
  const planned = useSelect((s) =>
    s.run.phase === "held" || s.run.phase === "running" ? s.run.plan.title : "",
  );
  if (refusal) return null;
  if (!answer) {
    return (
      <section>
        <h1>{planned || "How long does a training step take?"}</h1>
        <p class="lead waiting">{failing ? "The scenario cannot be computed yet." : "…"}</p>
        <Status />
        {children}
      </section>
    );
  }
  const { result } = answer;
  const text = answerText(result);
  return (
    <section>
      <h1>{result.title || "Untitled scenario"}</h1>
      <div data-stale={stale || undefined}>
        <p class="lead" data-testid="lead">
          {text.lead[0]}
          <strong>{text.lead[1]}</strong>
          {text.lead[2]} <span class="lead-rest">{text.rest}</span>
        </p>
        {text.guarantee && <p class="guarantee">{text.guarantee}</p>}
      </div>
      <Status />
      {children}
      <ReproductionNote />
      <Warnings warnings={result.warnings} />
      <div data-stale={stale || undefined}>
        <Headlines result={result} />
      </div>
    </section>
  );
}

function Headlines({ result }: { result: Result }) {
  const { step_time_s: step, throughput, layout } = result;
  return (
    <dl class="headlines">
      {isConstant(step) ? null : (
        <>
          <Headline name="Median" value={headlineText(step, "p50")} note={intervalText(step, "p50")} />
          <Headline name="p95" value={headlineText(step, "p95")} note={intervalText(step, "p95")} />
          <Headline name="p99" value={headlineText(step, "p99")} note={intervalText(step, "p99")} />
        </>
      )}
      <Headline
        name="Without variability"
        value={deterministicText(step)}
        note="every factor at its median"
      />
      {throughput && (
        <Headline
          name="Throughput"
          value={`${format.short(throughput.tokens_per_s)} tokens/s`}
          note={`MFU ${format.percent(throughput.mfu)}`}
        />
      )}
      <Headline
        name="Size"
        value={`${format.count(layout.gpus)} ${layout.gpus === 1 ? "GPU" : "GPUs"}`}
        note={`${format.count(layout.nodes)} ${layout.nodes === 1 ? "node" : "nodes"}`}
      />
    </dl>
  );
}
