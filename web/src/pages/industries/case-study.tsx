import { EXAMPLES } from "../../content/examples";
import type { Industry } from "../../content/industries";
import { RunChart } from "../../drawing/run-chart";

/** What others did with it: display figures beside a comparison drawn true to zero. */
export function CaseStudy({ industry }: { industry: Industry }) {
  const { study, paper } = industry;
  const run = EXAMPLES[industry.example];
  return (
    <section className="section" aria-labelledby="study">
      <div className="wrap study">
        <div className="study-text">
          <h2 id="study">{study.title}</h2>
          <p>{study.text}</p>
          {study.figures.length > 0 && (
            <dl className="study-figures">
              {study.figures.map((figure) => (
                <div key={figure.label}>
                  <dt>{figure.label}</dt>
                  <dd>{figure.value}</dd>
                </div>
              ))}
            </dl>
          )}
        </div>
        <div className={`study-chart paper paper-${paper}`}>
          {study.gain ? (
            <>
              <p className="study-gain">
                <strong>{study.gain.value}</strong>
                <span>{study.gain.label}</span>
              </p>
              <Rise gain={Number.parseInt(study.gain.value, 10)} />
            </>
          ) : (
            <>
              <p className="study-gain">
                <strong>{run.overall}</strong>
                <span>Overall score of an example run, of 100</span>
              </p>
              <RunChart turns={run.turns} />
            </>
          )}
        </div>
      </div>
    </section>
  );
}

const BARS = 20;
const STEP = 7.5;
const FLOOR = 200;
const BEFORE = 120;

/** Two groups of bars whose heights differ by exactly `gain` percent. */
function Rise({ gain }: { gain: number }) {
  const after = BEFORE * (1 + gain / 100);
  const right = 330;
  return (
    <svg className="study-rise" viewBox="0 -20 530 252" aria-hidden="true" focusable="false">
      <path className="t-base" d={`M0 ${FLOOR}H530`} />
      <path className="t-them" d={bars(0, BEFORE)} />
      <path className="t-you" d={bars(right, after)} />
      <path
        className="t-pen"
        d={`M0 ${FLOOR - BEFORE - 4}H150C230 ${FLOOR - BEFORE - 4} 240 ${FLOOR - after - 4} ${right} ${FLOOR - after - 4}H${right + 150}`}
      />
      <circle className="t-dot" cx={right + 150} cy={FLOOR - after - 4} r={7} />
      <text x={0} y={FLOOR + 22}>
        Before
      </text>
      <text x={right} y={FLOOR + 22}>
        After
      </text>
    </svg>
  );
}

function bars(from: number, height: number): string {
  return Array.from({ length: BARS }, (_, i) => `M${from + i * STEP} ${FLOOR}v${-height}h4v${height}z`).join("");
}
