import * as v from "valibot";
import type { Surroundings } from "./calls";

const Fact = v.object({ text: v.string(), at: v.optional(v.string()) });
const Claim = v.object({
  id: v.string(),
  state: v.picklist(["active", "partly", "not_configured", "failing", "measuring"]),
  facts: v.array(Fact),
});
const Status = v.object({ measured_at: v.string(), claims: v.array(Claim) });

/** How the claims of the privacy page stand. */
export type Status = v.InferOutput<typeof Status>;
export type Claim = v.InferOutput<typeof Claim>;

/** Reads it, or is undefined when the server does not say. */
export async function readStatus(around: Pick<Surroundings, "origin" | "fetch">): Promise<Status | undefined> {
  try {
    const response = await around.fetch(`${around.origin}/functions/v1/privacy-status`);
    const result = v.safeParse(Status, await response.json());
    return result.success ? result.output : undefined;
  } catch {
    return undefined; // the page says what is done for each claim without it, too
  }
}
