// SPDX-License-Identifier: Apache-2.0
// One line under the answer: what is being computed, what the numbers rest on, and the button that goes with it.
import * as format from "../base/format";
import { answer as answerText, basis } from "../base/sentences";
import { useController, useSelect } from "./context";
import { isStale, reproduction, type State } from "./state";

export function Status() {
  const app = useController();
  const state = useSelect((s) => s);
  const { run } = state;
  const running = run.phase === "running" || run.phase === "preparing";
  const fraction = run.phase === "running" ? run.fraction : 0;
  return (
    <div class="status" data-running={running || undefined}>
      <p>
        {statusText(state)}
        {running && (
          <button type="button" class="small" onClick={() => app.cancel()}>
            Cancel
          </button>
        )}
        {(run.phase === "held" || run.phase === "cancelled" || run.phase === "failed") && (
          <button type="button" class="small primary" onClick={() => app.runNow()}>
            {run.phase === "held" ? "Run" : "Run again"}
          </button>
        )}
      </p>
      <progress
        value={running ? fraction : 0}
        max={1}
        aria-label="Progress of the run"
        aria-hidden={!running}
        data-running={running || undefined}
      />
    </div>
  );
}

const older = "the numbers belong to the settings before the last change";

function statusText(state: State): string {
  const { run, answer, errors } = state;
  const stale = isStale(state);
  switch (run.phase) {
    case "preparing":
      return answer ? `Computing; ${older}. ` : "Computing… ";
    case "running": {
      if (!answer || stale) return stale ? `Computing; ${older}. ` : "Computing… ";
      const left = run.secondsLeft === null ? "" : `, ${format.timeLeft(run.secondsLeft)} left`;
      return answer.result.trials < answer.result.trials_asked
        ? `From the ${basis(answer.result)}${left}. `
        : `From ${basis(answer.result)}; working out where the time goes${left}. `;
    }
    case "held":
      return `${format.timeLeft(run.seconds)} of computing, so it waits for you. `;
    case "cancelled":
      return !answer || stale
        ? `Stopped${answer ? `; ${older}` : ""}. `
        : `Stopped; from the ${basis(answer.result)}. `;
    case "failed":
      return `The engine stopped: ${run.message}. ${stale ? `Note: ${older}. ` : ""}`;
    default:
  }
  if (errors.length > 0)
    return answer ? "The scenario has errors; the numbers belong to the last one without." : "";
  if (!answer) return "";
  return `From ${basis(answer.result)}, computed here in ${format.elapsed(answer.ms)}. Seed ${answer.result.seed}.`;
}

/** For those who do not see the page: what has settled, once. */
export function Announcements() {
  const state = useSelect((s) => s);
  const { run, answer, errors, refusal } = state;
  let text = "";
  if (refusal) text = refusal.kind === "link" ? refusal.fault.message : refusal.message;
  else if (errors.length > 0)
    text = `${errors.length} ${errors.length === 1 ? "error" : "errors"} in the scenario`;
  else if (run.phase === "cancelled") text = "Stopped";
  else if (run.phase === "idle" && answer && !isStale(state)) text = answerText(answer.result).lead.join("");
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  );
}

/** Says whether a link or file gave the numbers it promised. */
export function ReproductionNote() {
  const state = useSelect((s) => s);
  const outcome = reproduction(state);
  if (!outcome) return null;
  return outcome.kind === "exact" ? (
    <p class="notice good">
      <strong>Reproduced exactly.</strong> Every number is the one that was shared (digest{" "}
      <code>{outcome.digest}</code>).
    </p>
  ) : (
    <p class="notice warning">
      <strong>Not the shared numbers.</strong> {outcome.text}
    </p>
  );
}
