import type { Emotion } from "../drawing/pose";
import runs from "./example-runs.json";

/**
 * Runs that the site shows as examples. They were played with the product's own
 * engine and judged by its own scorer: `make generate` plays them again, and a
 * test fails when the file is not what they make of them now.
 */
export interface ExampleTurn {
  said: string;
  answer: string;
  emotion: Emotion;
  mood: number;
  /** What the turn earned or cost, and the overall score after it. */
  delta: number;
  score: number;
}

interface Highlight {
  kind: string;
  turn: number;
  points: number;
  title: string;
  quote: string;
  text: string;
}

export interface ExampleRun {
  overall: number;
  turns: readonly ExampleTurn[];
  highlights: readonly Highlight[];
}

export type ExampleName = keyof typeof runs;

export const EXAMPLES = runs as Record<ExampleName, ExampleRun>;
