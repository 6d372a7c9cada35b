import type { ReactNode } from "react";
import { SCENARIO_DIALOG } from "./scenario-dialog";

/**
 * Opens the scenario dialog. Browsers that know invoker commands do so without
 * JavaScript; for the others the site's script does.
 */
export function TryButton({ className, children }: { className: string; children: ReactNode }) {
  const invoker = { command: "show-modal", commandfor: SCENARIO_DIALOG };
  return (
    <button type="button" className={className} {...invoker}>
      {children}
    </button>
  );
}
