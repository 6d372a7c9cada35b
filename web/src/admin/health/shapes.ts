import * as v from "valibot";

const check = v.object({
  name: v.string(),
  state: v.picklist(["ok", "degraded", "off", "failing"]),
  note: v.string(),
  since: v.string(),
  measuredAt: v.string(),
  lastError: v.string(),
  lastErrorAt: v.nullable(v.string()),
});
const letter = v.object({
  id: v.string(),
  kind: v.string(),
  queuedAt: v.string(),
  attempts: v.number(),
  reason: v.string(),
});
const instance = v.object({
  id: v.string(),
  host: v.string(),
  version: v.string(),
  startedAt: v.string(),
  seenAt: v.string(),
  this: v.boolean(),
  alive: v.boolean(),
});
const availability = v.object({
  since: v.string(),
  days: v.number(),
  percent: v.number(),
  minutesDown: v.number(),
});

/** What admin-get-health answers. */
export const Health = v.object({
  now: v.string(),
  checks: v.array(check),
  queuedLetters: v.number(),
  failedLetters: v.array(letter),
  instances: v.array(instance),
  availability: v.array(availability),
});

export type Check = v.InferOutput<typeof check>;
export type Letter = v.InferOutput<typeof letter>;
export type Instance = v.InferOutput<typeof instance>;
export type Availability = v.InferOutput<typeof availability>;
