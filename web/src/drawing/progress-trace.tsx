import { barsPath, layout, type Utterance } from "./trace";

const WIDTH = 760;
const HEIGHT = 64;
const BASE = HEIGHT / 2;
const GAP = 8;
/** Words are never drawn further apart than this, so that a short turn reads as short. */
const LARGEST_PITCH = 5;

interface ProgressTraceProps {
  /** One entry a turn taken: what was said in it, in order. */
  turns: readonly (readonly Utterance[])[];
  /** Turns allowed. */
  max: number;
}

/** The turns of a run: a column for each allowed turn, filled with its words, a rule where nothing was said yet. */
export function ProgressTrace({ turns, max }: ProgressTraceProps) {
  const column = (WIDTH - GAP * (max - 1)) / max;
  const left = (turn: number) => turn * (column + GAP);
  const rules = Array.from({ length: max }, (_, turn) => `M${round(left(turn))} ${BASE}h${round(column)}`);
  return (
    <svg
      className="prog"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <path className="prog-rest" d={rules.join("")} />
      {turns.slice(0, max).map((utterances, turn) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a turn is its place in the run
        <TurnBars key={turn} utterances={utterances} from={left(turn)} width={column} />
      ))}
    </svg>
  );
}

function TurnBars({ utterances, from, width }: { utterances: readonly Utterance[]; from: number; width: number }) {
  const shape = { gap: 3, start: from, unit: 1.75, least: 2 };
  const stretched = layout(utterances, { ...shape, width: from + width });
  const bars = stretched.pitch > LARGEST_PITCH ? layout(utterances, { ...shape, pitch: LARGEST_PITCH }) : stretched;
  return (
    <g className="prog-turn">
      <path className="t-you" d={barsPath(bars, "you", BASE, { share: 0.64, off: 1.5 })} />
      <path className="t-them" d={barsPath(bars, "them", BASE, { share: 0.64, off: 1.5 })} />
    </g>
  );
}

const round = (value: number) => Math.round(value * 10) / 10;
