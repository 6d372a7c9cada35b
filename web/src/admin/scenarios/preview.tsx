import { useMutation } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type FormEvent, useState } from "react";
import * as v from "valibot";
import { Modal } from "../../ui/modal";
import { invoke, messageOf } from "../client";
import { useConsole } from "../context";
import type { ScenarioInput } from "./scenario-input";

const Played = v.object({
  lines: v.array(v.object({ role: v.picklist(["user", "assistant"]), content: v.string() })),
  name: v.string(),
  maxTurns: v.number(),
  ended: v.boolean(),
  report: v.nullable(
    v.object({
      overall: v.number(),
      coachSummary: v.string(),
      dimensionDetails: v.array(v.object({ name: v.string(), score: v.number() })),
      whatToImprove: v.array(v.string()),
    }),
  ),
});

interface PreviewProps {
  draft: ScenarioInput;
  onClose: () => void;
}

/** The admin plays the draft. Nothing is stored, and it does not count as a session. */
export function Preview({ draft, onClose }: PreviewProps) {
  const { client } = useConsole();
  const [said, setSaid] = useState<readonly string[]>([]);
  const play = useMutation({
    mutationFn: ({ messages, finish }: { messages: readonly string[]; finish: boolean }) =>
      invoke(client, "admin-preview", Played, {
        scenario: { ...draft, rubric: JSON.parse(draft.rubric) as Record<string, unknown> },
        messages,
        finish,
      }),
    onSuccess: (_, { messages }) => setSaid(messages),
  });
  const run = play.data;

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const text = String(new FormData(form).get("message") ?? "").trim();
    if (text && !play.isPending) {
      form.reset();
      play.mutate({ messages: [...said, text], finish: false });
    }
  }

  return (
    <Modal className="ask a-play" labelledBy="play-title" onDismiss={onClose}>
      <div className="a-panel-head">
        <h2 id="play-title">{draft.title}</h2>
        <button type="button" className="btn btn-icon btn-ghost" aria-label="Close" onClick={onClose}>
          <X size={20} strokeWidth={1.75} />
        </button>
      </div>
      <p className="a-quiet">A preview of the draft. It is not stored and does not count as a session.</p>
      {!run && (
        <div className="ask-buttons">
          <button
            type="button"
            className="btn btn-primary"
            data-focus
            aria-disabled={play.isPending}
            onClick={() => play.mutate({ messages: [], finish: false })}
          >
            Start
          </button>
        </div>
      )}
      {play.error && (
        <p className="field-problem" role="alert">
          {messageOf(play.error)}
        </p>
      )}
      {run && (
        <>
          <ol className="a-play-log" role="log" aria-label="Preview">
            {run.lines.map((line, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a log's lines are known by their place
              <li key={i} className={line.role === "user" ? "a-log-you" : undefined}>
                <b>{line.role === "user" ? "You" : i === 0 ? "Opening" : run.name || "Virtual human"}</b>
                <p>{line.content}</p>
              </li>
            ))}
          </ol>
          {run.report ? (
            <section aria-label="Judgement">
              <p>
                <b>{run.report.overall} of 100.</b> {run.report.coachSummary}
              </p>
              <ul className="a-play-dims">
                {run.report.dimensionDetails.map(({ name, score }) => (
                  <li key={name}>
                    {name} <b>{score}</b>
                  </li>
                ))}
              </ul>
            </section>
          ) : (
            <form className="a-play-say" onSubmit={send}>
              <label className="sr-only" htmlFor="play-message">
                Your message
              </label>
              <input id="play-message" name="message" autoComplete="off" maxLength={2000} disabled={run.ended} />
              <button type="submit" className="btn btn-primary" aria-disabled={play.isPending || run.ended}>
                Send
              </button>
              <button
                type="button"
                className="btn btn-outline"
                aria-disabled={play.isPending}
                onClick={() => play.mutate({ messages: said, finish: true })}
              >
                Judge it
              </button>
            </form>
          )}
          <p className="a-quiet">
            Turn {Math.min(said.length + (run.ended ? 0 : 1), run.maxTurns)} of {run.maxTurns}
          </p>
        </>
      )}
    </Modal>
  );
}
