// SPDX-License-Identifier: Apache-2.0
// The evidence view is a file of its own, asked for with the first file of measurements.
import { useEffect, useState } from "preact/hooks";
import { useController } from "./context";

type View = typeof import("../panels/evidence").EvidenceDialog;

export function Evidence({ file, onClose }: { file: File; onClose: () => void }) {
  const app = useController();
  const [view, setView] = useState<View | null>(null);
  useEffect(() => {
    import("../panels/evidence").then(
      (module) => setView(() => module.EvidenceDialog),
      (error) => {
        app.refuseFile(file.name, `The view for it could not be fetched: ${String(error)}`);
        onClose();
      },
    );
  }, []);
  const EvidenceDialog = view;
  return EvidenceDialog && <EvidenceDialog file={file} onClose={onClose} />;
}
