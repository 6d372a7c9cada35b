import { Lock } from "lucide-react";
import { CASES } from "./cases";
import { Stage } from "./stage";
import { NO_REAL_DATA, NOT_ADVICE } from "./words";

const CRITERIA = [
  ["Decision Quality", "The right steps, early enough and in the right order."],
  ["Communication Clarity", "Plain words, one thing at a time, and a handover that can be acted on."],
  ["Empathy & Professionalism", "You notice the fear, answer it, and stay with the patient."],
] as const;

interface IntroductionProps {
  /** After how many days the run is deleted. */
  retentionDays: string;
  starting: boolean;
  onStart: () => void;
}

/** What the scenario is, what is scored and what happens to the words, before anything starts. */
export function Introduction({ retentionDays, starting, onStart }: IntroductionProps) {
  const about = CASES["healthcare-emergency"];
  return (
    <div className="intro wrap">
      <div className="intro-text">
        <h1>Emergency Room: {about.title.toLowerCase()}</h1>
        <section aria-labelledby="intro-overview">
          <h2 id="intro-overview">Overview</h2>
          <p className="lead">
            You are a nurse in the ER. Rosa Delgado, 61, has just arrived with severe chest pain. You talk with her and
            decide what to do; she answers, and her condition follows what you do and what you leave out.
          </p>
        </section>
        <div className="intro-start">
          <button type="button" className="btn btn-primary btn-lg" aria-disabled={starting} onClick={onStart}>
            {starting ? "Starting…" : "Start Scenario"}
          </button>
          <p>Eight turns, about five minutes. No account.</p>
        </div>
        <section aria-labelledby="intro-criteria">
          <h2 id="intro-criteria">Evaluation criteria</h2>
          <dl className="intro-criteria">
            {CRITERIA.map(([name, meaning]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section className="intro-privacy" aria-labelledby="intro-privacy">
          <h2 id="intro-privacy">
            <Lock size={16} strokeWidth={1.75} /> Privacy
          </h2>
          <p>
            What you type is used to play and score this run. Demo sessions are deleted after {retentionDays} days.{" "}
            {NO_REAL_DATA} <a href="/privacy">Privacy &amp; Security</a>
          </p>
          <p>{NOT_ADVICE}</p>
        </section>
      </div>
      <Stage run={{ phase: "not-started" }} about={{ ...about, criteria: [] }} id="intro-face" />
    </div>
  );
}
