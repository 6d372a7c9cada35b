import { signed } from "./report-strip";
import { barsPath, labelY, layout, penPath, penPoints, type Utterance } from "./trace";

const WIDTH = 620;
const HEIGHT = 232;
const BASE = 150;

interface Turn {
  said: string;
  answer: string;
  delta: number;
  score: number;
}

/** A short run as a picture: its words, and the score after each turn. */
export function RunChart({ turns }: { turns: readonly Turn[] }) {
  const utterances = turns.flatMap(({ said, answer, score }): Utterance[] => [
    { who: "you", text: said, score },
    { who: "them", text: answer },
  ]);
  const trace = layout(utterances, { width: WIDTH - 10, gap: 10, unit: 4.2, least: 5 });
  const highest = Math.max(1, ...turns.map((turn) => turn.score));
  const points = penPoints(trace, { base: BASE, scale: Math.min(2.4, 130 / highest), zero: 0 });
  return (
    <svg className="run-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
      <path className="t-base" d={`M0 ${BASE}H${WIDTH}`} />
      <path className="t-them" d={barsPath(trace, "them", BASE)} />
      <path className="t-you" d={barsPath(trace, "you", BASE)} />
      <path className="t-pen" d={penPath(points)} />
      {points.slice(1).map((point, i) => {
        const last = i === turns.length - 1;
        return (
          <g key={point[0]}>
            <circle className={last ? "t-dot" : "t-node"} cx={point[0]} cy={point[1]} r={last ? 7 : 5} />
            <text className="t-delta" x={point[0]} y={labelY(trace, point, BASE)} textAnchor="middle">
              {signed(turns[i]?.delta ?? 0)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
