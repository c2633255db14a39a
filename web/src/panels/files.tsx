// SPDX-License-Identifier: Apache-2.0
// The files of a chart or a table: pictures, and the rows behind them.
import { download, fileName, png, whole } from "../app/browser";
import { useController, useSelect } from "../app/context";
import { isSettled } from "../app/state";
import { csv, json, type Origin, studyOrigin, svgFile } from "../base/exports";
import type { Table } from "../base/tables";
import * as palettes from "../charts/palette";
import { Icon } from "../ui/icons";

const file_width = 760;

/** Null unless `text`, which was played, is what the finished result on show belongs to. */
export function useStudyOrigin(text: string, study: Parameters<typeof studyOrigin>[0]): Origin | null {
  const app = useController();
  const answer = useSelect((s) => (isSettled(s) ? s.answer : null));
  const link = answer?.text === text && app.link();
  return answer && link ? studyOrigin(study, answer.result.engine_version, whole(link)) : null;
}

export interface FilesProps {
  /** Heading of the chart or table. */
  title: string;
  /** End of the file's name, before the type. */
  stem: string;
  /** Null where the figures belong to no finished result any more: then there is no file. */
  origin: Origin | null;
  table: () => Table;
  /** Left out where there is only a table. */
  draw?: (width: number, palette: palettes.Palette) => Element | Promise<Element>;
}

export function Files({ title, stem, origin, table, draw }: FilesProps) {
  const save = async (type: string) => {
    if (!origin) return;
    const name = fileName(origin.title, `${stem}.${type}`);
    if (type === "csv") return download(name, "text/csv;charset=utf-8", csv(title, table(), origin));
    if (type === "json") return download(name, "application/json", json(title, table(), origin));
    if (!draw) return;
    const drawing = await draw(file_width, palettes.file);
    // As XML: HTML would write entities that an SVG file does not know.
    const markup = new XMLSerializer().serializeToString(drawing);
    const size = { width: file_width, height: Number(drawing.getAttribute("height")) };
    const file = svgFile({ markup, ...size }, title, origin);
    if (type === "svg") download(name, "image/svg+xml", file);
    else download(name, "image/png", await png(file));
  };
  return (
    <span class="files">
      {[...(draw ? ["svg", "png"] : []), "csv", "json"].map((type) => (
        <button
          key={type}
          type="button"
          class="plain"
          disabled={origin === null}
          aria-label={`Download ${title.toLowerCase()} as ${type.toUpperCase()}`}
          onClick={() => void save(type)}
        >
          <Icon name="download" /> {type.toUpperCase()}
        </button>
      ))}
    </span>
  );
}
