import { CornerDownLeft } from "lucide-react";
import type { KeyboardEvent, RefCallback } from "react";
import { type Chatting, MESSAGE_LIMIT } from "./machine";

interface ComposerProps {
  run: Chatting;
  /** Where the visitor is: the input takes the focus as it appears, unless the page was just reloaded. */
  focus: boolean;
  id: string;
  onType: (text: string) => void;
  onSend: () => void;
}

/** The input. What may not be sent is ignored by the machine, so the button never has to be dead. */
export function Composer({ run, focus, id, onType, onSend }: ComposerProps) {
  const listener = run.character.name.split(" ")[0];
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {run.failed && (
        <p id={`${id}-failed`} className="not-sent">
          Not sent. Your words are back in the box: send them again.
        </p>
      )}
      <label className="sr-only" htmlFor={id}>
        Your message
      </label>
      <textarea
        ref={focus ? focusNow : undefined}
        id={id}
        rows={1}
        placeholder={listener ? `Say something to ${listener}` : "Your message"}
        maxLength={MESSAGE_LIMIT}
        enterKeyHint="send"
        aria-describedby={run.failed ? `${id}-failed` : undefined}
        value={run.draft}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => sendOnEnter(event, onSend)}
      />
      <button type="submit" className="btn btn-primary" aria-disabled={run.sending !== null}>
        Send <CornerDownLeft size={17} strokeWidth={1.75} />
      </button>
    </form>
  );
}

/** Enter sends, Shift+Enter starts a line; the Enter that ends a composition of characters does neither. */
function sendOnEnter(event: KeyboardEvent, send: () => void) {
  if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
    event.preventDefault();
    send();
  }
}

const focusNow: RefCallback<HTMLTextAreaElement> = (input) => input?.focus();
