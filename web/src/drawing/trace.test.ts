import { describe, expect, it } from "vitest";
import { barsPath, labelY, layout, type Point, penPath, penPoints, type Utterance, wordLengths } from "./trace";

const TALK: Utterance[] = [
  { who: "you", text: "Hi Rosa, I’m Sam.", score: 60 },
  { who: "them", text: "“Am I dying?”" },
  { who: "you", text: "You’re safe here.", score: 40 },
];

it.each([
  ["Hi Rosa, I’m Sam.", [2, 4, 2, 3]],
  ["“BP 150/95”", [2, 5]],
  ["Où est-elle ?", [2, 7]],
  ["…  — !", []],
  ["", []],
])("counts the letters and digits of the words of %j", (text, lengths) => {
  expect(wordLengths(text)).toEqual(lengths);
});

describe("layout", () => {
  it("gives every word a bar, the same distance apart", () => {
    const { bars, pitch } = layout(TALK, { pitch: 10 });
    expect(bars).toHaveLength(10);
    expect(pitch).toBe(10);
    expect((bars[1]?.x ?? 0) - (bars[0]?.x ?? 0)).toBe(10);
  });

  it("fills a given width exactly", () => {
    expect(layout(TALK, { width: 300, gap: 10 }).width).toBeCloseTo(300);
  });

  it("makes long words higher, up to a limit", () => {
    const of = layout([{ who: "you", text: "a nitroglycerin electrocardiographically" }], { unit: 1, least: 0 });
    expect(of.bars.map((bar) => bar.height)).toEqual([1, 13, 13]);
  });

  it("survives a conversation without a word", () => {
    const of = layout([{ who: "you", text: "?!", score: 10 }], { width: 100 });
    expect(of.bars).toEqual([]);
    expect(penPath(penPoints(of, { base: 50, scale: 1, zero: 0 }))).not.toMatch(/NaN|Infinity/);
  });
});

it("draws the learner above the baseline and the other voice below it", () => {
  const of = layout(TALK);
  const tops = (d: string) => [...d.matchAll(/M[\d.-]+ ([\d.-]+)v(-?)/g)].map(([, y, sign]) => [Number(y), sign]);
  expect(tops(barsPath(of, "you", 100)).every(([y, sign]) => Number(y) < 100 && sign === "-")).toBe(true);
  expect(tops(barsPath(of, "them", 100)).every(([y, sign]) => Number(y) > 100 && sign === "")).toBe(true);
});

describe("the pen", () => {
  it("starts on the baseline and stops at the end of every scored turn", () => {
    const of = layout(TALK, { pitch: 10, gap: 20 });
    expect(penPoints(of, { base: 100, scale: 2, zero: 0 })).toEqual([
      [0, 100],
      [40, -20],
      [140, 20],
    ]);
  });

  it("draws no line that was not measured", () => {
    const unscored = TALK.map(({ who, text }) => ({ who, text }));
    expect(penPath(penPoints(layout(unscored), { base: 0, scale: 1, zero: 0 }))).toBe("");
  });

  it("never overshoots a recorded score", () => {
    const points: Point[] = [
      [0, 0],
      [10, 50],
      [20, 50],
      [30, 5],
      [90, 80],
    ];
    const curves = [...penPath(points).matchAll(/C(\S+) (\S+) (\S+) (\S+) (\S+) (\S+?)(?=C|$)/g)];
    expect(curves).toHaveLength(4);
    curves.forEach(([, , y1, , y2], i) => {
      const ends = [(points[i] as Point)[1], (points[i + 1] as Point)[1]];
      for (const control of [Number(y1), Number(y2)]) {
        expect(control).toBeGreaterThanOrEqual(Math.min(...ends) - 0.1);
        expect(control).toBeLessThanOrEqual(Math.max(...ends) + 0.1);
      }
    });
  });
});

it("lifts a label above the bars around it", () => {
  const of = layout([{ who: "you", text: "electrocardiogram" }], { pitch: 10, unit: 4, least: 0 });
  expect(labelY(of, [5, 90], 100)).toBe(100 - 3 - 52 - 7);
  expect(labelY(of, [400, 90], 100)).toBe(76);
});
