import type { CriterionResult, Highlight, Report } from "../api/shapes";
import type { ScoredTurn } from "../drawing/report-strip";
import { type Line, turnsTaken } from "./machine";

/** How a report is read: what may be quoted, what comes first, what names look like. */

/** A quote is shown only if the learner really said it, in that very message. */
export function spoken(quote: string, turn: number, lines: readonly Line[]): boolean {
  const said = turnsTaken(lines)[turn - 1]?.said;
  return quote !== "" && said !== undefined && said.includes(quote);
}

/** The lines of one column of the report, without quotes that cannot be found. */
export function highlightsOf(report: Report, kind: Highlight["kind"], lines: readonly Line[]): Highlight[] {
  return report.highlights
    .filter((highlight) => highlight.kind === kind)
    .map((highlight) => (spoken(highlight.quote, highlight.turn, lines) ? highlight : { ...highlight, quote: "" }));
}

export interface Dimension {
  name: string;
  score: number;
  /** A line on why; empty when there is none. */
  summary: string;
}

/** All dimensions in the rubric's order, as far as the report tells it. */
export function dimensionsOf(report: Report): Dimension[] {
  const detailed = report.dimensionDetails.filter(({ name }) => name in report.dimensions);
  const rest = Object.entries(report.dimensions)
    .filter(([name]) => !detailed.some((detail) => detail.name === name))
    .map(([name, score]) => ({ name, score, summary: "" }));
  return [...detailed, ...rest];
}

/** The widget's choice: the three best. */
export function topDimensions(report: Report, count = 3): Dimension[] {
  return dimensionsOf(report)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, count);
}

/** `decision_quality` and `decision quality` become `Decision Quality`. */
export function capitalised(name: string): string {
  return name
    .split(/[_\s]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toLocaleUpperCase() + word.slice(1))
    .join(" ");
}

/** Turns that have both a score and words, for the strip. */
export function scoredTurns(report: Report, lines: readonly Line[]): ScoredTurn[] {
  const taken = turnsTaken(lines);
  return report.turns.flatMap(({ turn, delta, score }) => {
    const words = taken[turn - 1];
    return words ? [{ turn, delta: Math.round(delta), score, ...words }] : [];
  });
}

/** The criteria, in groups of one dimension each, in the order of their first appearance. */
export function criteriaByDimension(report: Report): [dimension: string, criteria: CriterionResult[]][] {
  const groups = new Map<string, CriterionResult[]>();
  for (const criterion of report.criteria) {
    groups.set(criterion.dimension, [...(groups.get(criterion.dimension) ?? []), criterion]);
  }
  return [...groups];
}

/** A score for people: a whole number. */
export const whole = (score: number) => Math.round(score);

/** Points for people: one decimal where there is one, a true minus sign. */
export const points = (value: number) => `${Math.round(value * 10) / 10}`.replace("-", "\u2212");
