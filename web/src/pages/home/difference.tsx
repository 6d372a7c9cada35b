import { BRAND } from "../../content/company";
import { EXAMPLES } from "../../content/examples";
import { signed } from "../../drawing/report-strip";
import { RunChart } from "../../drawing/run-chart";

const UNIFIED = ["VR headset", "Manikin", "Flight simulator", "Text conversation"];

export function Difference() {
  return (
    <section className="section wrap" aria-labelledby="difference">
      <h2 className="section-title" id="difference">
        {BRAND} Difference
      </h2>
      <div className="bento">
        <article className="card bento-unified">
          <h3>Unified Ecosystem</h3>
          <p>Headsets, manikins, simulators and dialogue report to one place, so a skill is judged once and in full.</p>
          <UnifiedDrawing />
        </article>
        <article className="card bento-measure paper paper-sky">
          <h3>Performance You Can Measure</h3>
          <p>Every point traces back to a sentence the learner said. If it cannot be quoted, it is not scored.</p>
          <Measured />
        </article>
        <article className="card bento-speed">
          <h3>Speed to Reality: Minutes, Not Months</h3>
          <p>
            SOPs, manuals and documents become dialogue simulations that your experts correct instead of writing them
            from nothing.
          </p>
          <dl className="speed">
            <div>
              <dt>Custom build</dt>
              <dd>
                <i className="speed-long" aria-hidden="true" /> Months
              </dd>
            </div>
            <div>
              <dt>From your SOP</dt>
              <dd>
                <i className="speed-short" aria-hidden="true" /> Minutes
              </dd>
            </div>
          </dl>
        </article>
      </div>
    </section>
  );
}

function UnifiedDrawing() {
  return (
    <svg className="unified" viewBox="0 0 520 176" aria-hidden="true" focusable="false">
      {UNIFIED.map((source, i) => {
        const y = 22 + i * 44;
        return (
          <g key={source}>
            <path
              className={i === UNIFIED.length - 1 ? "c-wire c-wire-you" : "c-wire"}
              d={`M138 ${y}C216 ${y} 218 88 300 88`}
            />
            <circle className="c-source" cx={138} cy={y} r={4} />
            <text x={122} y={y + 5} textAnchor="end">
              {source}
            </text>
          </g>
        );
      })}
      <path className="t-pen" d="M300 88H372" />
      <circle className="t-dot" cx={372} cy={88} r={7} />
      <text className="unified-result" x={392} y={85}>
        One learner
      </text>
      <text className="unified-result" x={392} y={104}>
        record
      </text>
    </svg>
  );
}

/** A run in which the learner says something that costs them. */
function Measured() {
  const { turns, highlights } = EXAMPLES.setback;
  const cost = highlights.find((found) => found.kind === "improve" && found.quote !== "");
  const gain = highlights.find((found) => found.kind === "well" && found.turn > (cost?.turn ?? 0));
  return (
    <div className="measured">
      <p className="measured-label">Example run, turn by turn</p>
      <RunChart turns={turns} />
      <dl className="evidence">
        {[cost, gain].map(
          (found) =>
            found && (
              <div key={found.title}>
                <dt>
                  <span className={found.points < 0 ? "evidence-down" : "evidence-up"}>{signed(found.points)}</span>{" "}
                  Turn {found.turn}
                </dt>
                <dd>
                  <q>{found.quote}</q>
                  <small>{found.title}</small>
                </dd>
              </div>
            ),
        )}
      </dl>
    </div>
  );
}
