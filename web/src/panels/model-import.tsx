// SPDX-License-Identifier: Apache-2.0
// What a Hugging Face config.json says of a model: where every figure comes from, and what becomes of its layers.
import { useEffect, useState } from "preact/hooks";
import { useController } from "../app/context";
import { fittingRules, type ImportedModel, type ModelImport, withModel } from "../base/model-import";
import { layersText } from "../base/sentences";
import { importModel } from "../engine/evidence";
import { Dialog } from "../ui/dialog";
import { DataTable } from "../ui/table";

export function ModelDialog({ file, onClose }: { file: File; onClose: () => void }) {
  const app = useController();
  const [read, setRead] = useState<{ imported: ModelImport; stages: number } | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    file
      .text()
      .then(async (text) => {
        const { stages } = app;
        return { imported: JSON.parse(await importModel(text, stages)) as ModelImport, stages };
      })
      .then(setRead, (error) => setFailure(error instanceof Error ? error.message : String(error)));
  }, [file]);
  const imported = read?.imported;
  return (
    <Dialog title={`Model: ${file.name}`} onClose={onClose}>
      {failure !== null && <p role="alert">{`${file.name} was not read: ${failure}.`}</p>}
      {imported && !imported.ok && (
        <div role="alert">
          {imported.errors.map((e) => (
            <p key={e.pointer + e.message}>
              {e.pointer && <code>{e.pointer}</code>} {e.message}. {e.hint}
            </p>
          ))}
        </div>
      )}
      {imported?.ok && <Found imported={imported} stages={read!.stages} name={file.name} onClose={onClose} />}
    </Dialog>
  );
}

function Found({
  imported,
  stages,
  name,
  onClose,
}: {
  imported: ImportedModel;
  stages: number;
  name: string;
  onClose: () => void;
}) {
  const app = useController();
  const rules = fittingRules(imported);
  const [rule, setRule] = useState(rules[0]?.rule ?? "even");
  const use = () => {
    app.edit(withModel(app.state.doc.text, imported, rule), `taking the model of ${name}`);
    onClose();
  };
  return (
    <>
      <p class="reading">
        {String(imported.model.layers)} layers on the {stages} virtual stages of this scenario. The rest of
        the scenario stays as it is.
      </p>
      <fieldset class="document">
        <legend>Layers on the stages</legend>
        {imported.layers.map((l) => {
          const fits = l.layers_per_virtual_stage.length > 0;
          return (
            <label key={l.rule} class="layer-rule">
              <input
                type="radio"
                name="layer rule"
                checked={l.rule === rule}
                disabled={!fits}
                onChange={() => setRule(l.rule)}
              />{" "}
              <code>{l.rule}</code>:{" "}
              {fits ? layersText(l.layers_per_virtual_stage) : `refused, ${l.condition}`}
            </label>
          );
        })}
      </fieldset>
      <p class="buttons">
        <button type="button" class="primary" onClick={use}>
          Use this model
        </button>
      </p>
      <DataTable
        caption="Where every figure comes from"
        table={{
          headings: ["Figure", "Value", "From"],
          keys: ["field", "value", "from"],
          rows: imported.account.map((e) => ({ shown: [e.field, e.value, e.from], exact: [] })),
        }}
      />
      {imported.left_out.length > 0 && (
        <>
          <h3>Left out</h3>
          <ul>
            {imported.left_out.map((part) => (
              <li key={part}>{part}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
