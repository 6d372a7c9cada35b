import { beforeEach, describe, expect, it, vi } from "vitest";
import { CallError } from "../api/call-error";
import type { RunCalls } from "../api/calls";
import { Conductor, type Notice } from "./conductor";
import { answerOf, MemoryShelf, OPENING, REPORT } from "./fixtures";
import type { Surface } from "./machine";

const GONE = new CallError("network", "");
const calls = {
  startSession: vi.fn<RunCalls["startSession"]>(),
  takeTurn: vi.fn<RunCalls["takeTurn"]>(),
  completeSession: vi.fn<RunCalls["completeSession"]>(),
  sendReport: vi.fn<RunCalls["sendReport"]>(),
};
let shelf: MemoryShelf;
let notices: Notice[];
let keys: number;

beforeEach(() => {
  shelf = new MemoryShelf();
  notices = [];
  keys = 0;
  calls.startSession.mockReset().mockResolvedValue(OPENING);
  calls.takeTurn.mockReset().mockImplementation(async () => answerOf(calls.takeTurn.mock.calls.length));
  calls.completeSession.mockReset().mockResolvedValue(REPORT);
  calls.sendReport.mockReset().mockResolvedValue();
});

function conduct(surface: Surface = "page"): Conductor {
  return new Conductor("er", surface, {
    calls,
    shelf,
    newKey: () => `key-${++keys}`,
    browserMeta: () => ({ width: 1, height: 1, language: "en", userAgent: "test" }),
    notify: (notice) => notices.push(notice),
  });
}

async function chatting(surface: Surface = "page"): Promise<Conductor> {
  const conductor = conduct(surface);
  await conductor.start();
  conductor.begin();
  return conductor;
}

async function say(conductor: Conductor, text: string) {
  conductor.type(text);
  await conductor.send();
}

async function atGate(surface: Surface): Promise<Conductor> {
  const conductor = await chatting(surface);
  await conductor.endEarly();
  return conductor;
}

it("plays to the last turn and has it scored", async () => {
  const conductor = await chatting();
  for (let turn = 1; turn <= 8; turn++) {
    await say(conductor, `message ${turn}`);
  }
  expect(conductor.current()).toMatchObject({ phase: "gate", turnCount: 8 });
  expect(notices).toEqual([
    { title: "Scenario Complete", text: "You've reached the maximum number of turns", destructive: false },
  ]);
});

it("says that the scenario has ended when the server ends it", async () => {
  const conductor = await chatting();
  calls.takeTurn.mockResolvedValue({ ...answerOf(2), isComplete: true });
  await say(conductor, "Goodbye");
  expect(notices.at(-1)?.text).toBe("The scenario has ended.");
});

it("makes no call for blank text or for a second message while one is under way", async () => {
  const conductor = await chatting();
  await say(conductor, "   ");
  expect(calls.takeTurn).not.toHaveBeenCalled();
  calls.takeTurn.mockReturnValue(new Promise(() => {}));
  void say(conductor, "one");
  void say(conductor, "two");
  expect(calls.takeTurn).toHaveBeenCalledTimes(1);
});

describe("failures are told with the server's words, or with the fallback", () => {
  const said = new CallError("rate_limited", "Too many messages. Wait a minute.");
  const silent = new CallError("unreadable", "");

  it.each<[string, CallError, string]>([
    ["start, silent", silent, "Failed to start scenario"],
    ["start, said", said, said.message],
  ])("%s", async (_, problem, text) => {
    calls.startSession.mockRejectedValue(problem);
    const conductor = conduct();
    await conductor.start();
    expect(conductor.current().phase).toBe("not-started");
    expect(notices).toEqual([{ title: "Error", text, destructive: true }]);
  });

  it.each<[string, CallError, string]>([
    ["turn, silent", silent, "Failed to process turn"],
    ["turn, server gone", GONE, "Failed to send message"],
    ["turn, said", said, said.message],
  ])("%s", async (_, problem, text) => {
    const conductor = await chatting();
    calls.takeTurn.mockRejectedValue(problem);
    await say(conductor, "Hello");
    expect(notices).toEqual([{ title: "Error", text, destructive: true }]);
    expect(conductor.current()).toMatchObject({ phase: "chatting", draft: "Hello" });
  });

  it.each<[Surface, string]>([
    ["page", "Failed to generate report"],
    ["widget", "Failed to generate performance report"],
  ])("report on the %s, and it can be asked for again", async (surface, text) => {
    calls.completeSession.mockRejectedValueOnce(silent);
    const conductor = await atGate(surface);
    expect(notices.at(-1)).toEqual({ title: "Error", text, destructive: true });
    await conductor.analyseAgain();
    expect(conductor.current().phase).toBe("gate");
  });
});

it("sends a failed message again under the same key", async () => {
  const conductor = await chatting();
  calls.takeTurn.mockRejectedValueOnce(GONE);
  await say(conductor, "Take an aspirin");
  await conductor.send();
  const sent = calls.takeTurn.mock.calls.map(([, text, key]) => [text, key]);
  expect(sent[0]).toEqual(sent[1]);
});

describe("mail", () => {
  it("reveals the widget's report although the mail failed, with a notice", async () => {
    const conductor = await atGate("widget");
    calls.sendReport.mockRejectedValue(new CallError("email_failed", "Refused"));
    await conductor.mail("a@b.example");
    expect(conductor.current()).toMatchObject({ phase: "report", mailed: false });
    expect(notices.at(-1)).toEqual({
      title: "Report Unlocked...",
      text: "We couldn't send the email at this time.",
      destructive: false,
    });
  });

  it("keeps the page's report locked when the mail failed", async () => {
    const conductor = await atGate("page");
    calls.sendReport.mockRejectedValue(new CallError("unreadable", ""));
    await conductor.mail("a@b.example");
    expect(conductor.current().phase).toBe("gate");
    expect(notices.at(-1)).toEqual({ title: "Error", text: "Failed to send report", destructive: true });
  });

  it("asks for one letter, however often the same address is tried", async () => {
    const conductor = await atGate("page");
    calls.sendReport.mockRejectedValueOnce(GONE);
    await conductor.mail("a@b.example");
    await conductor.mail("a@b.example");
    const [first, second] = calls.sendReport.mock.calls;
    expect(first).toEqual(second);
    expect(conductor.current().phase).toBe("report");
  });
});

describe("a refresh", () => {
  it("sends the message that was under way again, under its key", async () => {
    const before = await chatting();
    calls.takeTurn.mockReturnValueOnce(new Promise(() => {}));
    void say(before, "Are you allergic?");

    const after = conduct();
    after.resume();
    await vi.waitFor(() => expect(after.current()).toMatchObject({ turnCount: expect.any(Number), sending: null }));
    const [first, second] = calls.takeTurn.mock.calls;
    expect(second?.slice(0, 3)).toEqual(first?.slice(0, 3)); // the fourth listens
    expect(after.current()).toMatchObject({ lines: [{ who: "scene" }, { who: "you" }, { who: "them" }] });
  });

  it("at the gate has the report fetched again", async () => {
    await atGate("page");
    const after = conduct();
    after.resume();
    await vi.waitFor(() => expect(after.current().phase).toBe("gate"));
    expect(calls.completeSession).toHaveBeenCalledTimes(2);
  });

  it("starts no call for a run that waits for the learner", async () => {
    const before = await chatting();
    await say(before, "Hello");
    const made = calls.takeTurn.mock.calls.length;
    const after = conduct();
    after.resume();
    expect(after.current()).toEqual(before.current());
    expect(after.resumed).toBe(true);
    expect(calls.takeTurn).toHaveBeenCalledTimes(made);
  });
});

it.each(["session_not_found", "session_expired"])("starts over when the server answers %s", async (code) => {
  const conductor = await chatting();
  calls.takeTurn.mockRejectedValue(new CallError(code, ""));
  await say(conductor, "Hello");
  expect(conductor.current().phase).toBe("not-started");
  expect(notices.at(-1)).toMatchObject({ title: "Error", destructive: true });
  expect(shelf.text()).toBe("");
});

it("goes on to the report when the server says that the session was completed", async () => {
  const conductor = await chatting();
  calls.takeTurn.mockRejectedValue(new CallError("session_completed", "This session is complete."));
  await say(conductor, "Hello");
  expect(conductor.current().phase).toBe("gate");
});

it("shows the reply while it is said, and the answer in its place", async () => {
  const conductor = await chatting();
  const seen: unknown[] = [];
  calls.takeTurn.mockImplementation(async (_session, _text, _key, hear) => {
    hear?.("It");
    hear?.(" hurts.");
    seen.push(conductor.current());
    return { ...answerOf(1), npcMessage: "It hurts." };
  });
  await say(conductor, "Hello");
  expect(seen).toMatchObject([{ heard: "It hurts.", turnCount: 0 }]);
  expect(conductor.current()).toMatchObject({ heard: "", turnCount: 1 });

  calls.takeTurn.mockImplementation(async (_session, _text, _key, hear) => {
    hear?.("Half");
    throw GONE;
  });
  await say(conductor, "Again");
  expect(conductor.current()).toMatchObject({ heard: "", draft: "Again", turnCount: 1 });
});
