import { browser } from "../api/browser";
import { readStatus } from "../api/privacy-status";
import { showStatus } from "./status";

/** Shows beside each claim how it stands. */
export async function fill(page: ParentNode): Promise<void> {
  const status = await readStatus(browser());
  if (status) {
    showStatus(page, status);
  }
}
