import { Lock, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { Paper } from "../drawing/cast";
import { Portrait } from "../drawing/portrait";
import { poseFor } from "../drawing/pose";
import type { Utterance } from "../drawing/trace";
import { TraceBars } from "../drawing/trace-bars";
import { Modal } from "../ui/modal";
import { type Gate as AtGate, type Surface, turnsTaken } from "./machine";
import { COMPLETE } from "./words";

interface GateProps {
  run: AtGate;
  surface: Surface;
  paper: Paper;
  onClose: () => void;
  onMail: (email: string) => void;
}

/** Asks where to send the report, over the blurred conversation. The report itself is not here yet. */
export function Gate({ run, surface, paper, onClose, onMail }: GateProps) {
  return (
    <Modal className="gate" labelledBy="gate-title" describedBy="gate-text" onDismiss={onClose}>
      <p className="gate-done" role="status">
        {COMPLETE[surface]}
      </p>
      <div className="gate-card">
        <button type="button" className="btn btn-icon btn-ghost gate-close" aria-label="Close" onClick={onClose}>
          <X size={20} strokeWidth={1.75} />
        </button>
        <GatePicture run={run} paper={paper} />
        <div className="gate-body">
          <h2 id="gate-title" data-focus tabIndex={-1}>
            Your report is ready
          </h2>
          <p id="gate-text">Where should we send it? You will see it here as soon as the email is on its way.</p>
          <EmailForm sending={run.sending} onMail={onMail} />
          <p className="gate-note">
            <Lock size={16} strokeWidth={1.75} /> We use it for this report. Demo sessions are deleted after{" "}
            {document.documentElement.dataset.retentionDays ?? "90"} days. <a href="/privacy">Privacy &amp; Security</a>
          </p>
        </div>
      </div>
    </Modal>
  );
}

function GatePicture({ run, paper }: { run: AtGate; paper: Paper }) {
  const { portrait } = run.character;
  const words = turnsTaken(run.lines).flatMap(({ said, answer }): Utterance[] => [
    { who: "you", text: said },
    { who: "them", text: answer },
  ]);
  return (
    <div className={`gate-picture paper paper-${paper}`} aria-hidden="true">
      {portrait !== "" && (
        <div className="gate-face">
          <Portrait character={portrait} pose={poseFor(portrait, run.emotion, run.mood)} id="gate-face" />
        </div>
      )}
      <TraceBars utterances={words} />
    </div>
  );
}

const MISSING = "Enter your email address.";
const MALFORMED = "This is not an email address. Write it like name@example.com.";
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

function EmailForm({ sending, onMail }: { sending: boolean; onMail: (email: string) => void }) {
  const [problem, setProblem] = useState("");

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const input = event.currentTarget.elements.namedItem("email") as HTMLInputElement;
    const email = input.value.trim();
    const found = email === "" ? MISSING : EMAIL.test(email) && email.length <= 254 ? "" : MALFORMED;
    setProblem(found);
    if (found) {
      input.focus();
    } else {
      onMail(email);
    }
  }

  return (
    <form className="gate-form" noValidate onSubmit={submit}>
      <label htmlFor="gate-email">Work email</label>
      <input
        id="gate-email"
        name="email"
        type="email"
        autoComplete="email"
        inputMode="email"
        required
        aria-invalid={problem !== ""}
        aria-describedby={problem ? "gate-problem" : undefined}
      />
      {problem && (
        <p id="gate-problem" className="field-problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" className="btn btn-primary btn-lg" aria-disabled={sending}>
        {sending ? "Sending…" : "Send and show my report"}
      </button>
    </form>
  );
}
