import { describe, expect, it } from "vitest";
import type { CriterionResult } from "../api/shapes";
import { REPORT } from "./fixtures";
import type { Line } from "./machine";
import { turnsOf } from "./turns";

const SAID = "😀 Calm down. Calm down, I'm here.";
const LINES: Line[] = [
  { who: "scene", text: "A patient arrives." },
  { who: "you", text: SAID },
  { who: "them", text: "Am I dying?", emotion: "anxious", mood: 0.4 },
];

const criterion = (
  id: string,
  verdict: CriterionResult["verdict"],
  quote: string,
  start?: number,
  turn = 1,
): CriterionResult => ({
  id,
  verdict,
  dimension: "d",
  title: `Title ${id}`,
  points: 1,
  maxPoints: 1,
  evidence: [{ turn, quote, start }],
  feedback: "",
  improvement: "",
});

function read(...criteria: CriterionResult[]) {
  const turn = turnsOf({ ...REPORT, criteria, turns: [{ turn: 1, delta: -3.6, score: 40 }] }, LINES)[0];
  expect(turn?.said.map(({ text }) => text).join("")).toBe(SAID);
  return turn;
}

describe("a message", () => {
  it("that moved nothing is one plain piece", () => {
    expect(read()).toEqual({
      turn: 1,
      delta: -4,
      score: 40,
      said: [{ at: 0, text: SAID, mark: "none", numbers: [] }],
      answer: "Am I dying?",
      effects: [],
    });
  });

  it.each([
    ["counted in characters, not in UTF-16 units", 13, "😀 Calm down. "],
    ["found where it is first when the place does not fit", 99, "😀 "],
    ["found where it is first when no place is told", undefined, "😀 "],
  ])("marks its words %s", (_, start, before) => {
    const turn = read(criterion("a", "harmful", "Calm down", start));
    expect(turn?.said[0]?.text).toBe(before);
    expect(turn?.said[1]).toMatchObject({ text: "Calm down", mark: "harmed", numbers: [1] });
  });

  it("numbers criteria in the order of their words, also where words overlap", () => {
    const turn = read(criterion("b", "met", "I'm here"), criterion("a", "met", "down, I'm here."));
    expect(turn?.effects.map(({ number, id, quotes }) => [number, id, quotes])).toEqual([
      [1, "a", ["down, I'm here."]],
      [2, "b", ["I'm here"]],
    ]);
    expect(turn?.said.map(({ text, mark, numbers }) => [text, mark, numbers])).toEqual([
      ["😀 Calm down. Calm ", "none", []],
      ["down, ", "earned", []],
      ["I'm here", "earned", [2]],
      [".", "earned", [1]],
    ]);
  });

  it("shows harm above merit where both claim the same words", () => {
    expect(read(criterion("a", "met", "Calm"), criterion("b", "harmful", "Calm"))?.said[1]).toMatchObject({
      mark: "harmed",
      numbers: [1, 2],
    });
  });

  it("is not credited with what was not said in it", () => {
    expect(read(criterion("a", "met", "aspirin"), criterion("b", "met", "Calm", 2, 2))?.effects).toEqual([]);
  });
});

it("leaves out turns that were not played", () => {
  expect(turnsOf({ ...REPORT, turns: [{ turn: 7, delta: 1, score: 1 }] }, LINES)).toEqual([]);
});
