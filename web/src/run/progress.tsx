import type { Paper } from "../drawing/cast";
import { ProgressTrace } from "../drawing/progress-trace";
import type { Utterance } from "../drawing/trace";
import { currentTurn, type Encounter, turnsTaken } from "./machine";

/** How far the run is: the words of each turn, and "Turn n / max". */
export function Progress({ run, paper }: { run: Encounter; paper: Paper }) {
  const turn = currentTurn(run);
  const said = turnsTaken(run.lines).map(({ said, answer }): Utterance[] => [
    { who: "you", text: said },
    { who: "them", text: answer },
  ]);
  const label = `Turn ${turn} / ${run.maxTurns}`;
  return (
    <div className="run-progress paper paper-plain">
      <div
        className={`run-progress-bar paper-${paper}`}
        role="progressbar"
        aria-label="Turns"
        aria-valuemin={0}
        aria-valuemax={run.maxTurns}
        aria-valuenow={turn}
        aria-valuetext={label}
      >
        <ProgressTrace turns={said} max={run.maxTurns} />
      </div>
      <span>{label}</span>
    </div>
  );
}
