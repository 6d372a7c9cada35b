import { hydrate } from "../lib/hydrate";
import { ScenarioWidget } from "./widget";

/** Makes the embedded scenario at `root` alive. */
export const wake = (root: HTMLElement) => hydrate(root, ScenarioWidget);
