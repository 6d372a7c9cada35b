import { describe, expect, it } from "vitest";
import { answerOf, CHATTING, MemoryShelf, play, REPORT } from "./fixtures";
import { keep, recall } from "./keep";
import { type Happening, NOT_STARTED } from "./machine";

const SAID: Happening[] = [...CHATTING, { type: "type", text: "Hi" }, { type: "send", key: "k" }];
const ANSWERED: Happening[] = [...SAID, { type: "answered", answer: answerOf(1) }];
const GATE: Happening[] = [...ANSWERED, { type: "end-early" }, { type: "analysed", report: REPORT }];

function reload(happenings: Happening[]) {
  const shelf = new MemoryShelf();
  const run = play(happenings, "page");
  keep(shelf, "er", "page", run);
  return { run, back: recall(shelf, "er", "page"), shelf };
}

describe("a refresh", () => {
  it.each<[string, Happening[]]>([
    ["while chatting", ANSWERED],
    ["with a draft", [...ANSWERED, { type: "type", text: "half a sen" }]],
    ["with a message under way", SAID],
    ["with a message given back", [...SAID, { type: "send-failed" }]],
    ["while analysing", [...ANSWERED, { type: "end-early" }]],
    ["with the report unlocked", [...GATE, { type: "mail" }, { type: "mailed", previous: null }]],
  ])("%s finds the same run again", (_, happenings) => {
    const { run, back } = reload(happenings);
    expect(back).toEqual(run);
  });

  it("at the gate asks for the report again, since a locked report is not kept", () => {
    const { back, shelf } = reload(GATE);
    expect(back).toMatchObject({ phase: "analysing", failed: false });
    expect(shelf.text()).not.toContain(REPORT.coachSummary);
  });

  it("before the start starts anew", () => {
    expect(reload([]).back).toEqual(NOT_STARTED);
  });
});

it("keeps a run under the prefix by which the page knows that there is one", () => {
  const { shelf } = reload(ANSWERED);
  expect(shelf.keys()).toEqual(["scenario-run:page:er"]);
});

it("keeps runs of different scenarios and surfaces apart", () => {
  const { shelf } = reload(ANSWERED);
  expect(recall(shelf, "er", "widget")).toEqual(NOT_STARTED);
  expect(recall(shelf, "cabin", "page")).toEqual(NOT_STARTED);
});

it.each([
  ["no JSON", "{"],
  ["another shape", '{"phase":"chatting","lines":"x"}'],
  ["a phase that does not exist", '{"phase":"dreaming"}'],
])("trusts nothing in the storage that is %s", (_, text) => {
  const { shelf } = reload(ANSWERED);
  shelf.fill(text);
  expect(recall(shelf, "er", "page")).toEqual(NOT_STARTED);
});

it("plays on when the browser forbids storage", () => {
  const forbidden = () => {
    throw new DOMException("denied", "SecurityError");
  };
  const shelf = { getItem: forbidden, setItem: forbidden, removeItem: forbidden };
  expect(() => keep(shelf, "er", "page", play(ANSWERED, "page"))).not.toThrow();
  expect(recall(shelf, "er", "page")).toEqual(NOT_STARTED);
});
