import { FunctionsClient, FunctionsFetchError, FunctionsHttpError } from "@supabase/functions-js";
import * as v from "valibot";
import { CallError } from "./call-error";
import { readPublicKey } from "./public-key";
import { Answer, Opening, Refusal, Report, understood } from "./shapes";

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
  /** Sends a message. The same key with the same message is done once, however often it is sent. */
  takeTurn(sessionId: string, userMessage: string, key: string): Promise<Answer>;
  completeSession(sessionId: string): Promise<Report>;
  sendReport(sessionId: string, userEmail: string, key: string): Promise<void>;
  /** Sends a contact message by its fields, once for a key. */
  sendContact(fields: Record<string, string>, key: string): Promise<void>;
}

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
    takeTurn: (sessionId, userMessage, key) =>
      patiently(() => invoke("session-turn", { sessionId, userMessage }, Answer, { key, timeout: PATIENCE.turn })),
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
  };
}

interface CallOptions {
  timeout: number;
  /** Idempotency key. */
  key?: string;
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
    { key, timeout }: CallOptions,
  ): Promise<v.InferOutput<S>> => {
    const client = await open();
    const { data, error } = await client.invoke(name, {
      body,
      timeout,
      headers: key === undefined ? {} : { "Idempotency-Key": key },
    });
    if (error) {
      throw await explain(error);
    }
    return understood(schema, data);
  };
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
