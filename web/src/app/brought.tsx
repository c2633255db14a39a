// SPDX-License-Identifier: Apache-2.0
// Views that few visits need are files of their own, asked for when there is something to show.
import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useController } from "./context";
import type { Brought } from "./files";

type View<P> = FunctionComponent<P>;

/** The view once it is here; `failed` is told why it will not come. */
export function useView<P>(load: () => Promise<View<P>>, failed: (why: string) => void): View<P> | null {
  const [view, setView] = useState<View<P> | null>(null);
  useEffect(() => {
    load().then(
      (component) => setView(() => component),
      (error) => failed(`The view for it could not be fetched: ${String(error)}`),
    );
  }, []);
  return view;
}

const views = {
  evidence: () => import("../panels/evidence").then((m) => m.EvidenceDialog),
  model: () => import("../panels/model-import").then((m) => m.ModelDialog),
};

/** Fetches the reader of measurements while a file is being looked for; if it fails, opening the file says so. */
export const prepareReader = () =>
  void import("../panels/evidence").then(
    (m) => m.prepareReader(),
    () => {},
  );

export function BroughtView({ brought, onClose }: { brought: Brought; onClose: () => void }) {
  const app = useController();
  const { kind, file } = brought;
  const FileView = useView(views[kind], (why) => {
    app.refuseFile(file.name, why);
    onClose();
  });
  return FileView && <FileView file={file} onClose={onClose} />;
}

export function Validation({ onClose }: { onClose: () => void }) {
  const app = useController();
  const Dialog = useView<{ onClose: () => void }>(
    () => import("../panels/validation").then((m) => m.loadValidation()),
    (why) => {
      app.refuseFile("The validation table", why);
      onClose();
    },
  );
  return Dialog && <Dialog onClose={onClose} />;
}

export function Share({ onClose }: { onClose: () => void }) {
  const app = useController();
  const Dialog = useView<{ onClose: () => void }>(
    () => import("./share").then((m) => m.Share),
    (why) => {
      app.refuseFile("The dialog for sharing", why);
      onClose();
    },
  );
  return Dialog && <Dialog onClose={onClose} />;
}

export function LessonView({ name }: { name: string }) {
  const app = useController();
  const Panel = useView<{ name: string }>(
    () => import("../lessons/lesson-panel").then((m) => m.LessonPanel),
    (why) => app.refuseFile("The lesson", why),
  );
  return Panel && <Panel name={name} />;
}

export function Lessons({ onClose }: { onClose: () => void }) {
  const app = useController();
  const List = useView<{ onClose: () => void }>(
    () => import("../lessons/lesson-list").then((m) => m.LessonList),
    (why) => {
      app.refuseFile("The list of lessons", why);
      onClose();
    },
  );
  return List && <List onClose={onClose} />;
}
