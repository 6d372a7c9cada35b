import { onlineManager } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

const subscribe = (changed: () => void) => onlineManager.subscribe(changed);

/** Says that nothing can be loaded or saved now; what waits goes on by itself. */
export function Offline() {
  const online = useSyncExternalStore(subscribe, () => onlineManager.isOnline());
  return (
    <div role="status">
      {!online && (
        <p className="a-offline">
          You are offline. This page shows what was loaded last; what you save is sent when the connection is back.
        </p>
      )}
    </div>
  );
}
