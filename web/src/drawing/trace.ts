/**
 * A conversation drawn as data: one bar for each word, as high as the word has
 * letters, the learner's above a baseline and the virtual human's below it. The
 * pen line passes through the recorded scores and through nothing else.
 */

export type Voice = "you" | "them";

export interface Utterance {
  who: Voice;
  text: string;
  /** Score after this utterance, where one was recorded. */
  score?: number;
}

interface Bar {
  /** Middle of the bar. */
  x: number;
  height: number;
  who: Voice;
}

/** Where an utterance lies on the trace. */
interface Span {
  from: number;
  to: number;
  who: Voice;
  score?: number;
}

export interface Layout {
  bars: Bar[];
  spans: Span[];
  width: number;
  /** Distance between two words. */
  pitch: number;
}

export interface LayoutOptions {
  /** Distance between two words; ignored when `width` is given. */
  pitch?: number;
  /** Stretches the pitch so that everything fills this width. */
  width?: number;
  gap?: number;
  start?: number;
  /** Height of a bar: `least + min(letters, longest) * unit`. */
  unit?: number;
  least?: number;
  longest?: number;
}

export type Point = readonly [x: number, y: number];

const round = (value: number) => Math.round(value * 10) / 10;

/** The number of letters and digits of each word. */
export function wordLengths(text: string): number[] {
  return text
    .split(/\s+/)
    .map((word) => word.replace(/[^\p{L}\p{N}]/gu, "").length)
    .filter((length) => length > 0);
}

export function layout(utterances: readonly Utterance[], options: LayoutOptions = {}): Layout {
  const { gap = 20, start = 0, width, unit = 4.4, least = 5, longest = 13 } = options;
  const lengths = utterances.map((utterance) => wordLengths(utterance.text));
  const words = lengths.reduce((sum, each) => sum + each.length, 0);
  const gaps = Math.max(0, utterances.length - 1) * gap;
  const pitch = width === undefined ? (options.pitch ?? 7) : Math.max(0, width - start - gaps) / Math.max(1, words);

  const bars: Bar[] = [];
  const spans: Span[] = [];
  let x = start;
  utterances.forEach((utterance, i) => {
    const from = x;
    for (const length of lengths[i] ?? []) {
      bars.push({ x: x + pitch / 2, height: least + Math.min(length, longest) * unit, who: utterance.who });
      x += pitch;
    }
    spans.push({ from, to: x, who: utterance.who, score: utterance.score });
    x += gap;
  });
  return { bars, spans, width: Math.max(start, x - gap), pitch };
}

/** All bars of one voice as one path; `share` is the bar's part of the pitch, `off` its distance from the baseline. */
export function barsPath(of: Layout, who: Voice, base: number, { share = 0.46, off = 3 } = {}): string {
  const width = round(of.pitch * share);
  const up = who === "you" ? -1 : 1;
  return of.bars
    .filter((bar) => bar.who === who)
    .map((bar) => {
      const height = round(bar.height);
      return `M${round(bar.x - width / 2)} ${round(base + up * off)}v${up * height}h${width}v${-up * height}z`;
    })
    .join("");
}

/** How scores become heights: `y = base + (zero - score) * scale`. */
export interface ScoreScale {
  base: number;
  scale: number;
  /** The score that lies on the baseline. */
  zero: number;
}

const scoreY = (score: number, { base, scale, zero }: ScoreScale) => base + (zero - score) * scale;

/** The pen's points: the start on the baseline, then the end of every utterance with a score. */
export function penPoints(of: Layout, scale: ScoreScale): Point[] {
  const scored = of.spans.filter((span): span is Span & { score: number } => span.score !== undefined);
  if (scored.length === 0) {
    return [];
  }
  return [[of.spans[0]?.from ?? 0, scale.base], ...scored.map((span): Point => [span.to, scoreY(span.score, scale)])];
}

/**
 * A smooth line through the points that never overshoots one of them:
 * monotone cubic interpolation (Fritsch and Carlson 1980).
 */
export function penPath(points: readonly Point[]): string {
  if (points.length < 2) {
    return "";
  }
  const steps = points.slice(1).map(([x, y], i) => {
    const [x0, y0] = points[i] as Point;
    return { dx: x - x0, slope: x === x0 ? 0 : (y - y0) / (x - x0) };
  });
  const tangents = points.map((_, i) => tangent(steps[i - 1], steps[i]));
  const at = ([x, y]: Point) => `${round(x)} ${round(y)}`;
  return points.slice(1).reduce(
    (path, [x, y], i) => {
      const [x0, y0] = points[i] as Point;
      const third = (x - x0) / 3;
      const leave: Point = [x0 + third, y0 + (tangents[i] as number) * third];
      const arrive: Point = [x - third, y - (tangents[i + 1] as number) * third];
      return `${path}C${at(leave)} ${at(arrive)} ${at([x, y])}`;
    },
    `M${at(points[0] as Point)}`,
  );
}

interface Step {
  dx: number;
  slope: number;
}

function tangent(before: Step | undefined, after: Step | undefined): number {
  if (before === undefined || after === undefined) {
    return before?.slope ?? after?.slope ?? 0;
  }
  if (before.slope * after.slope <= 0) {
    return 0;
  }
  return (
    (3 * (before.dx + after.dx)) /
    ((2 * after.dx + before.dx) / before.slope + (after.dx + 2 * before.dx) / after.slope)
  );
}

/** Height for a label above a point of the pen, clear of the learner's bars around it. */
export function labelY(of: Layout, [x, y]: Point, base: number, { reach = 17, above = 14 } = {}): number {
  const tallest = of.bars
    .filter((bar) => bar.who === "you" && Math.abs(bar.x - x) < reach)
    .reduce((max, bar) => Math.max(max, bar.height), 0);
  return round(Math.min(y - above, base - 3 - tallest - 7));
}
