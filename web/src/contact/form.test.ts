import { readFileSync } from "node:fs";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeEach, expect, test, vi } from "vitest";
import { CallError } from "../api/call-error";
import { ContactForm } from "../pages/contact/contact-form";
import { mindContactForm } from "./form";
import { messageSchema } from "./message-schema";

const sendContact = vi.fn<(fields: Record<string, string>, key: string) => Promise<void>>();

const one = <T extends HTMLElement>(selector: string) => document.querySelector(selector) as T;
const form = () => one<HTMLFormElement>("form");
const field = (name: string) => form().elements.namedItem(name) as HTMLInputElement;
const problem = (name: string) => one(`[data-problem=${name}]`);
const toast = () => document.querySelector(".toast")?.textContent ?? "";

function open() {
  document.body.innerHTML = renderToStaticMarkup(createElement(ContactForm));
  mindContactForm(form(), { calls: { sendContact }, shelf: () => sessionStorage });
}

function write(fields: Record<string, string>) {
  for (const [name, value] of Object.entries(fields)) {
    field(name).value = value;
    field(name).dispatchEvent(new Event("input", { bubbles: true }));
  }
}

const GOOD = { name: "Ada Okoye", email: "ada@hospital.test", reason: "demo", message: "We train nurses." };

const submit = async () => {
  form().dispatchEvent(new Event("submit", { cancelable: true, bubbles: true }));
  await new Promise((done) => setTimeout(done));
};

beforeEach(() => {
  sessionStorage.clear();
  sendContact.mockReset().mockResolvedValue();
  open();
});

test("a message is sent with all that was typed, thanked for, and the form is empty again", async () => {
  write(GOOD);
  await submit();
  expect(sendContact).toHaveBeenCalledWith({ ...GOOD, organization: "", reference: "" }, expect.any(String));
  expect(toast()).toContain("Message Sent! ✓");
  expect(toast()).toContain("we will respond within 24 hours");
  expect(field("message").value).toBe("");
  expect(sessionStorage).toHaveLength(0);
});

test("what is missing is said at its field, and the first one gets the focus", async () => {
  write({ ...GOOD, name: " ", email: "nobody", message: "" });
  await submit();
  expect(sendContact).not.toHaveBeenCalled();
  for (const name of ["name", "email", "message"]) {
    expect(problem(name).hidden, name).toBe(false);
    expect(problem(name).textContent, name).not.toBe("");
    expect(field(name).getAttribute("aria-invalid"), name).toBe("true");
  }
  expect(problem("organization").hidden).toBe(true);
  expect(document.activeElement).toBe(field("name"));
  write({ name: "Ada" });
  expect(problem("name").hidden, "corrected while typing").toBe(true);
});

test("a reason has to be chosen, an organization need not be given", async () => {
  write({ ...GOOD, reason: "" });
  await submit();
  expect(problem("reason").hidden).toBe(false);
  write({ reason: "pricing" });
  await submit();
  expect(sendContact).toHaveBeenCalledTimes(1);
});

test("a failure keeps every word, says whom to write to, and a repetition has the same key", async () => {
  form().dataset.email = "hello@simora.test";
  sendContact.mockRejectedValueOnce(new CallError("network", ""));
  write(GOOD);
  await submit();
  expect(toast()).toContain("Failed to Send");
  expect(toast()).toContain("Please try again or email us directly at hello@simora.test");
  expect(field("message").value).toBe(GOOD.message);
  await submit();
  expect(sendContact.mock.calls[1]?.[1]).toBe(sendContact.mock.calls[0]?.[1]);
  write({ ...GOOD, message: "Another one." });
  await submit();
  expect(sendContact.mock.calls[2]?.[1]).not.toBe(sendContact.mock.calls[0]?.[1]);
});

test("what only the server finds wrong is said at the field too", async () => {
  sendContact.mockRejectedValueOnce(new CallError("validation_failed", "email: Enter your email address."));
  write(GOOD);
  await submit();
  expect(problem("email").textContent).toContain("Enter your email address.");
  expect(document.activeElement).toBe(field("email"));
});

test("a second submit while the first is on its way is ignored", async () => {
  let arrive = () => {};
  sendContact.mockReturnValueOnce(new Promise((done) => (arrive = done)));
  write(GOOD);
  await submit();
  await submit();
  arrive();
  await submit();
  expect(sendContact).toHaveBeenCalledTimes(1);
});

test("a reload brings back what was typed; a browser without storage writes on", () => {
  write({ message: "Half a sent" });
  open();
  expect(field("message").value).toBe("Half a sent");
  document.body.innerHTML = renderToStaticMarkup(createElement(ContactForm));
  mindContactForm(form(), {
    calls: { sendContact },
    shelf: () => {
      throw new Error("forbidden");
    },
  });
  write({ message: "Still here" });
  expect(field("message").value).toBe("Still here");
});

test("the server's schema is the one made of this form's", () => {
  expect(readFileSync("../server/contact/message.schema.json", "utf8"), "npm run schema writes it").toBe(
    messageSchema(),
  );
});
