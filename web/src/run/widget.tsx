import type { RefCallback } from "react";
import { Modal } from "../ui/modal";
import { CASES, type CaseSlug } from "./cases";
import { EndEarly } from "./end-early";
import { Gate } from "./gate";
import { Stage } from "./stage";
import { Summary } from "./summary";
import { Talk } from "./talk";
import { useRun } from "./use-run";
import { NO_REAL_DATA, NOT_ADVICE } from "./words";

/** A scenario to try, embedded in a page. */
export function ScenarioWidget({ slug }: { slug: CaseSlug }) {
  const [run, conductor] = useRun(slug, "widget");
  const about = CASES[slug];
  const id = `widget-${slug}`;
  return (
    <section className={`widget paper-${about.paper}`} aria-label={`Try it: ${about.title}`}>
      <Stage run={run} about={about} id={`${id}-face`} />
      {(run.phase === "not-started" || run.phase === "starting") && (
        <div className="widget-start">
          <h2>{about.title}</h2>
          <p className="lead">{about.teaser}</p>
          <button
            type="button"
            className="btn btn-primary btn-lg"
            aria-disabled={run.phase === "starting"}
            onClick={() => void conductor.start()}
          >
            {run.phase === "starting" ? "Starting…" : "Start Scenario"}
          </button>
          <p className="quiet">
            {NOT_ADVICE} {NO_REAL_DATA}
          </p>
        </div>
      )}
      {run.phase === "intro" && (
        <Intro
          title={run.title}
          description={run.description}
          maxTurns={run.maxTurns}
          onBegin={() => conductor.begin()}
          onLeave={() => conductor.again()}
        />
      )}
      {(run.phase === "intro" || run.phase === "chatting" || run.phase === "analysing" || run.phase === "gate") && (
        <Talk
          run={run}
          conductor={conductor}
          surface="widget"
          paper={about.paper}
          id={`${id}-talk`}
          aside={
            run.phase === "chatting" && (
              <EndEarly disabled={run.sending !== null} onConfirm={() => void conductor.endEarly()} />
            )
          }
        />
      )}
      {run.phase === "gate" && run.open && (
        <Gate
          run={run}
          surface="widget"
          paper={about.paper}
          onClose={() => conductor.closeGate()}
          onMail={(email) => void conductor.mail(email)}
        />
      )}
      {run.phase === "report" && (
        <Summary run={run} headingRef={conductor.resumed ? undefined : focusNow} onAgain={() => conductor.again()} />
      )}
    </section>
  );
}

interface IntroProps {
  title: string;
  description: string;
  maxTurns: number;
  onBegin: () => void;
  onLeave: () => void;
}

/** What the learner is about to do, before the first word. */
function Intro({ title, description, maxTurns, onBegin, onLeave }: IntroProps) {
  return (
    <Modal className="ask" labelledBy="intro-title" describedBy="intro-text" onDismiss={onLeave}>
      <h2 id="intro-title">{title}</h2>
      <div id="intro-text">
        <p>{description}</p>
        <p>You have {maxTurns} turns. Type as you would speak; the answers depend on what you say and what you miss.</p>
        <p className="quiet">
          {NOT_ADVICE} {NO_REAL_DATA}
        </p>
      </div>
      <div className="ask-buttons">
        <button type="button" className="btn btn-primary btn-lg" data-focus onClick={onBegin}>
          Begin Scenario
        </button>
      </div>
    </Modal>
  );
}

const focusNow: RefCallback<HTMLElement> = (heading) => heading?.focus();
