// SPDX-License-Identifier: Apache-2.0
// A result can be pinned; what stands beside later ones then is a file of its own.
import { useView } from "./brought";
import { useController, useSelect } from "./context";
import { isSettled } from "./state";

export function Baseline() {
  const app = useController();
  const pinned = useSelect((s) => s.pinned !== null);
  const pinnable = useSelect(isSettled);
  const shown = useSelect((s) => s.answer !== null && s.refusal === null);
  if (!shown) return null;
  if (pinned) return <Pinned />;
  return (
    <p class="pin">
      <button type="button" class="small" disabled={!pinnable} onClick={() => app.pin()}>
        Pin this result
      </button>{" "}
      <span class="hint">as a baseline: each change is then set beside it</span>
    </p>
  );
}

function Pinned() {
  const app = useController();
  const Panel = useView<object>(
    () => import("../panels/baseline").then((m) => m.BaselinePanel),
    (why) => {
      app.unpin();
      app.refuseFile("The pinned baseline", why);
    },
  );
  return Panel && <Panel />;
}
