import { createClient, FunctionsHttpError, type SupabaseClient } from "@supabase/supabase-js";
import * as v from "valibot";
import { readPublicKey } from "../api/public-key";
import { rememberDevice } from "./device";

/** The stock client. It keeps the sign-in in the browser's local storage and refreshes it by itself. */
export async function openClient(origin: string): Promise<SupabaseClient> {
  const key = await readPublicKey({ origin, fetch: (input, init) => fetch(input, init) });
  return createClient(origin, key, {
    auth: { flowType: "pkce" },
    global: { fetch: rememberDevice(localStorage, (input, init) => fetch(input, init)) },
  });
}

/** Why a call of the console failed; its message is for people. */
export class ConsoleError extends Error {
  constructor(
    message: string,
    /** The server's code, or empty when it did not answer. */
    readonly code = "",
  ) {
    super(message);
    this.name = "ConsoleError";
  }
}

const Refusal = v.object({ error: v.string(), code: v.string() });

/** Calls a function and checks what it answers. Rejects with a ConsoleError. */
export async function invoke<const S extends v.GenericSchema>(
  client: SupabaseClient,
  name: string,
  schema: S,
  body?: Record<string, unknown>,
): Promise<v.InferOutput<S>> {
  const { data, error } = await client.functions.invoke(name, body ? { body } : {});
  if (error) {
    if (error instanceof FunctionsHttpError) {
      const said = v.safeParse(Refusal, await (error.context as Response).json().catch(() => undefined));
      if (said.success) {
        throw new ConsoleError(said.output.error, said.output.code);
      }
    }
    throw new ConsoleError("The server can't be reached. Check your connection and try again.");
  }
  return understood(schema, data);
}

/** The data as what was agreed. */
export function understood<const S extends v.GenericSchema>(schema: S, data: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, data);
  if (!result.success) {
    throw new ConsoleError("The server answered something unexpected. Reload the page.", "unreadable");
  }
  return result.output;
}

/** The message of anything that was thrown. */
export const messageOf = (problem: unknown) => (problem instanceof Error ? problem.message : "Something went wrong.");
