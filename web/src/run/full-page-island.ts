import { hydrate } from "../lib/hydrate";
import { FullPageRun } from "./full-page";

/** Makes the scenario page at `root` alive. */
export const wake = (root: HTMLElement) => hydrate(root, FullPageRun);
