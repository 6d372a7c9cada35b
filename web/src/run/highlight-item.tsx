import type { Highlight } from "../api/shapes";
import { signed } from "../drawing/report-strip";

/** One finding: the turn, what it earned or cost, and the learner's own words. */
export function HighlightItem({ highlight }: { highlight: Highlight }) {
  const earned = Math.round(highlight.points);
  return (
    <li>
      <span className="finding-turn">
        {highlight.turn > 0 ? `Turn ${highlight.turn}` : "Overall"}
        <b className={earned < 0 ? "down" : "up"}>{signed(earned)}</b>
      </span>
      <div>
        <h3>{highlight.title}</h3>
        {highlight.quote && <blockquote>{highlight.quote}</blockquote>}
        {highlight.text && <p>{highlight.text}</p>}
      </div>
    </li>
  );
}
