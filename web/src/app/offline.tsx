// SPDX-License-Identifier: Apache-2.0
// After the first answer the page asks to be kept for use without a network, and says when a newer build is here.
import { useEffect, useRef, useState } from "preact/hooks";
import { useSelect } from "./context";

/** The worker of a newer build, once it is whole and waits to take over. */
function useNewerBuild(): ServiceWorker | null {
  const [newer, setNewer] = useState<ServiceWorker | null>(null);
  const answered = useRef(false);
  answered.current ||= useSelect((s) => s.answer?.document != null);
  const start = answered.current;
  useEffect(() => {
    // Not on insecure addresses, and not while the page is being reset.
    if (!start || !navigator.serviceWorker) return;
    if (new URLSearchParams(location.search).has("reset")) return;
    const watch = (registration: ServiceWorkerRegistration) => {
      const follow = () => {
        const worker = registration.installing ?? registration.waiting;
        // Without a controller this is the first visit: there is no older build on show.
        const tell = () =>
          worker?.state === "installed" && navigator.serviceWorker.controller && setNewer(worker);
        worker?.addEventListener("statechange", tell);
        tell();
      };
      registration.addEventListener("updatefound", follow);
      follow();
    };
    navigator.serviceWorker.register("./service-worker.js").then(watch, () => {
      // Storage forbidden or no network: the page works, only not offline.
    });
  }, [start]);
  return newer;
}

export function NewVersion() {
  const newer = useNewerBuild();
  const reload = () => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    newer?.postMessage("take over");
  };
  return (
    newer && (
      <section class="notice" aria-label="New version">
        <p>
          A new version of Prism is here. The scenario stays.{" "}
          <button type="button" class="small" onClick={reload}>
            Reload
          </button>
        </p>
      </section>
    )
  );
}
