import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Portrait } from "./portrait";
import { type Character, type Emotion, poseAt, poseOf } from "./pose";

const CHARACTERS: Character[] = ["patient", "passenger", "cfo"];
const EMOTIONS: Emotion[] = ["calm", "anxious", "angry", "pain", "relieved"];

const draw = (character: Character, emotion: Emotion, id = "p") =>
  renderToStaticMarkup(<Portrait character={character} pose={poseOf(character, emotion)} id={id} />);

describe.each(CHARACTERS)("%s", (character) => {
  it.each(EMOTIONS)("is drawn %s without a number that is none and without inline style", (emotion) => {
    const svg = draw(character, emotion);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    expect(svg).not.toContain("style=");
  });

  it("refers only to what it defines, under its own id", () => {
    const svg = draw(character, "angry", "left");
    const defined = [...svg.matchAll(/<(?:clipPath|radialGradient) id="([^"]+)"/g)].map(([, id]) => id);
    const used = [...svg.matchAll(/url\(#([^)]+)\)/g)].map(([, id]) => id);
    expect(new Set(used)).toEqual(new Set(defined));
    expect(defined.every((id) => id?.startsWith("left"))).toBe(true);
  });

  it("looks different in every emotion", () => {
    expect(new Set(EMOTIONS.map((emotion) => draw(character, emotion))).size).toBe(5);
  });
});

it("sweats and flushes only when the pose says so", () => {
  expect(draw("patient", "pain")).toContain("#DDF0F4");
  expect(draw("patient", "calm")).not.toContain("#DDF0F4");
  expect(draw("passenger", "angry")).toContain("radialGradient");
  expect(draw("passenger", "calm")).not.toContain("radialGradient");
});

it("is named for those who cannot see it, or hidden from them", () => {
  const pose = poseAt("patient", 0.5);
  const named = renderToStaticMarkup(<Portrait character="patient" pose={pose} id="p" title="Rosa, anxious" />);
  expect(named).toContain('role="img" aria-label="Rosa, anxious"');
  expect(draw("patient", "calm")).toContain('aria-hidden="true"');
});

it("draws the patient in pain as it was drawn before", async () => {
  await expect(draw("patient", "pain").replaceAll("><", ">\n<")).toMatchFileSnapshot("./testdata/patient-pain.svg");
});
