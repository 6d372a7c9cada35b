import * as v from "valibot";
import { CallError } from "./call-error";

/**
 * What the server answers, checked where it enters. The spec's fields are
 * required; what the scenario engine adds (character, emotion, mood, vitals,
 * the parts of the report) has a neutral fallback, so that a plain answer of
 * the published surface plays as well.
 */

export const EmotionName = v.fallback(v.picklist(["calm", "anxious", "angry", "pain", "relieved"]), "calm");
const unit = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
export const Mood = v.fallback(unit, 0.5);
const percent = v.pipe(v.number(), v.minValue(0), v.maxValue(100));
const texts = v.array(v.string());

const vital = v.object({
  id: v.string(),
  label: v.string(),
  value: v.union([v.string(), v.pipe(v.number(), v.transform(String))]),
  unit: v.optional(v.string(), ""),
  level: v.fallback(v.picklist(["ok", "warn", "critical"]), "ok"),
});
export const Vitals = v.fallback(v.array(vital), []);

export const CharacterCard = v.fallback(
  v.object({
    name: v.string(),
    role: v.string(),
    portrait: v.fallback(v.picklist(["patient", "passenger", "cfo", ""]), ""),
  }),
  { name: "", role: "", portrait: "" },
);

export const Opening = v.object({
  sessionId: v.pipe(v.string(), v.nonEmpty()),
  scenarioTitle: v.string(),
  shortDescription: v.fallback(v.string(), ""),
  firstMessage: v.string(),
  /** Absent: the scenario does not say. */
  maxTurns: v.fallback(v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))), undefined),
  character: CharacterCard,
  emotion: EmotionName,
  mood: Mood,
  vitals: Vitals,
});

export const Answer = v.object({
  npcMessage: v.string(),
  turnCount: v.pipe(v.number(), v.integer(), v.minValue(0)),
  isComplete: v.boolean(),
  emotion: EmotionName,
  mood: Mood,
  vitals: Vitals,
});

const dimensionDetail = v.object({ name: v.string(), score: percent, summary: v.string() });
const highlight = v.object({
  kind: v.picklist(["well", "improve"]),
  turn: v.number(),
  points: v.number(),
  title: v.string(),
  quote: v.string(),
  text: v.string(),
});
const evidence = v.object({
  turn: v.number(),
  quote: v.string(),
  /** Where the quote begins in the message, in characters. */
  start: v.fallback(v.optional(v.number()), undefined),
});
const criterion = v.object({
  id: v.string(),
  dimension: v.string(),
  title: v.string(),
  verdict: v.picklist(["met", "partly_met", "missed", "harmful", "not_reached"]),
  points: v.number(),
  maxPoints: v.number(),
  evidence: v.fallback(v.array(evidence), []),
  feedback: v.fallback(v.string(), ""),
  improvement: v.fallback(v.string(), ""),
});
const turnScore = v.object({ turn: v.number(), delta: v.number(), score: percent });

export const Report = v.object({
  overall: percent,
  dimensions: v.record(v.string(), percent),
  coachSummary: v.string(),
  whatWentWell: v.fallback(texts, []),
  whatToImprove: v.fallback(texts, []),
  dimensionDetails: v.fallback(v.array(dimensionDetail), []),
  highlights: v.fallback(v.array(highlight), []),
  criteria: v.fallback(v.array(criterion), []),
  turns: v.fallback(v.array(turnScore), []),
  note: v.fallback(v.string(), ""),
});

/** One picture or film of a gallery. */
export const GalleryItem = v.object({
  id: v.string(),
  file_path: v.string(),
  file_type: v.picklist(["image", "video"]),
  caption: v.nullable(v.string()),
});

export const Config = v.object({ publicKey: v.pipe(v.string(), v.nonEmpty()) });

/** A piece of the reply, while it is being said. */
export const Part = v.object({ text: v.string() });

/** The error answer of every function. */
export const Refusal = v.object({
  error: v.pipe(v.string(), v.nonEmpty()),
  code: v.fallback(v.string(), ""),
});

/** The data as what was agreed, or a CallError `unreadable`. */
export function understood<const S extends v.GenericSchema>(schema: S, data: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, data);
  if (!result.success) {
    throw new CallError("unreadable", "");
  }
  return result.output;
}

/** What the owner of a mail address gets to see; the download has all of it. */
export const OwnData = v.looseObject({
  email: v.string(),
  sessions: v.array(v.looseObject({ scenario: v.string(), started_at: v.string(), messages: v.array(v.unknown()) })),
  contact_messages: v.array(v.looseObject({ received_at: v.string(), message: v.string() })),
  letters: v.array(v.looseObject({ kind: v.string(), created_at: v.string(), state: v.string() })),
});

export const Erased = v.object({ sessions: v.number(), contactMessages: v.number(), letters: v.number() });

export type GalleryItem = v.InferOutput<typeof GalleryItem>;
export type Opening = v.InferOutput<typeof Opening>;
export type Answer = v.InferOutput<typeof Answer>;
export type Report = v.InferOutput<typeof Report>;
export type Vital = v.InferOutput<typeof vital>;
export type Highlight = v.InferOutput<typeof highlight>;
export type CriterionResult = v.InferOutput<typeof criterion>;
export type OwnData = v.InferOutput<typeof OwnData>;
export type Erased = v.InferOutput<typeof Erased>;
