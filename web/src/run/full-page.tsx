import type { RefCallback } from "react";
import { Mark } from "../drawing/mark";
import { CASES } from "./cases";
import { EndEarly } from "./end-early";
import { FullReport } from "./full-report";
import { Gate } from "./gate";
import { Introduction } from "./introduction";
import { Stage } from "./stage";
import { Talk } from "./talk";
import { useRun } from "./use-run";
import { followVisibleHeight } from "./visible-height";

const SLUG = "healthcare-emergency";

interface FullPageRunProps {
  /** The product's name for the logo. */
  brand: string;
  retentionDays: string;
}

/** The emergency room as a page of its own. */
export function FullPageRun({ brand, retentionDays }: FullPageRunProps) {
  const [run, conductor] = useRun(SLUG, "page");
  const about = CASES[SLUG];
  const waiting = run.phase === "not-started" || run.phase === "starting";
  const talking =
    run.phase === "intro" || run.phase === "chatting" || run.phase === "analysing" || run.phase === "gate";
  return (
    <div ref={followVisibleHeight} className={talking ? "run-page run-page-talk" : "run-page"}>
      <header className="run-bar">
        <div className="run-bar-where">
          <a className="logo" href="/" aria-label={`${brand} home`}>
            <Mark />
            <span>{brand}</span>
          </a>
          <span className="run-bar-title">{waiting ? about.title : run.title}</span>
        </div>
        {run.phase === "chatting" ? (
          <EndEarly disabled={run.sending !== null} onConfirm={() => void conductor.endEarly()} />
        ) : (
          <a className="btn btn-outline" href="/industries/healthcare">
            Back to Healthcare
          </a>
        )}
      </header>
      <main id="main">
        {waiting && (
          <Introduction
            retentionDays={retentionDays}
            starting={run.phase === "starting"}
            onStart={() => void conductor.start()}
          />
        )}
        {talking && (
          <div className="room">
            <h1 className="sr-only">{run.title}</h1>
            <Stage run={run} about={about} id="page-face" />
            <Talk run={run} conductor={conductor} surface="page" paper={about.paper} id="page-talk" />
          </div>
        )}
        {run.phase === "report" && (
          <FullReport
            run={run}
            brand={brand}
            paper={about.paper}
            headingRef={conductor.resumed ? undefined : focusNow}
            onAgain={() => conductor.again()}
          />
        )}
      </main>
      {run.phase === "gate" && run.open && (
        <Gate
          run={run}
          surface="page"
          paper={about.paper}
          onClose={() => conductor.closeGate()}
          onMail={(email) => void conductor.mail(email)}
        />
      )}
    </div>
  );
}

const focusNow: RefCallback<HTMLElement> = (heading) => heading?.focus();
