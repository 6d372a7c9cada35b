import { CaseFile } from "./case-file";
import type { Case } from "./cases";
import { LivingPortrait } from "./living-portrait";
import type { Run } from "./machine";
import { EMOTION_WORD } from "./words";

interface StageProps {
  run: Run;
  about: Case;
  /** Unique on the page. */
  id: string;
}

/** The virtual human: the face, and beside it the facts. Before the start it shows the case, then the run. */
export function Stage({ run, about, id }: StageProps) {
  const on = run.phase !== "not-started" && run.phase !== "starting";
  const shown = on
    ? { ...run.character, emotion: run.emotion, mood: run.mood, vitals: run.vitals }
    : { ...about, portrait: about.character };
  const feels = EMOTION_WORD[shown.emotion];
  return (
    <aside className={`stage paper-${about.paper}`} aria-label={shown.name}>
      <LivingPortrait
        character={shown.portrait}
        emotion={shown.emotion}
        mood={shown.mood}
        title={`${shown.name}, ${feels.toLowerCase()}`}
        id={id}
      />
      <CaseFile
        name={shown.name}
        role={shown.role}
        feels={on ? feels : undefined}
        vitals={shown.vitals}
        criteria={about.criteria}
      />
    </aside>
  );
}
