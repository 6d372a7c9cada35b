import * as v from "valibot";
import { CallError } from "../api/call-error";
import type { Calls } from "../api/calls";
import { ContactMessage } from "../contact/message";
import { toast } from "../ui/toast";

const EMAIL = ContactMessage.entries.email;

/** Sends a link to the address in the form. The answer is the same whether anything is kept about it. */
export function mindDataRequest(form: HTMLFormElement, calls: Pick<Calls, "askForOwnData">): void {
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
  const input = form.elements.namedItem("email") as HTMLInputElement;
  const problem = form.querySelector<HTMLElement>("[data-problem]");
  const sent = form.querySelector<HTMLElement>("[data-sent]");
  let sending = false;

  const complain = (words: string | undefined) => {
    input.setAttribute("aria-invalid", String(words !== undefined));
    if (problem) {
      problem.hidden = words === undefined;
      problem.textContent = words ?? "";
    }
    if (words !== undefined) {
      input.focus();
    }
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (sending) {
      return;
    }
    const address = v.safeParse(EMAIL, input.value);
    complain(address.success ? undefined : v.getDescription(EMAIL));
    if (!address.success) {
      return;
    }
    sending = true;
    button?.setAttribute("aria-disabled", "true");
    sent?.replaceChildren();
    try {
      await calls.askForOwnData(address.output);
      form.reset();
      sent?.replaceChildren(`A letter with the link is on its way to ${address.output}. It works for 24 hours.`);
    } catch (failure) {
      if (failure instanceof CallError && failure.code === "validation_failed") {
        complain(failure.message);
      } else {
        toast({ title: "Failed to Send", text: "Please try again in a moment.", destructive: true });
      }
    } finally {
      sending = false;
      button?.setAttribute("aria-disabled", "false");
    }
  });
}
