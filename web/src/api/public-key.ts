import { CallError } from "./call-error";
import type { Surroundings } from "./calls";
import { Config, understood } from "./shapes";

/** The key that every call carries. */
export async function readPublicKey({ origin, fetch }: Pick<Surroundings, "origin" | "fetch">): Promise<string> {
  const response = await fetch(`${origin}/config.json`).catch(() => {
    throw new CallError("network", "");
  });
  if (!response.ok) {
    throw new CallError("network", "");
  }
  return understood(Config, await response.json().catch(() => undefined)).publicKey;
}
