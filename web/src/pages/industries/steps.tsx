import { EXAMPLES } from "../../content/examples";
import type { Industry } from "../../content/industries";
import { Picture } from "../../drawing/picture";
import { signed } from "../../drawing/report-strip";
import { barsPath, layout } from "../../drawing/trace";
import { CASES } from "../../run/cases";

/** How it works, in three. What the pictures say and score is an example run of this scenario. */
export function Steps({ industry }: { industry: Industry }) {
  const about = CASES[industry.slug];
  const run = EXAMPLES[industry.example];
  const turn = run.turns[1];
  const best = run.highlights.find((found) => found.kind === "well");
  const paper = `steps-art paper paper-${industry.paper}`;
  const [read, talk, score] = industry.steps;
  return (
    <section className="wrap" aria-labelledby="steps">
      <h2 className="section-title" id="steps">
        {industry.stepsTitle}
      </h2>
      <ol className="steps">
        <li>
          <div className={paper} aria-hidden="true">
            <div className="steps-brief">
              <b>{about.title}</b>
              {about.vitals.length > 0 ? (
                <dl>
                  {about.vitals.map((vital) => (
                    <div key={vital.id}>
                      <dt>{vital.label}</dt>
                      <dd>
                        {vital.value}
                        {vital.unit}
                      </dd>
                    </div>
                  ))}
                </dl>
              ) : (
                <p>{about.role}</p>
              )}
              <ul>
                {about.criteria.map((criterion) => (
                  <li key={criterion}>{criterion}</li>
                ))}
              </ul>
            </div>
          </div>
          <h3>1. {read?.title}</h3>
          <p>{read?.text}</p>
        </li>
        <li>
          <div className={paper} aria-hidden="true">
            {turn && (
              <>
                <div className="steps-face">
                  <Picture character={about.character} emotion={turn.emotion} mood={turn.mood} alt="" />
                </div>
                <q className="steps-quote">{opening(turn.answer)}</q>
                <Words said={turn.said} answer={turn.answer} />
              </>
            )}
          </div>
          <h3>2. {talk?.title}</h3>
          <p>{talk?.text}</p>
        </li>
        <li>
          <div className={paper} aria-hidden="true">
            {best && (
              <div className="steps-evidence">
                <b>{signed(best.points)}</b>
                <q>{best.quote}</q>
                <small>{best.title}</small>
              </div>
            )}
            <span className="steps-label">Example run</span>
            <strong className="steps-score">{run.overall}</strong>
          </div>
          <h3>3. {score?.title}</h3>
          <p>{score?.text}</p>
        </li>
      </ol>
    </section>
  );
}

const WIDTH = 320;
const BASE = 50;

function Words({ said, answer }: { said: string; answer: string }) {
  const trace = layout(
    [
      { who: "you", text: said },
      { who: "them", text: answer },
    ],
    { width: WIDTH, gap: 12, unit: 3.2, least: 4 },
  );
  return (
    <svg className="steps-bars" viewBox={`0 0 ${WIDTH} 104`} aria-hidden="true" focusable="false">
      <path className="t-base" d={`M0 ${BASE}H${WIDTH}`} />
      <path className="t-you" d={barsPath(trace, "you", BASE)} />
      <path className="t-them" d={barsPath(trace, "them", BASE)} />
    </svg>
  );
}

/** The first sentences of an answer, as many as the picture holds. */
function opening(text: string): string {
  const sentences = text.split(/(?<=[.!?]) /);
  let kept = sentences[0] ?? "";
  for (const sentence of sentences.slice(1)) {
    if (`${kept} ${sentence}`.length > 56) {
      break;
    }
    kept += ` ${sentence}`;
  }
  return kept;
}
