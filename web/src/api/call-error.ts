/**
 * Why a call failed.
 * - a code of the server, such as `rate_limited` or `session_not_found`
 * - `network`: no answer came, it is not known whether the server did anything
 * - `unreadable`: an answer came that is not what was agreed
 */
export class CallError extends Error {
  /** @param message what the server says to people; empty when it said nothing */
  constructor(
    readonly code: string,
    message: string,
    /** Seconds after which the server wants to be asked again. */
    readonly retryAfter?: number,
  ) {
    super(message);
    this.name = "CallError";
  }
}
