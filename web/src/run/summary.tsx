import { ArrowRight } from "lucide-react";
import type { RefCallback } from "react";
import { compare } from "./attempt";
import { Comparison } from "./comparison";
import { DimensionBar } from "./dimension-bar";
import { highlightsOf, topDimensions, whole } from "./findings";
import { HighlightItem } from "./highlight-item";
import type { Reported } from "./machine";
import { TurnList } from "./turn-list";
import { turnsOf } from "./turns";
import { FIRST_ATTEMPT, NOT_ADVICE } from "./words";
import "./report.css";

interface SummaryProps {
  run: Reported;
  headingRef: RefCallback<HTMLElement> | undefined;
  onAgain: () => void;
}

/** The widget's report: the overall score, the three best dimensions, and the first finding of each kind. */
export function Summary({ run, headingRef, onAgain }: SummaryProps) {
  const findings = [
    highlightsOf(run.report, "well", run.lines)[0],
    highlightsOf(run.report, "improve", run.lines)[0],
  ].filter((finding) => finding !== undefined);
  const turns = turnsOf(run.report, run.lines);
  return (
    <section className="summary" aria-labelledby="summary-title">
      <div className="summary-head">
        <h2 id="summary-title" ref={headingRef} tabIndex={-1}>
          Your summary
        </h2>
        <p className="summary-score">
          <strong>{whole(run.report.overall)}</strong>
          <span>Overall score, of 100</span>
        </p>
      </div>
      <p>{run.report.coachSummary}</p>
      <div className="summary-dimensions">
        {topDimensions(run.report).map((dimension) => (
          <DimensionBar key={dimension.name} dimension={{ ...dimension, summary: "" }} />
        ))}
      </div>
      {run.previous && <Comparison compared={compare(run.previous, run.report)} Heading="h3" />}
      {findings.length > 0 && (
        <ol className="findings">
          {findings.map((finding) => (
            <HighlightItem key={finding.kind} highlight={finding} />
          ))}
        </ol>
      )}
      {turns.length > 0 && (
        <details className="summary-turns">
          <summary>Your run, turn by turn</summary>
          <TurnList turns={turns} name={run.character.name} />
        </details>
      )}
      <div className="summary-next">
        <a className="btn btn-primary" href="/contact?reason=demo">
          Book a Full Demo <ArrowRight size={17} strokeWidth={1.75} />
        </a>
        <button type="button" className="btn btn-outline" onClick={onAgain}>
          Try again
        </button>
      </div>
      {run.previous === null && <p className="quiet">{FIRST_ATTEMPT}</p>}
      <p className="quiet">{NOT_ADVICE}</p>
    </section>
  );
}
