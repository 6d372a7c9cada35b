import { FunctionsClient, FunctionsFetchError, FunctionsHttpError } from "@supabase/functions-js";
import * as v from "valibot";
import { CallError } from "./call-error";
import { readEvents } from "./events";
import { readPublicKey } from "./public-key";
import { Answer, Erased, Opening, OwnData, Part, Refusal, Report, understood } from "./shapes";

/** What the door needs from the browser; a test passes its own. */
export interface Surroundings {
  origin: string;
  fetch: typeof fetch;
  wait: (milliseconds: number) => Promise<void>;
}

/** The window in which a run is played, told to the server at its start. */
export interface BrowserMeta {
  width: number;
  height: number;
  language: string;
  userAgent: string;
}

/** The calls that a visitor's pages make. Every one rejects with a CallError and nothing else. */
export interface Calls {
  startSession(scenarioSlug: string, browserMeta: BrowserMeta): Promise<Opening>;
  /**
   * Sends a message. The same key with the same message is done once, however
   * often it is sent. What is said of the reply before it is complete is heard.
   */
  takeTurn(sessionId: string, userMessage: string, key: string, hear?: (part: string) => void): Promise<Answer>;
  completeSession(sessionId: string): Promise<Report>;
  sendReport(sessionId: string, userEmail: string, key: string): Promise<void>;
  /** Sends a contact message by its fields, once for a key. */
  sendContact(fields: Record<string, string>, key: string): Promise<void>;
  /** Has a link mailed by which the address's owner sees and deletes what is kept. */
  askForOwnData(email: string): Promise<void>;
  /** Everything about the owner of a mailed link. */
  ownData(token: string): Promise<OwnData>;
  eraseOwnData(token: string): Promise<Erased>;
}

/** Those of a run. */
export type RunCalls = Pick<Calls, "startSession" | "takeTurn" | "completeSession" | "sendReport">;

/** Milliseconds to wait for an answer. Playing a turn and judging a run may ask a language model. */
const PATIENCE = { start: 20_000, turn: 60_000, complete: 120_000, mail: 30_000 };

/** The same request is still being worked on: ask again instead of failing, but not for ever. */
const IN_PROGRESS = ["request_in_progress", "turn_in_progress"];
const ASK_AGAIN = 15;

export function openCalls(around: Surroundings): Calls {
  const invoke = invoker(around);

  async function patiently<T>(call: () => Promise<T>): Promise<T> {
    for (let asked = 1; ; asked++) {
      try {
        return await call();
      } catch (problem) {
        const busy = problem instanceof CallError && IN_PROGRESS.includes(problem.code);
        if (!busy || asked === ASK_AGAIN) {
          throw problem;
        }
        await around.wait(1000 * Math.min(problem.retryAfter ?? 1, 5));
      }
    }
  }

  return {
    startSession: (scenarioSlug, browserMeta) =>
      invoke("session-start", { scenarioSlug, browserMeta }, Opening, { timeout: PATIENCE.start }),
    takeTurn: (sessionId, userMessage, key, hear) =>
      patiently(() =>
        invoke("session-turn", { sessionId, userMessage }, Answer, { key, timeout: PATIENCE.turn, hear }),
      ),
    completeSession: (sessionId) =>
      patiently(() => invoke("session-complete", { sessionId }, Report, { timeout: PATIENCE.complete })),
    sendReport: async (sessionId, userEmail, key) => {
      await patiently(() =>
        invoke("send-report-email", { sessionId, userEmail }, v.unknown(), { key, timeout: PATIENCE.mail }),
      );
    },
    sendContact: async (fields, key) => {
      await patiently(() => invoke("send-contact-email", fields, v.unknown(), { key, timeout: PATIENCE.mail }));
    },
    askForOwnData: async (email) => {
      await invoke("privacy-request", { email }, v.unknown(), { timeout: PATIENCE.mail });
    },
    ownData: (token) => invoke("privacy-data", { token }, OwnData, { timeout: PATIENCE.mail }),
    eraseOwnData: (token) => invoke("privacy-erase", { token }, Erased, { timeout: PATIENCE.mail }),
  };
}

interface CallOptions {
  timeout: number;
  /** Idempotency key. */
  key?: string;
  /** The answer is wanted while it is being said. */
  hear?: ((part: string) => void) | undefined;
}

/** Speaks to the functions with the public key, which is fetched before the first call. */
function invoker(around: Surroundings) {
  let opened: Promise<FunctionsClient> | undefined;

  function open(): Promise<FunctionsClient> {
    opened ??= openClient(around).catch((problem) => {
      opened = undefined; // the next call tries again
      throw problem;
    });
    return opened;
  }

  return async <const S extends v.GenericSchema>(
    name: string,
    body: Record<string, unknown>,
    schema: S,
    { key, timeout, hear }: CallOptions,
  ): Promise<v.InferOutput<S>> => {
    const client = await open();
    const { data, error } = await client.invoke(name, {
      body,
      timeout,
      headers: {
        ...(key !== undefined && { "Idempotency-Key": key }),
        ...(hear && { Accept: "text/event-stream, application/json" }),
      },
    });
    if (error) {
      throw await explain(error);
    }
    return understood(schema, data instanceof Response ? await lastWord(data, timeout, hear) : data);
  };
}

/** The answer at the end of a stream; its parts are heard on the way. */
async function lastWord(stream: Response, patience: number, hear?: (part: string) => void): Promise<unknown> {
  let answer: unknown;
  await readEvents(stream, patience, (name, data) => {
    switch (name) {
      case "part":
        hear?.(understood(Part, data).text);
        break;
      case "answer":
        answer = data;
        break;
      case "error": {
        const { code, error } = understood(Refusal, data);
        throw new CallError(code, error);
      }
    }
  });
  if (answer === undefined) {
    throw new CallError("network", ""); // it broke off: nobody knows whether the turn was stored
  }
  return answer;
}

async function openClient(around: Surroundings): Promise<FunctionsClient> {
  const publicKey = await readPublicKey(around);
  return new FunctionsClient(`${around.origin}/functions/v1`, {
    headers: { apikey: publicKey, Authorization: `Bearer ${publicKey}` },
    customFetch: around.fetch,
  });
}

/** The client reports only "non-2xx"; what the server said is in the response. */
async function explain(error: unknown): Promise<CallError> {
  if (error instanceof FunctionsHttpError && error.context instanceof Response) {
    const response = error.context;
    const refusal = v.safeParse(Refusal, await response.json().catch(() => undefined));
    return refusal.success
      ? new CallError(refusal.output.code, refusal.output.error, seconds(response.headers.get("Retry-After")))
      : new CallError("unreadable", "");
  }
  return new CallError(error instanceof FunctionsFetchError || isAbort(error) ? "network" : "unreadable", "");
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === "AbortError";

function seconds(header: string | null): number | undefined {
  const value = Number.parseInt(header ?? "", 10);
  return Number.isNaN(value) || value < 0 ? undefined : value;
}
