import type { Answer, Opening, Report } from "../api/shapes";
import { type Happening, NOT_STARTED, next, type Run, type Surface } from "./machine";

/** Answers of a server and steps of a run, for the tests of this folder. */

export const OPENING: Opening = {
  sessionId: "s-1",
  scenarioTitle: "Chest pain assessment",
  shortDescription: "A patient with chest pain.",
  firstMessage: "You're a nurse in the ER. What's your first action?",
  maxTurns: 8,
  character: { name: "Rosa Delgado", role: "Patient, 61", portrait: "patient" },
  emotion: "pain",
  mood: 0.2,
  vitals: [{ id: "bp", label: "BP", value: "150/95", unit: "", level: "warn" }],
};

export const answerOf = (turnCount: number): Answer => ({
  npcMessage: `Answer ${turnCount}`,
  turnCount,
  isComplete: false,
  emotion: "anxious",
  mood: 0.4,
  vitals: [{ id: "bp", label: "BP", value: "146/92", unit: "", level: "warn" }],
});

export const REPORT: Report = {
  overall: 63,
  dimensions: { empathy: 71, "decision quality": 58, clarity: 60, handover: 20 },
  coachSummary: "You stayed with the patient.",
  whatWentWell: ["You put the ECG first."],
  whatToImprove: ["Say the dose."],
  dimensionDetails: [],
  highlights: [
    {
      kind: "well",
      turn: 1,
      points: 16,
      title: "You put the ECG first",
      quote: "12-lead ECG",
      text: "The right test, at once.",
    },
    { kind: "improve", turn: 1, points: -4, title: "Say the dose", quote: "never said", text: "Name drug and dose." },
  ],
  criteria: [],
  turns: [{ turn: 1, delta: 63, score: 63 }],
  note: "",
};

/** The page's way into the chat. */
export const CHATTING: Happening[] = [{ type: "start" }, { type: "started", opening: OPENING }];

export function play(happenings: readonly Happening[], surface: Surface, from: Run = NOT_STARTED): Run {
  return happenings.reduce((run, happening) => next(run, happening, surface), from);
}

/** A tab's storage in memory. */
export class MemoryShelf {
  #kept = new Map<string, string>();
  getItem = (key: string) => this.#kept.get(key) ?? null;
  setItem = (key: string, value: string) => void this.#kept.set(key, value);
  removeItem = (key: string) => void this.#kept.delete(key);
  keys = () => [...this.#kept.keys()];
  /** Everything that is kept. */
  text = () => [...this.#kept.values()].join("\n");
  /** Replaces what is kept. */
  fill = (value: string) => {
    for (const key of this.#kept.keys()) {
      this.#kept.set(key, value);
    }
  };
}
