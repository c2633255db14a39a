// SPDX-License-Identifier: Apache-2.0
// Share and download. Everything is made before the click that copies it, and only from a whole result that
// belongs to the text.
import { useRef } from "preact/hooks";
import { csv, markdown, originOf, type Provenance } from "../base/exports";
import { count } from "../base/format";
import { quantileTable } from "../base/tables";
import { CopyButton } from "../ui/copy";
import { Dialog } from "../ui/dialog";
import { Icon } from "../ui/icons";
import { download, fileName, png, whole } from "./browser";
import { useController, useSelect } from "./context";
import { commandLine } from "./documents";
import { isSettled } from "./state";

/** Lengths at which programs are known to cut links: Confluence at 2,048, chats near 4,000. */
const long_link = 2000;
const very_long_link = 4000;

export function Share({ onClose }: { onClose: () => void }) {
  const app = useController();
  const answer = useSelect((s) => s.answer);
  useSelect(isSettled);
  const fragment = app.link();
  if (fragment === null || !answer?.document) {
    return (
      <Dialog title="Share" onClose={onClose}>
        <p>
          There is no finished result of the present settings yet. Wait for the run to end, or mend the
          errors; then its link is here.
        </p>
      </Dialog>
    );
  }
  const link = whole(fragment);
  const provenance = { result: answer.result, link };
  const { title } = answer.result;
  const note =
    link.length > very_long_link
      ? "Many programs cut links of this length: send the file instead."
      : link.length > long_link
        ? "Some programs cut links of this length; the file is safer."
        : "";
  const saveJson = () =>
    download(fileName(title, "result.json"), "application/json", withLink(answer.document!, link));
  return (
    <Dialog title="Share this result" onClose={onClose}>
      <p>
        The link holds the scenario, the seed and the result’s digest. It is not stored anywhere: whoever
        opens it computes the same numbers again.
      </p>
      <Row label={`Link, ${count(link.length)} characters`} text={link} copy="Copy link" note={note} />
      <Row label="Markdown" text={markdown(provenance)} copy="Copy Markdown" />
      <Row label="Frame for a page, HTML" text={frame(title, fragment)} copy="Copy HTML" />
      <Row label="Command line" text={commandLine(link)} copy="Copy command" />
      <h3>Files</h3>
      <p class="buttons">
        <button type="button" onClick={saveJson}>
          <Icon name="download" /> Result, JSON
        </button>
        <button
          type="button"
          onClick={() => download(fileName(title, "scenario.json"), "application/json", answer.text)}
        >
          <Icon name="download" /> Scenario, JSON
        </button>
        <button
          type="button"
          onClick={() =>
            download(
              fileName(title, "quantiles.csv"),
              "text/csv;charset=utf-8",
              csv("Quantiles of the step time", quantileTable(answer.result), originOf(provenance)),
            )
          }
        >
          <Icon name="download" /> Quantiles, CSV
        </button>
        <button type="button" onClick={() => void saveCard(provenance)}>
          <Icon name="download" /> Picture for slides, PNG
        </button>
      </p>
      <p class="hint">
        Charts have their own SVG, PNG, CSV and JSON below each picture. A result file opens here again.
      </p>
    </Dialog>
  );
}

async function saveCard(provenance: Provenance) {
  const { drawCard } = await import("../charts/card");
  download(fileName(provenance.result.title, "card.png"), "image/png", await png(drawCard(provenance)));
}

function Row({ label, text, copy, note }: { label: string; text: string; copy: string; note?: string }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <div class="share-row">
      <label>
        <span>{label}</span>
        <input ref={field} type="text" readOnly value={text} onFocus={() => field.current?.select()} />
      </label>
      <CopyButton text={text} name={copy} label="Copy" />
      {note && <p class="hint">{note}</p>}
    </div>
  );
}

/** docs/embed.md says how the host may let it have its own height. */
function frame(title: string, fragment: string): string {
  const source = `${location.origin}${location.pathname}?embed=1${fragment}`;
  const name = (title || "Training step time").replace(/[&"<>]/g, (c) => `&#${c.charCodeAt(0)};`);
  return `<iframe src="${source}" title="Prism: ${name}" width="100%" height="760" style="border:0" loading="lazy"></iframe>`;
}

/** The core's document with the link beside it, as the last member. */
function withLink(document: string, link: string): string {
  return `${document.trimEnd().slice(0, -1)},"link":${JSON.stringify(link)}}\n`;
}
