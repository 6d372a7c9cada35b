import type { ReactNode } from "react";
import type { Paper } from "../drawing/cast";
import { Analysing } from "./analysing";
import { Composer } from "./composer";
import type { Conductor } from "./conductor";
import { Conversation } from "./conversation";
import type { Run, Surface } from "./machine";
import { Progress } from "./progress";
import { COMPLETE, NO_REAL_DATA } from "./words";

type Talking = Extract<Run, { phase: "intro" | "chatting" | "analysing" | "gate" }>;

interface TalkProps {
  run: Talking;
  conductor: Conductor;
  surface: Surface;
  paper: Paper;
  /** Unique on the page. */
  id: string;
  /** Beside the note under the input, for what has no other place. */
  aside?: ReactNode;
}

/** The conversation: progress, what was said, and what the learner does next. Blurred while the run is judged. */
export function Talk({ run, conductor, surface, paper, id, aside }: TalkProps) {
  const blurred = run.phase === "analysing" || (run.phase === "gate" && run.open);
  return (
    <section className={`talk paper-${paper}`} aria-label="Conversation">
      <div className={blurred ? "talk-inner is-blurred" : "talk-inner"} inert={blurred}>
        <Progress run={run} paper={paper} />
        <Conversation
          lines={run.lines}
          name={run.character.name}
          character={run.character.portrait}
          waiting={run.phase === "chatting" && run.sending !== null}
          heard={
            run.phase === "chatting" ? { who: "them", text: run.heard, emotion: run.emotion, mood: run.mood } : null
          }
          id={id}
        />
        {run.phase === "chatting" && (
          <>
            <Composer
              run={run}
              focus={!conductor.resumed}
              id={`${id}-say`}
              onType={(text) => conductor.type(text)}
              onSend={() => void conductor.send()}
            />
            <div className="talk-foot">
              <p>
                <span className="for-keyboards">Enter sends, Shift and Enter starts a new line.</span> {NO_REAL_DATA}
              </p>
              {aside}
            </div>
          </>
        )}
        {run.phase === "gate" && !run.open && (
          <div className="gate-again">
            <p>{COMPLETE[surface]}</p>
            <button type="button" className="btn btn-primary" onClick={() => conductor.openGate()}>
              Get my report
            </button>
          </div>
        )}
      </div>
      {run.phase === "analysing" && <Analysing failed={run.failed} onAgain={() => void conductor.analyseAgain()} />}
    </section>
  );
}
