import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerOf, OPENING, REPORT } from "./fixtures";
import { FullPageRun } from "./full-page";
import { ScenarioWidget } from "./widget";

/** The functions as a visitor's browser meets them. */
let refuse: Record<string, { status: number; error: string; code: string }>;
let asked: { name: string; body: Record<string, unknown>; key: string | null }[];
const realFetch = globalThis.fetch;

beforeEach(() => {
  refuse = {};
  asked = [];
  let turns = 0;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const name = request.url.split("/").at(-1) ?? "";
    const answer = (status: number, body: unknown) =>
      new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
    if (name === "config.json") {
      return answer(200, { publicKey: "k" });
    }
    asked.push({ name, body: await request.json(), key: request.headers.get("idempotency-key") });
    const refused = refuse[name];
    if (refused) {
      return answer(refused.status, refused);
    }
    const answers: Record<string, () => unknown> = {
      "session-start": () => OPENING,
      "session-turn": () => answerOf(++turns),
      "session-complete": () => REPORT,
      "send-report-email": () => ({ success: true }),
    };
    return answer(200, answers[name]?.());
  };
});

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  document.body.replaceChildren();
  globalThis.fetch = realFetch;
});

const button = (name: string | RegExp) => screen.findByRole("button", { name });
const input = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Your message" });
const made = (name: string) => asked.filter((call) => call.name === name);

async function startPage() {
  render(<FullPageRun brand="Brand" retentionDays="90" />);
  fireEvent.click(await button("Start Scenario"));
  return input();
}

async function startWidget() {
  render(<ScenarioWidget slug="healthcare-emergency" />);
  fireEvent.click(await button("Start Scenario"));
  fireEvent.click(await button("Begin Scenario"));
  return input();
}

async function say(text: string) {
  const box = await input();
  fireEvent.change(box, { target: { value: text } });
  fireEvent.keyDown(box, { key: "Enter" });
}

async function end() {
  fireEvent.click(await button("End Scenario Early"));
  fireEvent.click(await button("End Scenario"));
  await screen.findByRole("heading", { name: "Your report is ready" });
}

async function askFor(email: string) {
  fireEvent.change(screen.getByLabelText("Work email"), { target: { value: email } });
  fireEvent.click(await button("Send and show my report"));
}

describe("the conversation", () => {
  it("begins with the opening message, turn 1 and the focus in the input", async () => {
    const box = await startPage();
    expect(screen.getByText(OPENING.firstMessage)).toBeTruthy();
    expect(screen.getByRole("progressbar").getAttribute("aria-valuetext")).toBe("Turn 1 / 8");
    expect(document.activeElement).toBe(box);
  });

  it("sends with Enter, starts a line with Shift and Enter, and ignores blank text", async () => {
    const box = await startPage();
    fireEvent.change(box, { target: { value: "   " } });
    fireEvent.keyDown(box, { key: "Enter" });
    fireEvent.change(box, { target: { value: "Hello" } });
    // False: the key's own effect was prevented.
    expect(fireEvent.keyDown(box, { key: "Enter", shiftKey: true })).toBe(true);
    expect(box.value).toBe("Hello");
    expect(fireEvent.keyDown(box, { key: "Enter" })).toBe(false);
    await screen.findByText("Answer 1");
    expect(made("session-turn").map(({ body }) => body.userMessage)).toEqual(["Hello"]);
    expect(box.value).toBe("");
  });

  it("keeps the words of a failed turn and sends them again under the same key", async () => {
    const box = await startPage();
    refuse["session-turn"] = { status: 502, error: "The patient cannot answer right now.", code: "ai_unavailable" };
    await say("Chew this aspirin");
    await screen.findByText("The patient cannot answer right now.");
    expect(box.value).toBe("Chew this aspirin");
    refuse = {};
    fireEvent.keyDown(box, { key: "Enter" });
    await screen.findByText("Answer 1");
    expect(within(screen.getByRole("log")).getAllByText("Chew this aspirin")).toHaveLength(1);
    const [first, second] = made("session-turn");
    expect(second).toEqual(first);
  });
});

describe("the question before an early end", () => {
  it("stays open on a click outside and on Escape, and closes by its buttons", async () => {
    await startPage();
    fireEvent.click(await button("End Scenario Early"));
    const question = screen.getByRole("alertdialog");
    fireEvent.click(document.body);
    fireEvent.click(question);
    expect(fireEvent.keyDown(question, { key: "Escape" })).toBe(false);
    expect(fireEvent(question, new Event("cancel", { cancelable: true }))).toBe(false);
    expect(screen.getByRole("alertdialog")).toBe(question);
    fireEvent.click(await button("Continue Scenario"));
    expect(screen.queryByRole("alertdialog")).toBeNull();
    expect(made("session-complete")).toHaveLength(0);
  });
});

describe("the gate", () => {
  it("holds the report back until the mail is sent", async () => {
    await startPage();
    await end();
    expect(document.body.textContent).not.toContain(REPORT.coachSummary);
    await askFor("sam@hospital.example");
    await screen.findByText(REPORT.coachSummary);
    expect(document.activeElement?.tagName).toBe("H1");
  });

  it.each(["", "sam", "sam@hospital", "sam @hospital.example"])("sends nothing to %j", async (email) => {
    await startPage();
    await end();
    await askFor(email);
    expect(screen.getByLabelText("Work email").getAttribute("aria-invalid")).toBe("true");
    expect(made("send-report-email")).toHaveLength(0);
  });

  it("can be closed and opened again", async () => {
    await startPage();
    await end();
    fireEvent.click(await button("Close"));
    expect(screen.queryByRole("dialog")).toBeNull();
    fireEvent.click(await button("Get my report"));
    expect(screen.getByRole("dialog")).toBeTruthy();
  });

  it("stays locked on the page when the mail failed", async () => {
    await startPage();
    await end();
    refuse["send-report-email"] = { status: 502, error: "The mail server refused.", code: "email_failed" };
    await askFor("sam@hospital.example");
    await screen.findByText("The mail server refused.");
    expect(screen.getByRole("dialog")).toBeTruthy();
    expect(document.body.textContent).not.toContain(REPORT.coachSummary);
  });

  it("opens in the widget although the mail failed, and says so", async () => {
    await startWidget();
    await end();
    refuse["send-report-email"] = { status: 502, error: "The mail server refused.", code: "email_failed" };
    await askFor("sam@hospital.example");
    await screen.findByText(REPORT.coachSummary);
    expect(screen.getByText("We couldn't send the email at this time.")).toBeTruthy();
  });
});

it("shows the widget's three best dimensions, best first, with capitals", async () => {
  await startWidget();
  await end();
  await askFor("sam@hospital.example");
  await screen.findByText(REPORT.coachSummary);
  const names = screen.getAllByRole("img", { name: /of 100/ }).map((bar) => bar.previousElementSibling?.firstChild);
  expect(names.map((heading) => heading?.textContent)).toEqual(["Empathy", "Clarity", "Decision Quality"]);
});

it("takes the run up again after a reload", async () => {
  await startPage();
  await say("Hello");
  await screen.findByText("Answer 1");
  cleanup();
  render(<FullPageRun brand="Brand" retentionDays="90" />);
  await waitFor(() => expect(screen.getByText("Answer 1")).toBeTruthy());
  expect(made("session-start")).toHaveLength(1);
});

it("compares the second attempt with the first, and the first with nothing", async () => {
  await startPage();
  await end();
  await askFor("sam@hospital.example");
  await screen.findByText(REPORT.coachSummary);
  expect(screen.queryByText("Compared with your last attempt")).toBeNull();
  expect(screen.getByText(/your next report is compared with this one/)).toBeTruthy();
  fireEvent.click(await button("Try again"));
  fireEvent.click(await button("Start Scenario"));
  await end();
  await askFor("sam@hospital.example");
  const section = await screen.findByRole("region", { name: "Compared with your last attempt" });
  expect(within(section).getByRole("row", { name: "Overall 63 63 0" })).toBeTruthy();
  cleanup();
  render(<FullPageRun brand="Brand" retentionDays="90" />);
  await screen.findByRole("region", { name: "Compared with your last attempt" });
});
