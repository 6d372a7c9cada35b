import { describe, expect, it } from "vitest";
import { answerOf, CHATTING, OPENING, play, REPORT } from "./fixtures";
import {
  type Chatting,
  currentTurn,
  type Happening,
  NOT_STARTED,
  next,
  type Phase,
  type Run,
  turnsTaken,
} from "./machine";

const chatting = (happenings: Happening[] = []): Chatting => {
  const run = play([...CHATTING, ...happenings], "page");
  if (run.phase !== "chatting") {
    throw new Error(`expected a chat, got ${run.phase}`);
  }
  return run;
};

const SAY = (text: string, key = "k1"): Happening[] => [
  { type: "type", text },
  { type: "send", key },
];

describe("the way through a run", () => {
  const begun: Happening[] = [{ type: "start" }, { type: "started", opening: OPENING }];
  const over: Happening[] = [...CHATTING, { type: "end-early" }];
  const gate: Happening[] = [...over, { type: "analysed", report: REPORT }];

  it.each<[string, Happening[], Phase]>([
    ["nothing happened", [], "not-started"],
    ["start", [{ type: "start" }], "starting"],
    ["the start failed", [{ type: "start" }, { type: "start-failed" }], "not-started"],
    ["the learner ends early", over, "analysing"],
    ["the report is there", gate, "gate"],
    ["the report was mailed", [...gate, { type: "mail" }, { type: "mailed", previous: null }], "report"],
    ["another run", [...gate, { type: "reset" }], "not-started"],
  ])("page: %s", (_, happenings, phase) => {
    expect(play(happenings, "page").phase).toBe(phase);
  });

  it("introduces the scenario in the widget and goes straight to the chat on the page", () => {
    expect(play(begun, "widget").phase).toBe("intro");
    expect(play([...begun, { type: "begin" }], "widget").phase).toBe("chatting");
    expect(play(begun, "page").phase).toBe("chatting");
  });

  it("shows the opening message and turn 1 when the chat begins", () => {
    const run = chatting();
    expect(run.lines).toEqual([{ who: "scene", text: OPENING.firstMessage }]);
    expect(currentTurn(run)).toBe(1);
  });

  it("falls back to six turns when the scenario does not say", () => {
    const run = play([{ type: "start" }, { type: "started", opening: { ...OPENING, maxTurns: undefined } }], "page");
    expect(run).toMatchObject({ maxTurns: 6 });
  });
});

describe("what does not fit the phase changes nothing", () => {
  const all: Happening[] = [
    { type: "start" },
    { type: "started", opening: OPENING },
    { type: "start-failed" },
    { type: "begin" },
    { type: "type", text: "x" },
    { type: "send", key: "k" },
    { type: "answered", answer: answerOf(1) },
    { type: "send-failed" },
    { type: "end-early" },
    { type: "closed" },
    { type: "analysed", report: REPORT },
    { type: "analysis-failed" },
    { type: "analyse-again" },
    { type: "close-gate" },
    { type: "open-gate" },
    { type: "mail" },
    { type: "mailed", previous: null },
    { type: "mail-failed", previous: null },
    { type: "reset" },
  ];
  const analysing = play([...CHATTING, { type: "end-early" }], "page");
  const atGate = next(analysing, { type: "analysed", report: REPORT }, "page");

  it.each<[string, Run, Happening["type"][]]>([
    ["not started", NOT_STARTED, ["start"]],
    ["starting", play([{ type: "start" }], "page"), ["started", "start-failed", "reset"]],
    ["intro", play(CHATTING.slice(0, 2), "widget"), ["begin", "reset"]],
    ["chatting, nothing typed", chatting(), ["type", "end-early", "closed", "reset"]],
    ["waiting for the answer", chatting(SAY("Hello")), ["type", "answered", "send-failed", "closed", "reset"]],
    ["analysing", analysing, ["analysed", "analysis-failed", "reset"]],
    ["gate, mail under way", next(atGate, { type: "mail" }, "page"), ["open-gate", "mailed", "mail-failed", "reset"]],
    ["report", play([{ type: "mail" }, { type: "mailed", previous: null }], "page", atGate), ["reset"]],
  ])("%s", (_, run, accepted) => {
    const changing = all.filter((happening) => next(run, happening, "page") !== run).map(({ type }) => type);
    expect(changing).toEqual(all.map(({ type }) => type).filter((type) => accepted.includes(type)));
  });
});

describe("sending", () => {
  it("appends the line, clears the input and waits", () => {
    const run = chatting(SAY("  Hi Rosa  "));
    expect(run.lines.at(-1)).toEqual({ who: "you", text: "Hi Rosa" });
    expect(run.draft).toBe("");
    expect(run.sending).toEqual({ text: "Hi Rosa", key: "k1" });
  });

  it.each([
    ["empty", ""],
    ["blank", " \n\t "],
  ])("ignores %s text", (_, text) => {
    const run = chatting([{ type: "type", text }]);
    expect(next(run, { type: "send", key: "k" }, "page")).toBe(run);
  });

  it("ignores a second message while the first is under way, and keeps what is typed", () => {
    const run = chatting([...SAY("one"), { type: "type", text: "two" }]);
    expect(next(run, { type: "send", key: "k2" }, "page")).toBe(run);
    expect(run.draft).toBe("two");
  });

  it("shows the reply with the state of the moment and counts what the server counted", () => {
    const run = chatting([...SAY("Hi"), { type: "answered", answer: answerOf(1) }]);
    expect(run.lines.at(-1)).toEqual({ who: "them", text: "Answer 1", emotion: "anxious", mood: 0.4 });
    expect(run.sending).toBeNull();
    expect(currentTurn(run)).toBe(2);
  });

  it("cuts a message at the limit of the server", () => {
    expect(chatting([{ type: "type", text: "x".repeat(3000) }]).draft).toHaveLength(2000);
  });
});

describe("a failed turn", () => {
  const failed = chatting([...SAY("Take an aspirin", "first"), { type: "send-failed" }]);

  it("takes the line back and returns the words to the input", () => {
    expect(failed.lines).toHaveLength(1);
    expect(failed.draft).toBe("Take an aspirin");
    expect(currentTurn(failed)).toBe(1);
  });

  it("goes out again under the same key, so that it is done once", () => {
    const again = next(failed, { type: "send", key: "second" }, "page");
    expect(again).toMatchObject({ sending: { text: "Take an aspirin", key: "first" } });
  });

  it("is another message, with another key, once its words are changed", () => {
    const changed = next(failed, { type: "type", text: "Take 300 mg aspirin" }, "page");
    expect(next(changed, { type: "send", key: "second" }, "page")).toMatchObject({ sending: { key: "second" } });
  });

  it("keeps what was typed while it was under way", () => {
    const run = chatting([...SAY("one"), { type: "type", text: "two" }, { type: "send-failed" }]);
    expect(run.draft).toBe("one two");
  });
});

describe("the end", () => {
  it.each([
    ["the last turn", { turnCount: 8, isComplete: true }, "max-turns"],
    ["the last turn by count alone", { turnCount: 8, isComplete: false }, "max-turns"],
    ["the scenario says so", { turnCount: 3, isComplete: true }, "ended"],
  ])("%s", (_, end, ending) => {
    const run = play([...CHATTING, ...SAY("Hi"), { type: "answered", answer: { ...answerOf(3), ...end } }], "page");
    expect(run).toMatchObject({ phase: "analysing", ending });
  });

  it("shows the last turn, not one more, when all are used", () => {
    expect(currentTurn({ ...chatting(), turnCount: 8 })).toBe(8);
  });

  it("can be analysed again after a failure", () => {
    const failed = play([...CHATTING, { type: "end-early" }, { type: "analysis-failed" }], "page");
    expect(failed).toMatchObject({ failed: true });
    expect(next(failed, { type: "analyse-again" }, "page")).toMatchObject({ failed: false });
  });

  it("takes an unsent message back when the server says that the session is over", () => {
    const run = play([...CHATTING, ...SAY("Too late"), { type: "closed" }], "page");
    expect(run).toMatchObject({ phase: "analysing", lines: [{ who: "scene" }] });
  });
});

describe("the gate", () => {
  const gate = (surface: "page" | "widget") =>
    play(
      [...CHATTING, { type: "begin" }, { type: "end-early" }, { type: "analysed", report: REPORT }, { type: "mail" }],
      surface,
    );

  it("unlocks the widget although the mail failed", () => {
    expect(next(gate("widget"), { type: "mail-failed", previous: null }, "widget")).toMatchObject({
      phase: "report",
      mailed: false,
    });
  });

  it("stays locked on the page when the mail failed", () => {
    expect(next(gate("page"), { type: "mail-failed", previous: null }, "page")).toMatchObject({
      phase: "gate",
      sending: false,
    });
  });

  it("can be closed and opened again", () => {
    const open = play([...CHATTING, { type: "end-early" }, { type: "analysed", report: REPORT }], "page");
    const closed = next(open, { type: "close-gate" }, "page");
    expect(closed).toMatchObject({ phase: "gate", open: false });
    expect(next(closed, { type: "open-gate" }, "page")).toMatchObject({ open: true });
  });
});

it("pairs what was said with what was answered", () => {
  const run = chatting([...SAY("one"), { type: "answered", answer: answerOf(1) }, ...SAY("two", "k2")]);
  expect(turnsTaken(run.lines)).toEqual([
    { said: "one", answer: "Answer 1" },
    { said: "two", answer: "" },
  ]);
});
