import { hydrate } from "../lib/hydrate";
import { FullPageRun } from "./full-page";

/** Makes the scenario page at `root` alive. What the owner configures is on `<html>`: the server puts it there. */
export const wake = (root: HTMLElement) => {
  const { brand = "", retentionDays = "" } = document.documentElement.dataset;
  return hydrate(root, () => <FullPageRun brand={brand} retentionDays={retentionDays} />);
};
