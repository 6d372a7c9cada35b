import * as v from "valibot";
import { CharacterCard, EmotionName, Mood, Report, Vitals } from "../api/shapes";
import { Attempt } from "./attempt";
import { NOT_STARTED, type Run, type Surface } from "./machine";

/**
 * A run outlives a refresh: it is kept in the tab's session storage, one for
 * each scenario and surface, and is gone when the tab is closed. A report that
 * is not unlocked yet is not kept; the server gives the same one again.
 */

export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const Sending = v.object({ text: v.string(), key: v.string() });

const Line = v.variant("who", [
  v.object({ who: v.literal("scene"), text: v.string() }),
  v.object({ who: v.literal("you"), text: v.string() }),
  v.object({ who: v.literal("them"), text: v.string(), emotion: EmotionName, mood: Mood }),
]);

const encounter = {
  sessionId: v.string(),
  title: v.string(),
  description: v.string(),
  maxTurns: v.number(),
  character: CharacterCard,
  lines: v.array(Line),
  turnCount: v.number(),
  emotion: EmotionName,
  mood: Mood,
  vitals: Vitals,
};

const Kept = v.variant("phase", [
  v.object({ ...encounter, phase: v.literal("intro") }),
  v.object({
    ...encounter,
    phase: v.literal("chatting"),
    draft: v.string(),
    sending: v.nullable(Sending),
    heard: v.optional(v.literal(""), ""),
    failed: v.nullable(Sending),
  }),
  v.object({
    ...encounter,
    phase: v.literal("analysing"),
    ending: v.picklist(["max-turns", "ended", "early"]),
    failed: v.boolean(),
  }),
  v.object({
    ...encounter,
    phase: v.literal("report"),
    report: Report,
    mailed: v.boolean(),
    previous: v.fallback(v.nullable(Attempt), null),
  }),
]);

/** The prefix is also read by site.ts, which wakes the island when a run is kept. */
const place = (slug: string, surface: Surface) => `scenario-run:${surface}:${slug}`;

export function keep(shelf: Shelf, slug: string, surface: Surface, run: Run): void {
  const kept = keepable(run);
  try {
    if (kept === undefined) {
      shelf.removeItem(place(slug, surface));
    } else {
      shelf.setItem(place(slug, surface), JSON.stringify(kept));
    }
  } catch {
    // A full or forbidden storage costs the resume, not the run.
  }
}

/** The run that was going on here, or one that has not started when there is none to trust. */
export function recall(shelf: Shelf, slug: string, surface: Surface): Run {
  try {
    const kept = v.safeParse(Kept, JSON.parse(shelf.getItem(place(slug, surface)) ?? "null"));
    return kept.success ? kept.output : NOT_STARTED;
  } catch {
    return NOT_STARTED;
  }
}

function keepable(run: Run): Run | undefined {
  switch (run.phase) {
    case "not-started":
    case "starting":
      return undefined;
    case "gate": {
      const { report: _, open: __, sending: ___, ...encounter } = run;
      return { ...encounter, phase: "analysing", ending: "ended", failed: false };
    }
    case "chatting":
      return { ...run, heard: "" }; // the answer comes whole to a page that was left meanwhile
    default:
      return run;
  }
}
