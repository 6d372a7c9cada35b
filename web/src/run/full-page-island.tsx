import { hydrate } from "../lib/hydrate";
import { FullPageRun } from "./full-page";

/** Makes the scenario page at `root` alive. The brand is on `<html>`: the server puts it there. */
export const wake = (root: HTMLElement) =>
  hydrate(root, () => <FullPageRun brand={document.documentElement.dataset.brand ?? ""} />);
