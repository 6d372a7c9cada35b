import * as v from "valibot";
import type { Report } from "../api/shapes";
import { dimensionsOf } from "./findings";
import type { Shelf } from "./keep";

/**
 * What is remembered of a finished attempt, to compare the next one with it:
 * scores and verdicts, nothing that was said. One for each scenario, in the
 * tab's session storage; it goes with the tab.
 */

const percent = v.pipe(v.number(), v.minValue(0), v.maxValue(100));

export const Attempt = v.object({
  overall: percent,
  dimensions: v.record(v.string(), percent),
  criteria: v.array(
    v.object({ id: v.string(), verdict: v.picklist(["met", "partly_met", "missed", "harmful", "not_reached"]) }),
  ),
});
export type Attempt = v.InferOutput<typeof Attempt>;

const place = (slug: string) => `scenario-attempt:${slug}`;

/** The last attempt, if there is one to trust. */
export function lastAttempt(shelf: Shelf, slug: string): Attempt | null {
  try {
    const kept = v.safeParse(Attempt, JSON.parse(shelf.getItem(place(slug)) ?? "null"));
    return kept.success ? kept.output : null;
  } catch {
    return null;
  }
}

export function keepAttempt(shelf: Shelf, slug: string, { overall, dimensions, criteria }: Report): void {
  const attempt: Attempt = { overall, dimensions, criteria: criteria.map(({ id, verdict }) => ({ id, verdict })) };
  try {
    shelf.setItem(place(slug), JSON.stringify(attempt));
  } catch {
    // A full or forbidden storage costs the comparison, not the report.
  }
}

export interface Comparison {
  /** The overall score first. */
  scores: { name: string; before: number; now: number }[];
  /** Titles of criteria that are met now and were not. */
  gained: string[];
  /** Titles of criteria that were met and are not now. */
  lost: string[];
}

/** What is in both: a scenario may have changed between two attempts. */
export function compare(before: Attempt, report: Report): Comparison {
  const was = new Map(before.criteria.map(({ id, verdict }) => [id, verdict]));
  const both = report.criteria.filter(({ id }) => was.has(id));
  const dimensions = dimensionsOf(report).flatMap(({ name, score: now }) => {
    const then = Object.entries(before.dimensions).find(([other]) => other === name)?.[1];
    return then === undefined ? [] : [{ name, before: Math.round(then), now: Math.round(now) }];
  });
  const overall = { name: "Overall", before: Math.round(before.overall), now: Math.round(report.overall) };
  return {
    scores: [overall, ...dimensions],
    gained: both.filter((c) => c.verdict === "met" && was.get(c.id) !== "met").map(({ title }) => title),
    lost: both.filter((c) => c.verdict !== "met" && was.get(c.id) === "met").map(({ title }) => title),
  };
}
