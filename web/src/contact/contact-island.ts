import { browser } from "../api/browser";
import { openCalls } from "../api/calls";
import { mindContactForm } from "./form";

/** Makes the contact form alive. */
export async function wake(form: HTMLElement): Promise<void> {
  mindContactForm(form as HTMLFormElement, { calls: openCalls(browser()), shelf: () => sessionStorage });
}
