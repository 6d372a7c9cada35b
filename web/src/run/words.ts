import type { Emotion } from "../drawing/pose";
import type { Ending, Surface } from "./machine";

/** The words of a scenario run. Those of the specification are verbatim. */

export const FALLBACK = {
  start: "Failed to start scenario",
  turn: "Failed to process turn",
  message: "Failed to send message",
  report: { page: "Failed to generate report", widget: "Failed to generate performance report" } satisfies Record<
    Surface,
    string
  >,
  mail: "Failed to send report",
  gone: "This session is no longer available. Start the scenario again.",
};

export const ENDED: Record<Ending, string> = {
  "max-turns": "You've reached the maximum number of turns",
  ended: "The scenario has ended.",
  early: "The scenario has ended.",
};

export const ANALYSING = "Analyzing your performance...";

export const COMPLETE: Record<Surface, string> = {
  page: "Scenario Complete - See Your Report Below",
  widget: "Scenario Complete - See Your Summary Below",
};

export const UNLOCKED_WITHOUT_MAIL = {
  title: "Report Unlocked...",
  text: "We couldn't send the email at this time.",
};

export const BANNER =
  "Due to increasing demo requests, this scenario is limited to 8 interactions — showcasing only a portion of the full capabilities. Contact us to experience the complete training solution.";

export const EMOTION_WORD: Record<Emotion, string> = {
  calm: "Calm",
  anxious: "Anxious",
  angry: "Angry",
  pain: "In pain",
  relieved: "Relieved",
};

export const FIRST_ATTEMPT =
  "Try again, and your next report is compared with this one. Scores and verdicts stay in this tab for that, nothing you wrote.";

export const NOT_ADVICE = "A simulation for training, not medical or professional advice.";
export const NO_REAL_DATA = "Please do not type data of real people.";
