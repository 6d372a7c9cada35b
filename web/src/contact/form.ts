import * as v from "valibot";
import { CallError } from "../api/call-error";
import type { Calls } from "../api/calls";
import { newKey } from "../api/new-key";
import { toast } from "../ui/toast";
import { ContactMessage, type Field } from "./message";
import { NOT_SENT } from "./words";

const FIELDS = Object.keys(ContactMessage.entries) as Field[];

/** Where a message that is being written is kept, until it is sent or the tab is closed. */
const DRAFT = "contact-draft";

/** What the form needs of the world. */
export interface Surroundings {
  calls: Pick<Calls, "sendContact">;
  shelf: () => Storage;
}

/**
 * Checks, keeps and sends what is written in the contact form. What was typed
 * stays until the server has it: on a failure in the form, on a reload in the
 * tab's storage.
 */
export function mindContactForm(form: HTMLFormElement, { calls, shelf }: Surroundings): void {
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
  const sent = form.querySelector<HTMLElement>("[data-sent]");
  let sending = false;
  // One key for one message, however often it is tried; another message gets another.
  let key = newKey();
  let keyed = "";

  restore(form, shelf);

  form.addEventListener("input", (event) => {
    keep(form, shelf);
    const field = (event.target as HTMLInputElement).name as Field;
    if (problemOf(form, field)?.hidden === false) {
      show(form, field, complaints(form)[field]);
    }
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (sending) {
      return;
    }
    const fields = typed(form);
    const found = complaints(form);
    for (const field of FIELDS) {
      show(form, field, found[field]);
    }
    if (focusFirst(form, found)) {
      return;
    }
    const written = JSON.stringify(fields);
    if (written !== keyed) {
      key = newKey();
      keyed = written;
    }
    sending = true;
    label(button, "Sending…", true);
    sent?.replaceChildren();
    try {
      await calls.sendContact(fields, key);
      form.reset();
      forget(shelf);
      keyed = "";
      const thanks = "Thank you. We have your message and we will respond within 24 hours.";
      sent?.replaceChildren(thanks);
      toast({ title: "Message Sent! ✓", text: thanks });
    } catch (problem) {
      refuse(form, problem);
    } finally {
      sending = false;
      label(button, "Send message", false);
    }
  });
}

function refuse(form: HTMLFormElement, problem: unknown): void {
  // What the browser let through and the server did not is said at the field too.
  const said = problem instanceof CallError && problem.code === "validation_failed" ? problem.message : "";
  const fields = FIELDS.filter((field) => said.startsWith(`${field}:`) || said.includes(` ${field}:`));
  for (const field of fields) {
    show(form, field, said.slice(said.indexOf(`${field}:`) + field.length + 1).trim());
  }
  toast({ ...NOT_SENT, text: `${NOT_SENT.text} ${form.dataset.email ?? ""}`, destructive: true });
  focusFirst(form, Object.fromEntries(fields.map((field) => [field, said])));
}

/** All that is in the form, the field that people do not see included. */
function typed(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
}

/** What is wrong, by field, in the words of the schema. */
function complaints(form: HTMLFormElement): Partial<Record<Field, string>> {
  const result = v.safeParse(ContactMessage, typed(form));
  if (result.success) {
    return {};
  }
  const wrong = Object.keys(v.flatten<typeof ContactMessage>(result.issues).nested ?? {}) as Field[];
  return Object.fromEntries(wrong.map((field) => [field, wordsFor(field)]));
}

function wordsFor(field: Field): string {
  const entry = ContactMessage.entries[field];
  return v.getDescription(entry.type === "optional" ? entry.wrapped : entry) ?? "";
}

const input = (form: HTMLFormElement, field: string) => form.elements.namedItem(field) as HTMLInputElement | null;
const problemOf = (form: HTMLFormElement, field: Field) => form.querySelector<HTMLElement>(`[data-problem="${field}"]`);

function show(form: HTMLFormElement, field: Field, words: string | undefined): void {
  const problem = problemOf(form, field);
  input(form, field)?.setAttribute("aria-invalid", String(words !== undefined));
  if (problem) {
    problem.hidden = words === undefined;
    problem.textContent = words ?? "";
  }
}

function focusFirst(form: HTMLFormElement, found: Partial<Record<Field, string>>): boolean {
  const first = FIELDS.find((field) => found[field] !== undefined);
  if (first) {
    input(form, first)?.focus();
  }
  return first !== undefined;
}

function label(button: HTMLButtonElement | null, text: string, busy: boolean): void {
  if (button) {
    button.textContent = text;
    button.setAttribute("aria-disabled", String(busy));
  }
}

function keep(form: HTMLFormElement, shelf: () => Storage): void {
  try {
    shelf().setItem(DRAFT, JSON.stringify(typed(form)));
  } catch {
    // No storage: a reload loses what was typed, as everywhere.
  }
}

function restore(form: HTMLFormElement, shelf: () => Storage): void {
  try {
    const draft = JSON.parse(shelf().getItem(DRAFT) ?? "{}") as Record<string, unknown>;
    for (const [name, value] of Object.entries(draft)) {
      const field = input(form, name);
      if (field && field.value === "" && typeof value === "string") {
        field.value = value;
      }
    }
  } catch {
    // Nothing that can be read was kept.
  }
}

function forget(shelf: () => Storage): void {
  try {
    shelf().removeItem(DRAFT);
  } catch {
    // There was nothing to forget.
  }
}
