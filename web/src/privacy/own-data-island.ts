import { browser } from "../api/browser";
import { openCalls } from "../api/calls";
import { showOwnData } from "./own-data";

/** Fills the page that a mailed link leads to. */
export async function wake(page: HTMLElement): Promise<void> {
  await showOwnData(page, openCalls(browser()), location.hash.slice(1));
}
