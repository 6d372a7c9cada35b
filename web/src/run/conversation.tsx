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
  /** Unique on the page. */
  id: string;
}

/** What was said so far. A log: what is added is read out once, nothing else. */
export function Conversation({ lines, name, character, waiting, id }: ConversationProps) {
  const log = useRef<HTMLDivElement>(null);
  const length = lines.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for every new line and when the wait begins
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [length, waiting]);
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
