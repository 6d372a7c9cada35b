import { browser } from "../api/browser";
import { openCalls } from "../api/calls";
import { mindDataRequest } from "./request";

/** Makes the form for a link to one's own data alive. */
export async function wake(form: HTMLElement): Promise<void> {
  mindDataRequest(form as HTMLFormElement, openCalls(browser()));
}
