import { hydrate } from "../lib/hydrate";
import { ScenarioWidget } from "./widget";

export const wake = (root: HTMLElement) => hydrate(root, ScenarioWidget);
