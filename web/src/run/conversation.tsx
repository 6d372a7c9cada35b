import { useEffect, useRef } from "react";
import { Portrait } from "../drawing/portrait";
import { type Character, poseFor } from "../drawing/pose";
import type { Line } from "./machine";
import { EMOTION_WORD } from "./words";

interface ConversationProps {
  lines: readonly Line[];
  name: string;
  character: Character | "";
  /** The reply is being waited for. */
  waiting: boolean;
  /** The reply as far as it has been said; without text nothing was yet. */
  heard: Extract<Line, { who: "them" }> | null;
  /** Unique on the page. */
  id: string;
}

/** What was said so far. A log: what is added is read out once, nothing else. */
export function Conversation({ lines, name, character, waiting, heard, id }: ConversationProps) {
  const log = useRef<HTMLDivElement>(null);
  const length = lines.length;
  const said = heard?.text;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for every new line, when the wait begins, and while it is spoken
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [length, waiting, said]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling log has to scroll by keyboard
    <div ref={log} className="log" role="log" aria-label="Conversation" aria-busy={waiting} tabIndex={0}>
      {lines.map((line, i) => (
        <Said
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are only ever added at the end
          key={i}
          line={line}
          name={name}
          character={character}
          id={`${id}-${i}`}
        />
      ))}
      {waiting && said && (
        // Read out once, when it is complete.
        <div className="hearing" aria-hidden="true">
          <Said line={heard} name={name} character={character} id={`${id}-heard`} />
        </div>
      )}
      {waiting && <div className="waiting" aria-hidden="true" />}
    </div>
  );
}

function Said({ line, name, character, id }: { line: Line; name: string; character: Character | ""; id: string }) {
  switch (line.who) {
    case "scene":
      return (
        <div className="said said-scene">
          <p>
            <b>The situation</b>
            {line.text}
          </p>
        </div>
      );
    case "you":
      return (
        <div className="said said-you">
          <p>
            <span className="sr-only">You: </span>
            {line.text}
          </p>
        </div>
      );
    case "them":
      return (
        <div className="said said-them">
          <span className="said-face">
            {character !== "" && (
              <Portrait character={character} pose={poseFor(character, line.emotion, line.mood)} id={id} />
            )}
          </span>
          <p>
            <b>
              {name} <i>{EMOTION_WORD[line.emotion]}</i>
            </b>
            {line.text}
          </p>
        </div>
      );
  }
}
