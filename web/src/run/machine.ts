import type { Answer, Opening, Report } from "../api/shapes";
import type { Emotion } from "../drawing/pose";
import type { Attempt as Previous } from "./attempt";

/** Where a run is offered: embedded in an industry page, or as a page of its own. The rules differ in two places. */
export type Surface = "widget" | "page";

/** Turns of a scenario that does not say how many it has. */
const DEFAULT_MAX_TURNS = 6;

/** Characters of one message; the server accepts no more. */
export const MESSAGE_LIMIT = 2000;

/** One thing said. The scene is the opening, told by nobody. */
export type Line =
  | { who: "scene"; text: string }
  | { who: "you"; text: string }
  | { who: "them"; text: string; emotion: Emotion; mood: number };

/** A message on its way or given back, with the key under which the server accepts it once. */
interface Attempt {
  text: string;
  key: string;
}

/** Why a run is over: the last turn was used, the scenario said so, or the learner ended it. */
export type Ending = "max-turns" | "ended" | "early";

/** What a run has from its start to its end. */
export interface Encounter {
  sessionId: string;
  title: string;
  description: string;
  maxTurns: number;
  character: Opening["character"];
  lines: Line[];
  /** Learner messages that the server accepted. */
  turnCount: number;
  emotion: Emotion;
  /** 0 is the worst, 1 the best. */
  mood: number;
  vitals: Opening["vitals"];
}

export type Run =
  | { phase: "not-started" }
  | { phase: "starting" }
  | (Encounter & { phase: "intro" })
  | (Encounter & {
      phase: "chatting";
      draft: string;
      sending: Attempt | null;
      /** What has been said of the reply that is being waited for. */
      heard: string;
      /** The message that could not be sent; it is back in the draft. */
      failed: Attempt | null;
    })
  | (Encounter & { phase: "analysing"; ending: Ending; failed: boolean })
  | (Encounter & { phase: "gate"; report: Report; open: boolean; sending: boolean })
  | (Encounter & { phase: "report"; report: Report; mailed: boolean; previous: Previous | null });

export type Phase = Run["phase"];
export type Chatting = Extract<Run, { phase: "chatting" }>;
export type Gate = Extract<Run, { phase: "gate" }>;
export type Reported = Extract<Run, { phase: "report" }>;

export type Happening =
  | { type: "start" }
  | { type: "started"; opening: Opening }
  | { type: "start-failed" }
  | { type: "begin" }
  | { type: "type"; text: string }
  | { type: "send"; key: string }
  | { type: "heard"; part: string }
  | { type: "answered"; answer: Answer }
  | { type: "send-failed" }
  | { type: "end-early" }
  /** The server says that the session is already complete. */
  | { type: "closed" }
  | { type: "analysed"; report: Report }
  | { type: "analysis-failed" }
  | { type: "analyse-again" }
  | { type: "close-gate" }
  | { type: "open-gate" }
  | { type: "mail" }
  /** With the attempt before this one, for the report to compare with. */
  | { type: "mailed"; previous: Previous | null }
  | { type: "mail-failed"; previous: Previous | null }
  /** The session is gone, or the visitor wants another run. */
  | { type: "reset" };

export const NOT_STARTED: Run = { phase: "not-started" };

/** The run after something happened. What does not fit the phase changes nothing and returns the same object. */
export function next(run: Run, happening: Happening, surface: Surface): Run {
  if (happening.type === "reset") {
    return run.phase === "not-started" ? run : NOT_STARTED;
  }
  switch (run.phase) {
    case "not-started":
      return happening.type === "start" ? { phase: "starting" } : run;
    case "starting":
      return whileStarting(run, happening, surface);
    case "intro":
      return happening.type === "begin" ? chat(run) : run;
    case "chatting":
      return whileChatting(run, happening);
    case "analysing":
      return whileAnalysing(run, happening);
    case "gate":
      return atGate(run, happening, surface);
    case "report":
      return run;
  }
}

function whileStarting(run: Run, happening: Happening, surface: Surface): Run {
  switch (happening.type) {
    case "started": {
      const encounter = meet(happening.opening);
      // The page told its introduction before the start; the widget tells it now.
      return surface === "widget" ? { ...encounter, phase: "intro" } : chat(encounter);
    }
    case "start-failed":
      return NOT_STARTED;
    default:
      return run;
  }
}

function meet(opening: Opening): Encounter {
  return {
    sessionId: opening.sessionId,
    title: opening.scenarioTitle,
    description: opening.shortDescription,
    maxTurns: opening.maxTurns ?? DEFAULT_MAX_TURNS,
    character: opening.character,
    lines: [{ who: "scene", text: opening.firstMessage }],
    turnCount: 0,
    emotion: opening.emotion,
    mood: opening.mood,
    vitals: opening.vitals,
  };
}

const chat = (encounter: Encounter): Run => ({
  ...encounter,
  phase: "chatting",
  draft: "",
  sending: null,
  heard: "",
  failed: null,
});

function whileChatting(run: Chatting, happening: Happening): Run {
  switch (happening.type) {
    case "type":
      return { ...run, draft: happening.text.slice(0, MESSAGE_LIMIT) };
    case "send":
      return send(run, happening.key);
    case "heard":
      return run.sending ? { ...run, heard: run.heard + happening.part } : run;
    case "answered":
      return run.sending ? answered(run, happening.answer) : run;
    case "send-failed":
      return run.sending ? giveBack(run, run.sending) : run;
    case "end-early":
      return run.sending ? run : analyse(run, "early");
    case "closed":
      return analyse(run.sending ? giveBack(run, run.sending) : run, "ended");
    default:
      return run;
  }
}

/** A message goes out once: not when blank, not while another is on its way. The same words keep their key. */
function send(run: Chatting, key: string): Run {
  const text = run.draft.trim();
  if (text === "" || run.sending) {
    return run;
  }
  const sending = run.failed?.text === text ? run.failed : { text, key };
  return { ...run, lines: [...run.lines, { who: "you", text }], draft: "", sending, failed: null };
}

/** The message leaves the conversation and returns to the input; what was typed meanwhile follows it. */
function giveBack(run: Chatting, attempt: Attempt): Chatting {
  const draft = run.draft.trim() === "" ? attempt.text : `${attempt.text} ${run.draft}`;
  return { ...run, lines: run.lines.slice(0, -1), draft, sending: null, heard: "", failed: attempt };
}

function answered(run: Chatting, answer: Answer): Run {
  const { npcMessage, turnCount, isComplete, emotion, mood, vitals } = answer;
  const reply: Line = { who: "them", text: npcMessage, emotion, mood };
  const heard: Chatting = {
    ...run,
    lines: [...run.lines, reply],
    turnCount,
    emotion,
    mood,
    vitals,
    sending: null,
    heard: "",
  };
  if (turnCount >= run.maxTurns) {
    return analyse(heard, "max-turns");
  }
  return isComplete ? analyse(heard, "ended") : heard;
}

function analyse(run: Chatting, ending: Ending): Run {
  const { draft: _, sending: __, failed: ___, heard: ____, ...encounter } = run;
  return { ...encounter, phase: "analysing", ending, failed: false };
}

function whileAnalysing(run: Extract<Run, { phase: "analysing" }>, happening: Happening): Run {
  switch (happening.type) {
    case "analysed": {
      const { ending: _, failed: __, ...encounter } = run;
      return { ...encounter, phase: "gate", report: happening.report, open: true, sending: false };
    }
    case "analysis-failed":
      return { ...run, failed: true };
    case "analyse-again":
      return run.failed ? { ...run, failed: false } : run;
    default:
      return run;
  }
}

function atGate(run: Gate, happening: Happening, surface: Surface): Run {
  switch (happening.type) {
    case "close-gate":
      return run.sending ? run : { ...run, open: false };
    case "open-gate":
      return { ...run, open: true };
    case "mail":
      return run.sending ? run : { ...run, sending: true };
    case "mailed":
      return unlock(run, true, happening.previous);
    case "mail-failed":
      return surface === "widget" ? unlock(run, false, happening.previous) : { ...run, sending: false };
    default:
      return run;
  }
}

function unlock(run: Gate, mailed: boolean, previous: Previous | null): Run {
  const { open: _, sending: __, ...rest } = run;
  return { ...rest, phase: "report", mailed, previous };
}

/** The turn shown to the learner: the one that is being played, never beyond the last. */
export function currentTurn(run: Encounter): number {
  return Math.min(run.turnCount + 1, run.maxTurns);
}

/** What was said in each turn, for the trace: the learner's words and the answer, if there is one yet. */
export function turnsTaken(lines: readonly Line[]): { said: string; answer: string }[] {
  const turns: { said: string; answer: string }[] = [];
  for (const line of lines) {
    if (line.who === "you") {
      turns.push({ said: line.text, answer: "" });
    }
    const last = turns.at(-1);
    if (line.who === "them" && last) {
      last.answer = line.text;
    }
  }
  return turns;
}
