import { ArrowRight } from "lucide-react";
import type { RefCallback } from "react";
import { DimensionBar } from "./dimension-bar";
import { highlightsOf, topDimensions, whole } from "./findings";
import { HighlightItem } from "./highlight-item";
import type { Reported } from "./machine";
import { NOT_ADVICE } from "./words";

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
      {findings.length > 0 && (
        <ol className="findings">
          {findings.map((finding) => (
            <HighlightItem key={finding.kind} highlight={finding} />
          ))}
        </ol>
      )}
      <div className="summary-next">
        <a className="btn btn-primary" href="/contact?reason=demo">
          Book a Full Demo <ArrowRight size={17} strokeWidth={1.75} />
        </a>
        <button type="button" className="btn btn-outline" onClick={onAgain}>
          Try again
        </button>
      </div>
      <p className="quiet">{NOT_ADVICE}</p>
    </section>
  );
}
