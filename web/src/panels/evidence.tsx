// SPDX-License-Identifier: Apache-2.0
// A file of measurements: read, shown, and made into a scenario.
import { useEffect, useRef, useState } from "preact/hooks";
import { download, fileName } from "../app/browser";
import { useController } from "../app/context";
import { type Evidence, evidenceOrigin, type Found, type Rest } from "../base/evidence";
import { type Import, importFile } from "../engine/evidence";
import { Dialog } from "../ui/dialog";
import { Icon } from "../ui/icons";
import { AccountView, Details, From, ValidationView } from "./evidence-views";

export { prepareReader } from "../engine/evidence";

export function EvidenceDialog({ file, onClose }: { file: File; onClose: () => void }) {
  const [share, setShare] = useState(0);
  const [found, setFound] = useState<Found | null>(null);
  const [rest, setRest] = useState<Rest | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [drawing, setDrawing] = useState(false);
  const reading = useRef<Import | null>(null);
  useEffect(() => {
    setShare(0);
    setFound(null);
    setRest(null);
    setFailure(null);
    setDrawing(false);
    const begun = importFile(file, {
      progress: setShare,
      found: setFound,
      rest: setRest,
      timeline(text) {
        setDrawing(false);
        download(fileName(file.name, "timeline.json"), "application/json", text);
      },
      failed: setFailure,
    });
    reading.current = begun;
    return begun.end;
  }, [file]);
  const timeline = () => {
    setDrawing(true);
    reading.current?.askTimeline();
  };
  return (
    <Dialog title={`Evidence: ${file.name}`} onClose={onClose}>
      {failure !== null && (
        <p role="alert">{`${file.name} was not read${found ? " to the end" : ""}: ${failure}.`}</p>
      )}
      {!found && failure === null && (
        <p>
          <progress max={1} value={share} aria-label={`Reading ${file.name}`} /> Reading, in this browser only
        </p>
      )}
      {found && !found.ok && (
        <div role="alert">
          {found.errors.map((error) => (
            <p key={error.message}>
              {file.name} was not read: {error.message}. {error.hint}
            </p>
          ))}
        </div>
      )}
      {found?.ok && (
        <>
          <AccountView account={found.evidence.account} />
          <Actions
            file={file}
            evidence={found.evidence}
            rest={rest}
            timeline={drawing || failure !== null ? null : timeline}
            onClose={onClose}
          />
          <From.Provider value={evidenceOrigin(file.name, found.evidence.account)}>
            <Details evidence={found.evidence} />
            {rest?.validation && <ValidationView validation={rest.validation} />}
          </From.Provider>
          {!rest && failure === null && found.evidence.kind === "operator_trace" && (
            <p class="hint" role="status">
              Predicting held-out steps…
            </p>
          )}
        </>
      )}
    </Dialog>
  );
}

/** Kinds that become a scenario. */
const becomes: Evidence["kind"][] = ["operator_trace", "launch_arguments"];

function Actions({
  file,
  evidence,
  rest,
  timeline,
  onClose,
}: {
  file: File;
  evidence: Evidence;
  /** Null until it is known. */
  rest: Rest | null;
  /** Null while it cannot be asked for. */
  timeline: (() => void) | null;
  onClose: () => void;
}) {
  const app = useController();
  const asScenario = (text: string) => {
    app.openText(`${file.name} as a scenario`, text, "turning measurements into a scenario");
    onClose();
  };
  const why = rest ? undefined : "Not before the held-out steps are predicted";
  return (
    <p class="buttons">
      {(rest ? rest.scenario !== null : becomes.includes(evidence.kind)) && (
        <button
          type="button"
          class="primary"
          disabled={!rest}
          title={why}
          onClick={() => rest?.scenario && asScenario(rest.scenario)}
        >
          Open it as a scenario
        </button>
      )}
      {evidence.kind === "operator_trace" && (
        <button type="button" disabled={!timeline} onClick={() => timeline?.()}>
          <Icon name="download" /> A step for Perfetto
        </button>
      )}
      <button
        type="button"
        disabled={!rest}
        title={why}
        onClick={() =>
          download(
            fileName(file.name, "evidence.json"),
            "application/json",
            JSON.stringify({
              evidence: { ...evidence, input_error: rest?.input_error ?? undefined },
              validation: rest?.validation,
            }),
          )
        }
      >
        <Icon name="download" /> Everything, JSON
      </button>
    </p>
  );
}
