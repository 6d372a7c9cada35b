import { expect, it } from "vitest";
import type { CriterionResult, Report } from "../api/shapes";
import { compare, keepAttempt, lastAttempt } from "./attempt";
import { MemoryShelf, REPORT } from "./fixtures";

const judged = (id: string, verdict: CriterionResult["verdict"]): CriterionResult => ({
  id,
  verdict,
  dimension: "d",
  title: `Title ${id}`,
  points: 1,
  maxPoints: 1,
  evidence: [{ turn: 1, quote: "my secret words" }],
  feedback: "You said “my secret words”.",
  improvement: "",
});

const BEFORE: Report = {
  ...REPORT,
  overall: 63.4,
  dimensions: { empathy: 71, clarity: 60, gone: 5 },
  coachSummary: "my secret words",
  criteria: [judged("a", "met"), judged("b", "missed"), judged("c", "met"), judged("gone", "met")],
};

function kept(report: Report) {
  const shelf = new MemoryShelf();
  keepAttempt(shelf, "er", report);
  return shelf;
}

it("compares what both attempts have", () => {
  const now: Report = {
    ...BEFORE,
    overall: 70,
    dimensions: { clarity: 55, empathy: 71, added: 9 },
    criteria: [judged("a", "harmful"), judged("b", "met"), judged("c", "met"), judged("added", "met")],
  };
  const before = lastAttempt(kept(BEFORE), "er");
  expect(before && compare(before, now)).toEqual({
    scores: [
      { name: "Overall", before: 63, now: 70 },
      { name: "clarity", before: 60, now: 55 },
      { name: "empathy", before: 71, now: 71 },
    ],
    gained: ["Title b"],
    lost: ["Title a"],
  });
});

it("keeps nothing that was said, and each scenario for itself", () => {
  const shelf = kept(BEFORE);
  expect(shelf.keys()).toEqual(["scenario-attempt:er"]);
  expect(shelf.text()).not.toContain("secret");
  expect(lastAttempt(shelf, "cabin")).toBeNull();
});

it.each(["{", "null", '{"overall":101,"dimensions":{},"criteria":[]}', '{"overall":1}', '[["constructor"]]'])(
  "trusts no stored %s",
  (text) => {
    const shelf = kept(BEFORE);
    shelf.fill(text);
    expect(lastAttempt(shelf, "er")).toBeNull();
  },
);

it("does without a storage that is forbidden", () => {
  const forbidden = () => {
    throw new DOMException("denied", "SecurityError");
  };
  const shelf = { getItem: forbidden, setItem: forbidden, removeItem: forbidden };
  expect(() => keepAttempt(shelf, "er", BEFORE)).not.toThrow();
  expect(lastAttempt(shelf, "er")).toBeNull();
});
