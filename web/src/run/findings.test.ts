import { describe, expect, it } from "vitest";
import { capitalised, highlightsOf, points, scoredTurns, spoken, topDimensions } from "./findings";
import { REPORT } from "./fixtures";
import type { Line } from "./machine";

const LINES: Line[] = [
  { who: "scene", text: "A patient arrives." },
  { who: "you", text: "I'm getting a 12-lead ECG now." },
  { who: "them", text: "Am I dying?", emotion: "anxious", mood: 0.4 },
];

describe("quotes", () => {
  it.each([
    ["is in that message", "12-lead ECG", 1, true],
    ["was said by the patient", "Am I dying?", 1, false],
    ["is in another turn", "12-lead ECG", 2, false],
    ["differs in one letter", "12-lead EKG", 1, false],
    ["is empty", "", 1, false],
  ])("%s", (_, quote, turn, expected) => {
    expect(spoken(quote, turn, LINES)).toBe(expected);
  });

  it("are dropped from a finding when they cannot be found, the finding stays", () => {
    expect(highlightsOf(REPORT, "well", LINES)[0]).toMatchObject({ quote: "12-lead ECG" });
    expect(highlightsOf(REPORT, "improve", LINES)[0]).toMatchObject({ title: "Say the dose", quote: "" });
  });
});

it("picks the three best dimensions, best first", () => {
  expect(topDimensions(REPORT).map(({ name }) => name)).toEqual(["empathy", "clarity", "decision quality"]);
});

it.each([
  ["empathy", "Empathy"],
  ["decision_quality", "Decision Quality"],
  ["Empathy & professionalism", "Empathy & Professionalism"],
  ["éthique", "Éthique"],
])("capitalises %s", (name, expected) => {
  expect(capitalised(name)).toBe(expected);
});

it("puts on the strip only turns that were played", () => {
  const report = { ...REPORT, turns: [...REPORT.turns, { turn: 2, delta: 4, score: 67 }] };
  expect(scoredTurns(report, LINES)).toEqual([
    { turn: 1, delta: 63, score: 63, said: "I'm getting a 12-lead ECG now.", answer: "Am I dying?" },
  ]);
});

it("writes negative points with a minus sign and one decimal at most", () => {
  expect([points(4.5), points(-3), points(1 / 3)]).toEqual(["4.5", "\u22123", "0.3"]);
});
