import type { ReactNode } from "react";
import { engineName } from "../frame/format";
import type { SessionDetail } from "../shapes";

/** All that was said, with the words that count as evidence marked and the running score beside them. */
export function Log({ session }: { session: SessionDetail }) {
  const scores = new Map(session.report?.turns.map(({ turn, score }) => [turn, score]));
  let turn = 0;
  return (
    <section className="a-panel a-flush" aria-labelledby="log">
      <div className="a-panel-head">
        <h2 id="log">Raw log</h2>
        {session.report && <span className="a-quiet">Running score</span>}
      </div>
      <ol className="a-log">
        {session.raw_log.map((line, i) => {
          const learner = line.role === "user";
          turn += learner ? 1 : 0;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a log's lines are known by their place
            <li key={i} id={learner ? `turn-${turn}` : undefined} className={learner ? "a-log-you" : undefined}>
              <div className="a-who">
                {learner ? "Learner" : i === 0 ? "Opening" : "Virtual human"}
                {learner && <small>Turn {turn}</small>}
                {!learner && i > 0 && <small>{engineName(session.engines[turn] ?? "")}</small>}
              </div>
              <p>{learner ? marked(line.content, evidenceOf(session, turn)) : line.content}</p>
              {learner && <b className="a-log-score">{scores.get(turn) ?? ""}</b>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

interface Found {
  start: number;
  end: number;
  title: string;
  harmful: boolean;
}

function evidenceOf({ report }: SessionDetail, turn: number): Found[] {
  return (report?.criteria ?? [])
    .flatMap((criterion) =>
      (criterion.evidence ?? [])
        .filter((found) => found.turn === turn)
        .map(({ start, end }) => ({ start, end, title: criterion.title, harmful: criterion.verdict === "harmful" })),
    )
    .sort((a, b) => a.start - b.start || b.end - a.end);
}

/** The text with its evidence marked. Offsets are in characters as people count them, not in code units. */
function marked(text: string, found: readonly Found[]): ReactNode {
  const characters = [...text];
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end, title, harmful } of found) {
    if (start < at) {
      continue; // inside of what is marked already
    }
    parts.push(characters.slice(at, start).join(""));
    parts.push(
      <mark key={start} className={harmful ? "is-harmful" : undefined} title={title}>
        {characters.slice(start, end).join("")}
      </mark>,
    );
    at = end;
  }
  parts.push(characters.slice(at).join(""));
  return parts;
}
