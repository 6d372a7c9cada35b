import { EXAMPLES, type ExampleName, type ExampleTurn } from "../../content/examples";
import type { Paper } from "../../drawing/cast";
import { Picture } from "../../drawing/picture";
import type { Character } from "../../drawing/pose";
import { signed } from "../../drawing/report-strip";
import { barsPath, labelY, layout, type Point, penPath } from "../../drawing/trace";
import { EMOTION_WORD } from "../../run/words";

interface Sheet {
  id: ExampleName;
  label: string;
  paper: Paper;
  character: Character;
  name: string;
}

const SHEETS: readonly Sheet[] = [
  { id: "emergency", label: "Emergency room", paper: "rose", character: "patient", name: "Rosa Delgado" },
  { id: "cabin", label: "Aircraft cabin", paper: "sky", character: "passenger", name: "Mark Ellison" },
  { id: "boardroom", label: "Boardroom", paper: "ledger", character: "cfo", name: "Ngozi Adeyemi" },
];

/**
 * Three example runs, one shown at a time. The tabs are radio buttons, so that
 * they work by keyboard and without JavaScript.
 */
export function HeroStrip() {
  return (
    <fieldset className="sheets">
      <legend className="sr-only">Example runs</legend>
      <div className="wrap sheet-tabs">
        {SHEETS.map((sheet, i) => (
          <label key={sheet.id} className={`sheet-tab paper-${sheet.paper}`}>
            <input type="radio" name="sheet" value={sheet.id} defaultChecked={i === 0} className="sr-only" />
            {sheet.label}
          </label>
        ))}
      </div>
      {SHEETS.map((sheet, i) => (
        <ExampleSheet key={sheet.id} sheet={sheet} first={i === 0} />
      ))}
      <p className="wrap sheet-key">
        <b>Example run</b>
        <span>
          <i className="key-you" />
          What the learner says. One bar a word, as tall as the word is long.
        </span>
        <span>
          <i className="key-them" />
          What the virtual human answers.
        </span>
        <span>
          <i className="key-pen" />
          The score after each turn, as our scorer gave it.
        </span>
      </p>
    </fieldset>
  );
}

// The strip has a fixed size in pixels: it scrolls in itself where there is less room.
const TURN = 286;
const GAP = 10;
const BASE = 298;
const PER_POINT = 0.92;
const HEIGHT = 400;
const WORDS = { unit: 3.9, least: 6 };

function ExampleSheet({ sheet, first }: { sheet: Sheet; first: boolean }) {
  const run = EXAMPLES[sheet.id];
  const width = TURN * run.turns.length;
  const scores = run.turns.map((turn) => turn.score).join(", ");
  const pitch = pitchOf(run.turns);
  const traces = run.turns.map((turn, i) =>
    layout(
      [
        { who: "you", text: turn.said },
        { who: "them", text: turn.answer },
      ],
      { ...WORDS, pitch, gap: GAP, start: i * TURN },
    ),
  );
  const nodes = traces.map(
    (trace, i): Point => [trace.spans[0]?.to ?? 0, BASE - (run.turns[i]?.score ?? 0) * PER_POINT],
  );
  const end = nodes.at(-1) as Point;
  return (
    <div className={`sheet sheet-${sheet.id} paper paper-${sheet.paper}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a strip wider than the page has to scroll by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields */}
      <div className="sheet-scroll" tabIndex={0} role="group" aria-label={`${sheet.label}. Score by turn: ${scores}`}>
        <div className="strip">
          <ol>
            {run.turns.map((turn) => (
              <li key={turn.said}>
                <p className="strip-you">{turn.said}</p>
                <div className="strip-face">
                  <Picture character={sheet.character} emotion={turn.emotion} mood={turn.mood} alt="" lazy={!first} />
                </div>
                <p className="strip-them">
                  <b>
                    <span className="sr-only">{sheet.name}, </span>
                    {EMOTION_WORD[turn.emotion]}
                  </b>
                  {turn.answer}
                </p>
              </li>
            ))}
          </ol>
          <svg
            width={width + 40}
            height={HEIGHT}
            viewBox={`0 0 ${width + 40} ${HEIGHT}`}
            aria-hidden="true"
            focusable="false"
          >
            <path className="t-base" d={`M-40 ${BASE}H${width + 400}`} />
            {traces.map((trace) => (
              <g key={trace.spans[0]?.from}>
                <path className="t-you" d={barsPath(trace, "you", BASE)} />
                <path className="t-them" d={barsPath(trace, "them", BASE)} />
              </g>
            ))}
            <path className="t-pen" pathLength={1} d={penPath([[0, BASE], ...nodes])} />
            {nodes.map((node, i) => (
              <g key={node[0]}>
                <circle
                  className={i === nodes.length - 1 ? "t-dot" : "t-node"}
                  cx={node[0]}
                  cy={node[1]}
                  r={i === nodes.length - 1 ? 7.5 : 5}
                />
                <text
                  className="t-delta"
                  x={node[0]}
                  y={labelY(traces[i] as (typeof traces)[0], node, BASE)}
                  textAnchor="middle"
                >
                  {signed(run.turns[i]?.delta ?? 0)}
                </text>
              </g>
            ))}
            <path className="t-lead" d={`M${end[0] + 12} ${end[1]}H${width + 8}`} />
          </svg>
          <p className="strip-score">
            <strong>{run.overall}</strong>
            <span>Overall score, of 100</span>
          </p>
        </div>
      </div>
    </div>
  );
}

/** The distance of two words at which the longest turn fits its column. */
function pitchOf(turns: readonly ExampleTurn[]): number {
  const words = turns.map(({ said, answer }) => `${said} ${answer}`.split(/\s+/).length);
  return (TURN - GAP - 24) / Math.max(...words);
}
