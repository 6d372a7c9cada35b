import { EXAMPLES, type ExampleName } from "../content/examples";
import type { Paper } from "../drawing/cast";
import { StillPortrait } from "../drawing/picture";
import type { Character } from "../drawing/pose";
import { barsPath, layout, penPath, penPoints, type Utterance } from "../drawing/trace";

/** What stands on the picture that a link to a page shows. */
export interface ShareCard {
  paper: Paper;
  /** The headline, a line each. */
  lines: readonly string[];
  example: ExampleName;
}

const WIDTH = 1200;
const HEIGHT = 630;
const BASE = 500;
const FACE = { width: 190, height: 213.75 };

const CHARACTER: Record<Paper, Character> = { rose: "patient", sky: "passenger", ledger: "cfo" };

/** The picture: the headline above an example run on its paper. The name of the company is not on it, since it is configuration. */
export function ShareDrawing({ paper, lines, example }: ShareCard) {
  const run = EXAMPLES[example];
  const utterances = run.turns.flatMap(({ said, answer, score }): Utterance[] => [
    { who: "you", text: said, score },
    { who: "them", text: answer },
  ]);
  const trace = layout(utterances, { start: 64, width: 950, gap: 12, unit: 4.2, least: 5 });
  const points = penPoints(trace, { base: BASE, scale: 1.3, zero: 0 });
  const end = points.at(-1) ?? [0, 0];
  const last = run.turns.at(-1);
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      fontFamily="Instrument Sans"
      aria-hidden="true"
    >
      <rect width={WIDTH} height={HEIGHT} fill={`var(--${paper})`} />
      <path d={grid(10)} stroke={`var(--${paper}-grid)`} strokeOpacity={0.3} />
      <path d={grid(50)} stroke={`var(--${paper}-grid)`} strokeOpacity={0.54} />
      <path d={holes()} fill="var(--background)" />
      <g transform="translate(64 62) scale(1.9)">
        <path fill="var(--primary)" d="M0 15.25a10.5 10.5 0 0 1 21 0z" />
        <path fill="var(--foreground)" d="M11 16.75a10.5 10.5 0 0 0 21 0z" />
        <circle fill="var(--pen)" cx={27.6} cy={8.6} r={3.9} />
      </g>
      {lines.map((line, i) => (
        <text
          key={line}
          x={60}
          y={208 + i * 70}
          fontSize={72}
          fontWeight={600}
          letterSpacing={-3}
          fill="var(--foreground)"
        >
          {line}
        </text>
      ))}
      {last && (
        <svg x={946} y={58} {...FACE} viewBox="20 12 280 315" className={`vh-${paper}`} aria-hidden="true">
          <StillPortrait character={CHARACTER[paper]} emotion={last.emotion} mood={last.mood} />
        </svg>
      )}
      <path d={`M0 ${BASE}H${WIDTH}`} stroke="var(--foreground)" strokeOpacity={0.34} />
      <path fill={`var(--${paper}-them)`} d={barsPath(trace, "them", BASE)} />
      <path fill="var(--you)" d={barsPath(trace, "you", BASE)} />
      <path
        d={penPath(points)}
        fill="none"
        stroke="var(--pen)"
        strokeWidth={4}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx={end[0]} cy={end[1]} r={9} fill="var(--pen)" />
      <text x={996} y={486} fontSize={112} fontWeight={600} letterSpacing={-6} fill="var(--foreground)">
        {run.overall}
      </text>
      <text x={1000} y={536} fontSize={20} fontWeight={600} fill={`var(--${paper}-deep)`}>
        Example run
      </text>
    </svg>
  );
}

function grid(step: number): string {
  const down = Array.from({ length: WIDTH / step }, (_, i) => `M${i * step + 0.5} 0V${HEIGHT}`);
  const across = Array.from({ length: HEIGHT / step }, (_, i) => `M0 ${i * step + 0.5}H${WIDTH}`);
  return [...down, ...across].join("");
}

function holes(): string {
  return [14, HEIGHT - 14]
    .flatMap((y) =>
      Array.from({ length: WIDTH / 25 }, (_, i) => `M${i * 25 + 9} ${y}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0`),
    )
    .join("");
}
