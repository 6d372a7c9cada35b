import { CallError } from "../api/call-error";
import type { BrowserMeta, RunCalls } from "../api/calls";
import { keepAttempt, lastAttempt } from "./attempt";
import { keep, recall, type Shelf } from "./keep";
import { type Happening, NOT_STARTED, next, type Run, type Surface } from "./machine";
import { ENDED, FALLBACK, UNLOCKED_WITHOUT_MAIL } from "./words";

/** Something to tell the visitor beside the page. */
export interface Notice {
  title: string;
  text: string;
  destructive: boolean;
}

/** What a run needs from around it. */
export interface Surroundings {
  calls: RunCalls;
  /** Where the run is kept; without it a refresh starts anew. */
  shelf: Shelf | undefined;
  newKey: () => string;
  browserMeta: () => BrowserMeta;
  notify: (notice: Notice) => void;
}

const SESSION_IS_GONE = ["session_not_found", "session_expired"];

/**
 * Conducts one run: takes what the visitor does, makes the calls, and keeps
 * the state. The rules are the machine's; here is only what they set in motion.
 */
export class Conductor {
  #run: Run = NOT_STARTED;
  #listeners = new Set<() => void>();
  /** The run was found again after a reload and nothing has happened since: the focus is left where it is. */
  resumed = false;
  #mailing: { email: string; key: string } | undefined;

  constructor(
    private readonly slug: string,
    private readonly surface: Surface,
    private readonly around: Surroundings,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly current = (): Run => this.#run;

  /** Takes up the run that a refresh interrupted, together with the call that was under way. */
  resume(): void {
    if (!this.around.shelf || this.#run.phase !== "not-started") {
      return;
    }
    const run = recall(this.around.shelf, this.slug, this.surface);
    this.resumed = run.phase !== "not-started";
    this.#become(run);
    if (run.phase === "chatting" && run.sending) {
      void this.#exchange(run.sessionId, run.sending.text, run.sending.key);
    }
    if (run.phase === "analysing" && !run.failed) {
      void this.#analyse(run.sessionId);
    }
  }

  async start(): Promise<void> {
    if (!this.#happen({ type: "start" })) {
      return;
    }
    try {
      const opening = await this.around.calls.startSession(this.slug, this.around.browserMeta());
      this.#happen({ type: "started", opening });
    } catch (problem) {
      this.#happen({ type: "start-failed" });
      this.#fail(problem, FALLBACK.start);
    }
  }

  begin(): void {
    this.#happen({ type: "begin" });
  }

  type(text: string): void {
    this.#happen({ type: "type", text });
  }

  async send(): Promise<void> {
    if (!this.#happen({ type: "send", key: this.around.newKey() })) {
      return;
    }
    const run = this.#run;
    if (run.phase === "chatting" && run.sending) {
      await this.#exchange(run.sessionId, run.sending.text, run.sending.key);
    }
  }

  async endEarly(): Promise<void> {
    if (this.#happen({ type: "end-early" })) {
      await this.#finish();
    }
  }

  async analyseAgain(): Promise<void> {
    if (this.#happen({ type: "analyse-again" }) && this.#run.phase === "analysing") {
      await this.#analyse(this.#run.sessionId);
    }
  }

  closeGate(): void {
    this.#happen({ type: "close-gate" });
  }

  openGate(): void {
    this.#happen({ type: "open-gate" });
  }

  async mail(email: string): Promise<void> {
    if (!this.#happen({ type: "mail" }) || this.#run.phase !== "gate") {
      return;
    }
    if (this.#mailing?.email !== email) {
      this.#mailing = { email, key: this.around.newKey() };
    }
    try {
      await this.around.calls.sendReport(this.#run.sessionId, email, this.#mailing.key);
      this.#unlock("mailed");
      this.around.notify({ title: "Report sent", text: `It is on its way to ${email}.`, destructive: false });
    } catch (problem) {
      this.#unlock("mail-failed");
      if (this.surface === "widget") {
        this.around.notify({ ...UNLOCKED_WITHOUT_MAIL, destructive: false });
      } else {
        this.#fail(problem, FALLBACK.mail);
      }
    }
  }

  /** Leaves this run behind; the next start opens a new session. */
  again(): void {
    this.#happen({ type: "reset" });
  }

  /** The report opens, if the rules say so, beside the attempt before it; then it is what the next one compares with. */
  #unlock(type: "mailed" | "mail-failed"): void {
    const { shelf } = this.around;
    this.#happen({ type, previous: shelf ? lastAttempt(shelf, this.slug) : null });
    if (shelf && this.#run.phase === "report") {
      keepAttempt(shelf, this.slug, this.#run.report);
    }
  }

  async #exchange(sessionId: string, text: string, key: string): Promise<void> {
    try {
      const hear = (part: string) => this.#happen({ type: "heard", part });
      const answer = await this.around.calls.takeTurn(sessionId, text, key, hear);
      this.#happen({ type: "answered", answer });
    } catch (problem) {
      if (this.#isGone(problem)) {
        return;
      }
      if (problem instanceof CallError && problem.code === "session_completed") {
        this.#happen({ type: "closed" });
      } else {
        this.#happen({ type: "send-failed" });
        const unreached = problem instanceof CallError && problem.code === "network";
        this.#fail(problem, unreached ? FALLBACK.message : FALLBACK.turn);
      }
    }
    await this.#finish();
  }

  /** When the run is over: says why, and has it scored. */
  async #finish(): Promise<void> {
    if (this.#run.phase !== "analysing") {
      return;
    }
    this.around.notify({ title: "Scenario Complete", text: ENDED[this.#run.ending], destructive: false });
    await this.#analyse(this.#run.sessionId);
  }

  async #analyse(sessionId: string): Promise<void> {
    try {
      const report = await this.around.calls.completeSession(sessionId);
      this.#happen({ type: "analysed", report });
    } catch (problem) {
      if (!this.#isGone(problem)) {
        this.#happen({ type: "analysis-failed" });
        this.#fail(problem, FALLBACK.report[this.surface]);
      }
    }
  }

  /** A session that the server no longer has cannot be continued: say so and be ready for another. */
  #isGone(problem: unknown): boolean {
    const gone = problem instanceof CallError && SESSION_IS_GONE.includes(problem.code);
    if (gone) {
      this.#happen({ type: "reset" });
      this.#fail(problem, FALLBACK.gone);
    }
    return gone;
  }

  #fail(problem: unknown, fallback: string): void {
    const said = problem instanceof CallError ? problem.message : "";
    this.around.notify({ title: "Error", text: said || fallback, destructive: true });
  }

  /** Reports whether anything changed. */
  #happen(happening: Happening): boolean {
    const run = next(this.#run, happening, this.surface);
    const changed = run !== this.#run;
    if (changed) {
      this.resumed = false;
      this.#become(run);
      if (this.around.shelf) {
        keep(this.around.shelf, this.slug, this.surface, run);
      }
    }
    return changed;
  }

  #become(run: Run): void {
    this.#run = run;
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
