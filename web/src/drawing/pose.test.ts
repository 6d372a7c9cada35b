import { describe, expect, it } from "vitest";
import { approach, blend, type Character, type Emotion, poseAt, poseFor, poseOf } from "./pose";

const CHARACTERS: Character[] = ["patient", "passenger", "cfo"];
const EMOTIONS: Emotion[] = ["calm", "anxious", "angry", "pain", "relieved"];

describe.each(CHARACTERS)("the road of the %s", (character) => {
  it("has no jumps", () => {
    for (let mood = 0; mood < 1; mood += 0.01) {
      const here = poseAt(character, mood);
      const there = poseAt(character, mood + 0.01);
      expect(Math.abs(there.smile - here.smile)).toBeLessThan(1.6);
      expect(Math.abs(there.rot - here.rot)).toBeLessThan(1.6);
    }
  });

  it("ends in relief and takes any number", () => {
    expect(poseAt(character, 1)).toEqual(poseOf(character, "relieved"));
    expect(poseAt(character, 7)).toEqual(poseAt(character, 1));
    expect(poseAt(character, -7)).toEqual(poseAt(character, 0));
  });
});

it("starts in pain for the patient, in anger for the others", () => {
  expect(poseAt("patient", 0)).toEqual(poseOf("patient", "pain"));
  expect(poseAt("passenger", 0)).toEqual(poseOf("passenger", "angry"));
  expect(poseAt("cfo", 0)).toEqual(poseOf("cfo", "angry"));
});

it("keeps the CFO sceptical where the passenger shouts", () => {
  expect(poseOf("passenger", "angry").open).toBeGreaterThan(8);
  expect(poseOf("cfo", "angry").open).toBe(0);
});

describe("a named emotion with a mood", () => {
  it("is the mood's pose where both agree", () => {
    expect(poseFor("patient", "anxious", 0.37)).toEqual(poseAt("patient", 0.37));
  });

  it.each(EMOTIONS)("stays nearest to %s, whatever the mood", (emotion) => {
    const wanted = poseOf("patient", emotion);
    const distance = (other: Emotion, mood: number) => {
      const shown = poseFor("patient", emotion, mood);
      const pose = poseOf("patient", other);
      return Math.hypot(...(Object.keys(pose) as (keyof typeof pose)[]).map((f) => shown[f] - pose[f]));
    };
    for (const mood of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
      for (const other of EMOTIONS.filter((each) => poseOf("patient", each) !== wanted && each !== emotion)) {
        expect(distance(emotion, mood)).toBeLessThanOrEqual(distance(other, mood) + 1e-9);
      }
    }
  });
});

it("blends every number", () => {
  const half = blend(poseOf("patient", "calm"), poseOf("patient", "pain"), 0.5);
  expect(half.rot).toBe(4);
  expect(half.mw).toBe(23);
});

it("arrives, and then stays the same object so that drawing can stop", () => {
  const target = poseOf("patient", "relieved");
  let pose = poseOf("patient", "pain");
  let frames = 0;
  while (pose !== target && frames < 200) {
    pose = approach(pose, target);
    frames++;
  }
  expect(pose).toBe(target);
  expect(frames).toBeGreaterThan(10);
  expect(frames).toBeLessThan(60);
});
