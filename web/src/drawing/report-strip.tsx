import {
  barsPath,
  type Layout,
  labelY,
  layout,
  type Point,
  penPath,
  penPoints,
  type ScoreScale,
  type Utterance,
  wordLengths,
} from "./trace";

const FULL_WIDTH = 1240;
const HEIGHT = 250;
const GAP = 16;
/** Scores start at 0, on the baseline; 100 reaches 135 units up. */
const SCALE: ScoreScale = { base: 165, scale: 1.35, zero: 0 };
const PITCH = { least: 4, most: 11 };

/** A scored turn for the strip. */
export interface ScoredTurn {
  /** 1 is the learner's first message. */
  turn: number;
  said: string;
  answer: string;
  /** What the turn earned or cost, and the overall score after it. */
  delta: number;
  score: number;
}

/** A whole run on paper: every word, and the pen line through the score after each turn. */
export function ReportStrip({ turns, label }: { turns: readonly ScoredTurn[]; label: string }) {
  const trace = layout(utterances(turns), { pitch: pitchFor(turns), gap: GAP, unit: 2.7, least: 4 });
  const points = penPoints(trace, SCALE);
  const starts = trace.spans.filter((span) => span.who === "you").map((span) => span.from);
  const width = Math.ceil(trace.width) + 14;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a strip wider than the page has to scroll by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    <div className="sheet-scroll" tabIndex={0} role="group" aria-label={label}>
      <svg
        className="fstrip"
        viewBox={`0 0 ${width} ${HEIGHT}`}
        width={width}
        height={HEIGHT}
        aria-hidden="true"
        focusable="false"
      >
        <path className="t-base" d={`M0 ${SCALE.base}H${width}`} />
        {turns.map(({ turn }, i) => (
          <g key={turn}>
            <path className="t-lead" d={`M${round((starts[i] ?? 0) - 8)} ${SCALE.base + 4}V${HEIGHT - 4}`} />
            <text className="t-turn" x={round(starts[i] ?? 0)} y={HEIGHT - 8}>
              Turn {turn}
            </text>
          </g>
        ))}
        <path className="t-them" d={barsPath(trace, "them", SCALE.base)} />
        <path className="t-you" d={barsPath(trace, "you", SCALE.base)} />
        <path className="t-pen" pathLength={1} d={penPath(points)} />
        {turns.map((turn, i) => (
          <ScoreNode
            key={turn.turn}
            at={points[i + 1] as Point}
            trace={trace}
            delta={turn.delta}
            last={i === turns.length - 1}
          />
        ))}
      </svg>
    </div>
  );
}

function ScoreNode({ at, trace, delta, last }: { at: Point; trace: Layout; delta: number; last: boolean }) {
  const [x, y] = at;
  return (
    <g>
      <circle className={last ? "t-dot" : "t-node"} cx={round(x)} cy={round(y)} r={last ? 7.5 : 5.5} />
      <text
        className={delta < 0 ? "t-delta t-down" : "t-delta"}
        x={round(x)}
        y={labelY(trace, at, SCALE.base)}
        textAnchor={last ? "end" : "middle"}
      >
        {signed(delta)}
      </text>
    </g>
  );
}

function utterances(turns: readonly ScoredTurn[]): Utterance[] {
  return turns.flatMap(({ said, answer, score }): Utterance[] => [
    { who: "you", text: said, score },
    { who: "them", text: answer },
  ]);
}

/** The run fills the sheet, unless it is so short or so long that its words would no longer look like words. */
function pitchFor(turns: readonly ScoredTurn[]): number {
  const words = utterances(turns).reduce((sum, utterance) => sum + wordLengths(utterance.text).length, 0);
  const room = FULL_WIDTH - GAP * (turns.length * 2 - 1);
  return Math.max(PITCH.least, Math.min(PITCH.most, room / Math.max(1, words)));
}

/** A number with its sign, a true minus included. */
export const signed = (value: number) => (value > 0 ? `+${value}` : `${value}`.replace("-", "\u2212"));

const round = (value: number) => Math.round(value * 10) / 10;
