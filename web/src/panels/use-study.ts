// SPDX-License-Identifier: Apache-2.0
// One study at a time from a panel: what runs, how far it is, and why it could not be.
import { useEffect, useState } from "preact/hooks";
import type { Diagnostic } from "../base/result";
import type { Study } from "../base/study";
import { type RunningStudy, StudyRefused } from "../engine/study";
import { begin, shortened } from "./begin";

/** Of each variant: as many as one waits for without a thought, or as many as the scenario asks for. */
export type Trials = "few" | "as asked";

interface Options {
  trials?: Trials;
  refusal?: (errors: Diagnostic[]) => string;
}

export function useStudy() {
  const [running, setRunning] = useState<RunningStudy | null>(null);
  const [share, setShare] = useState(0);
  const [fault, setFault] = useState("");
  useEffect(() => () => running?.cancel(), [running]);

  const stop = () => {
    running?.cancel();
    setRunning(null);
  };
  /**
   * `question` may throw where the text is no scenario. `trials`: of each variant, where there are several. `refusal`:
   * how to say why the core refuses it.
   */
  const start = (
    text: string,
    question: () => object,
    found: (answer: Study) => void,
    { trials = "few", refusal }: Options = {},
  ) => {
    setFault("");
    setShare(0);
    let study: RunningStudy;
    try {
      study = begin(trials === "few" ? shortened(text) : text, question(), setShare);
    } catch {
      return setFault("The text is not a scenario yet.");
    }
    setRunning(study);
    study.answer.then(
      (answer) => {
        found(answer);
        setRunning(null);
      },
      (error) => {
        if (error instanceof StudyRefused && refusal) setFault(refusal(error.errors));
        else setFault(error instanceof Error ? error.message : String(error));
        setRunning(null);
      },
    );
  };
  return { running: running !== null, share, fault, setFault, start, stop };
}
