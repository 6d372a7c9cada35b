import type { CriterionResult, Report } from "../api/shapes";
import { capitalised, criteriaByDimension, points, spoken } from "./findings";
import type { Line } from "./machine";
import { VERDICT } from "./verdicts";

/** Every criterion of the rubric with its verdict, so that the score can be checked line by line. */
export function Criteria({ report, lines }: { report: Report; lines: readonly Line[] }) {
  return (
    <section className="criteria" aria-labelledby="criteria-title">
      <h2 id="criteria-title">How the score came about</h2>
      {criteriaByDimension(report).map(([dimension, criteria]) => (
        <div key={dimension} className="criteria-group">
          <h3>{capitalised(dimension)}</h3>
          <ul>
            {criteria.map((criterion) => (
              <Criterion key={criterion.id} criterion={criterion} lines={lines} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function Criterion({ criterion, lines }: { criterion: CriterionResult; lines: readonly Line[] }) {
  const { word, Icon } = VERDICT[criterion.verdict];
  const quotes = criterion.evidence.filter(({ quote, turn }) => spoken(quote, turn, lines));
  const coach = [criterion.feedback, criterion.improvement].filter(Boolean).join(" ");
  return (
    <li className={`criterion criterion-${criterion.verdict}`}>
      <span className="criterion-verdict">
        <Icon size={18} strokeWidth={1.75} /> {word}
      </span>
      <div>
        <h4>{criterion.title}</h4>
        {coach && <p>{coach}</p>}
        {quotes.map(({ quote, turn }) => (
          <p key={`${turn} ${quote}`} className="criterion-quote">
            Turn {turn}: <q>{quote}</q>
          </p>
        ))}
      </div>
      <span className="criterion-points">{earned(criterion)}</span>
    </li>
  );
}

/** Harm takes points and can give none. */
function earned({ verdict, points: got, maxPoints }: CriterionResult): string {
  if (verdict === "not_reached") {
    return "not counted";
  }
  return maxPoints > 0 ? `${points(got)} of ${points(maxPoints)}` : points(got);
}
