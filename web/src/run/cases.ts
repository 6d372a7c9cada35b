import type { Vital } from "../api/shapes";
import type { Paper } from "../drawing/cast";
import type { Character, Emotion } from "../drawing/pose";

/** What a page shows of a scenario before the server was asked for it. */
export interface Case {
  title: string;
  /** Who the learner will talk to. */
  name: string;
  role: string;
  teaser: string;
  character: Character;
  emotion: Emotion;
  mood: number;
  paper: Paper;
  /** Known on arrival. */
  vitals: readonly Vital[];
  criteria: readonly string[];
}

const EMERGENCY: Case = {
  title: "Chest Pain Assessment",
  name: "Rosa Delgado",
  role: "Patient, 61",
  teaser: "You are the nurse. She has chest pain and she is frightened. What you say decides how the next minutes go.",
  character: "patient",
  emotion: "anxious",
  mood: 0.38,
  paper: "rose",
  vitals: [
    { id: "bp", label: "BP", value: "150/95", unit: "", level: "warn" },
    { id: "hr", label: "HR", value: "110", unit: "", level: "warn" },
    { id: "spo2", label: "O2 sat", value: "94", unit: "%", level: "warn" },
  ],
  criteria: ["Decision Quality", "Communication Clarity", "Empathy & Professionalism"],
};

const CABIN: Case = {
  title: "Disruptive Passenger",
  name: "Mark Ellison",
  role: "Passenger, 44",
  teaser:
    "You are cabin crew. He is loud, and the rows around him are listening. Bring him down without giving way on safety.",
  character: "passenger",
  emotion: "angry",
  mood: 0.1,
  paper: "sky",
  vitals: [],
  criteria: ["Safety & Procedure", "De-escalation", "Professionalism"],
};

const BOARDROOM: Case = {
  title: "ERP Migration Pitch",
  name: "Ngozi Adeyemi",
  role: "CFO, 52",
  teaser: "You sell. She has read your price and wants to know what it buys. Find out what matters before you answer.",
  character: "cfo",
  emotion: "angry",
  mood: 0.1,
  paper: "ledger",
  vitals: [],
  criteria: ["Discovery", "Business Value", "Risk & Credibility", "Professionalism & Next Step"],
};

/** The scenarios that the site offers, by slug. */
export const CASES = {
  "healthcare-emergency": EMERGENCY,
  "aviation-cabin-crew": CABIN,
  "corporate-sales": BOARDROOM,
} satisfies Record<string, Case>;

export type CaseSlug = keyof typeof CASES;
