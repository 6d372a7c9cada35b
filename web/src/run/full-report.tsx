import { ArrowRight, Printer } from "lucide-react";
import type { RefCallback } from "react";
import type { Highlight } from "../api/shapes";
import type { Paper } from "../drawing/cast";
import { Portrait } from "../drawing/portrait";
import { poseFor } from "../drawing/pose";
import { ReportStrip } from "../drawing/report-strip";
import { compare } from "./attempt";
import { Comparison } from "./comparison";
import { Criteria } from "./criteria";
import { DimensionBar } from "./dimension-bar";
import { dimensionsOf, highlightsOf, scoredTurns, whole } from "./findings";
import { HighlightItem } from "./highlight-item";
import type { Reported } from "./machine";
import { TurnList } from "./turn-list";
import { turnsOf } from "./turns";
import { FIRST_ATTEMPT, NOT_ADVICE } from "./words";
import "./report.css";

interface FullReportProps {
  run: Reported;
  /** The product's name, for paper. */
  brand: string;
  paper: Paper;
  headingRef: RefCallback<HTMLElement> | undefined;
  onAgain: () => void;
}

/** The whole report of a run, as the page shows and prints it. */
export function FullReport({ run, brand, paper, headingRef, onAgain }: FullReportProps) {
  const { report, lines } = run;
  const scored = scoredTurns(report, lines);
  const turns = turnsOf(report, lines);
  return (
    <article className="report" aria-labelledby="report-title">
      <p className="report-letterhead">
        <b>{brand}</b> {run.title}
      </p>
      <ReportHead run={run} headingRef={headingRef} />
      {scored.length > 0 && (
        <div className={`paper paper-${paper} report-strip`}>
          <ReportStrip turns={scored} label={`Score by turn: ${scored.map(({ score }) => whole(score)).join(", ")}`} />
        </div>
      )}
      <div className="report-body wrap">
        <h2 className="sr-only">Scores by dimension</h2>
        <div className="dimensions">
          {dimensionsOf(report).map((dimension) => (
            <DimensionBar key={dimension.name} dimension={dimension} />
          ))}
        </div>
        {run.previous && <Comparison compared={compare(run.previous, report)} Heading="h2" />}
        <div className="report-columns">
          <Findings
            title="What went well"
            highlights={highlightsOf(report, "well", lines)}
            plain={report.whatWentWell}
            none="Nothing in this run could be quoted as done well."
          />
          <Findings
            title="What to improve"
            highlights={highlightsOf(report, "improve", lines)}
            plain={report.whatToImprove}
            none="Nothing to add: every criterion that came up was met."
          />
        </div>
        {turns.length > 0 && (
          <section className="report-turns" aria-labelledby="turns-title">
            <h2 id="turns-title">Your run, turn by turn</h2>
            <TurnList turns={turns} name={run.character.name} />
          </section>
        )}
        {report.criteria.length > 0 && <Criteria report={report} lines={lines} />}
        <Next first={run.previous === null} onAgain={onAgain} />
        <p className="quiet">
          {report.note} {NOT_ADVICE}
        </p>
      </div>
    </article>
  );
}

function ReportHead({ run, headingRef }: Pick<FullReportProps, "run" | "headingRef">) {
  const { portrait } = run.character;
  return (
    <div className="report-head wrap">
      <div>
        <h1 id="report-title" ref={headingRef} tabIndex={-1}>
          Scenario complete. Here is how it went, turn by turn.
        </h1>
        <p className="lead">{run.report.coachSummary}</p>
      </div>
      {portrait !== "" && (
        <div className="report-face">
          <Portrait character={portrait} pose={poseFor(portrait, run.emotion, run.mood)} id="report-face" />
        </div>
      )}
      <p className="report-score">
        <strong>{whole(run.report.overall)}</strong>
        <span>Overall score, of 100</span>
      </p>
    </div>
  );
}

interface FindingsProps {
  title: string;
  highlights: readonly Highlight[];
  /** The same findings as sentences, for a report that has no parts. */
  plain: readonly string[];
  none: string;
}

function Findings({ title, highlights, plain, none }: FindingsProps) {
  return (
    <section>
      <h2>{title}</h2>
      {highlights.length > 0 ? (
        <ol className="findings">
          {highlights.map((highlight) => (
            <HighlightItem key={`${highlight.turn} ${highlight.title}`} highlight={highlight} />
          ))}
        </ol>
      ) : (
        <ul className="findings-plain">
          {(plain.length > 0 ? plain : [none]).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Next({ first, onAgain }: { first: boolean; onAgain: () => void }) {
  return (
    <div className="report-next">
      <h3>This was the short version. See it run on your own protocol.</h3>
      <div className="report-buttons">
        <a className="btn btn-primary btn-lg" href="/contact?reason=demo">
          Book a Full Demo <ArrowRight size={18} strokeWidth={1.75} />
        </a>
        <button type="button" className="btn btn-outline btn-lg" onClick={onAgain}>
          Try again
        </button>
        <button type="button" className="btn btn-ghost btn-lg" onClick={() => window.print()}>
          <Printer size={18} strokeWidth={1.75} /> Print
        </button>
      </div>
      {first && <p className="quiet">{FIRST_ATTEMPT}</p>}
    </div>
  );
}
