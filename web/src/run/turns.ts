import type { CriterionResult, Report } from "../api/shapes";
import { spoken } from "./findings";
import { type Line, turnsTaken } from "./machine";

/** A run read message by message: what each one earned or cost, and with which words. */

export interface Turn {
  turn: number;
  delta: number;
  /** The overall score after it. */
  score: number;
  said: Piece[];
  answer: string;
  effects: Effect[];
}

/** A criterion for which the message has evidence. Its number stands behind its words, too. */
export interface Effect {
  number: number;
  id: string;
  title: string;
  verdict: CriterionResult["verdict"];
  quotes: string[];
}

/** A part of a message: plain, or words that count. */
export interface Piece {
  /** Where it begins; unique within the message. */
  at: number;
  text: string;
  mark: "none" | "earned" | "harmed";
  /** The effects whose words end here. */
  numbers: number[];
}

export function turnsOf(report: Report, lines: readonly Line[]): Turn[] {
  const taken = turnsTaken(lines);
  return report.turns.flatMap(({ turn, delta, score }) => {
    const words = taken[turn - 1];
    if (!words) {
      return [];
    }
    const found = report.criteria.flatMap((criterion) => findIn(criterion, turn, words.said, lines));
    const inOrder = found.toSorted((a, b) => (a.spans[0]?.from ?? 0) - (b.spans[0]?.from ?? 0));
    const effects = inOrder.map(({ criterion, spans }, i) => ({
      number: i + 1,
      id: criterion.id,
      title: criterion.title,
      verdict: criterion.verdict,
      quotes: spans.map(({ from, to }) => words.said.slice(from, to)),
    }));
    const marks = inOrder.flatMap(({ criterion, spans }, i) =>
      spans.map((span) => ({ ...span, number: i + 1, harmful: criterion.verdict === "harmful" })),
    );
    return [{ turn, delta: Math.round(delta), score, said: pieces(words.said, marks), answer: words.answer, effects }];
  });
}

interface Span {
  from: number;
  to: number;
}

function findIn(
  criterion: CriterionResult,
  turn: number,
  said: string,
  lines: readonly Line[],
): { criterion: CriterionResult; spans: Span[] }[] {
  const spans = criterion.evidence
    .filter((evidence) => evidence.turn === turn && spoken(evidence.quote, turn, lines))
    .map(({ quote, start }) => spanOf(said, quote, start))
    .toSorted((a, b) => a.from - b.from);
  return spans.length > 0 ? [{ criterion, spans }] : [];
}

/**
 * The place of a quote. The server counts characters, JavaScript counts UTF-16
 * units; where the place is not told or does not fit, the first one counts.
 */
function spanOf(said: string, quote: string, start: number | undefined): Span {
  const told = start === undefined ? -1 : [...said].slice(0, start).join("").length;
  const from = told >= 0 && said.startsWith(quote, told) ? told : said.indexOf(quote);
  return { from, to: from + quote.length };
}

interface Mark extends Span {
  number: number;
  harmful: boolean;
}

/** Cuts a message wherever words that count begin or end; they may overlap. */
function pieces(said: string, marks: readonly Mark[]): Piece[] {
  const cuts = [...new Set([0, said.length, ...marks.flatMap(({ from, to }) => [from, to])])].toSorted((a, b) => a - b);
  return cuts.slice(0, -1).map((at, i) => {
    const end = cuts[i + 1] ?? said.length;
    const over = marks.filter(({ from, to }) => from <= at && end <= to);
    const mark = over.some(({ harmful }) => harmful) ? "harmed" : over.length > 0 ? "earned" : "none";
    return { at, text: said.slice(at, end), mark, numbers: over.filter(({ to }) => to === end).map((m) => m.number) };
  });
}
