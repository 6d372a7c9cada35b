import * as v from "valibot";

// What the calls for integrations answer, and the form of a webhook.

export const EVENTS = ["contact.received", "run.finished", "report.mailed"] as const;
export const EVENT_NAME: Record<string, string> = {
  "contact.received": "Contact message received",
  "run.finished": "Run finished",
  "report.mailed": "Report mailed",
  "xapi.statements": "Learning records of a run",
  test: "Test",
};
/** The hook id of what goes to the learning record store. */
export const RECORD_STORE = "xapi";

const Hook = v.object({
  id: v.string(),
  url: v.string(),
  events: v.array(v.string()),
  personal: v.boolean(),
  enabled: v.boolean(),
});
const Delivery = v.object({
  id: v.string(),
  hook_id: v.string(),
  event: v.string(),
  state: v.picklist(["queued", "delivered", "failed"]),
  attempts: v.number(),
  created_at: v.string(),
  tried_at: v.nullable(v.string()),
  due_at: v.string(),
  took_ms: v.number(),
  status: v.number(),
  last_error: v.string(),
});
export const Integrations = v.object({
  hooks: v.array(Hook),
  records: v.nullable(v.object({ endpoint: v.string(), actor: v.string() })),
  deliveries: v.array(Delivery),
});
export const NewHook = v.object({ hook: Hook, secret: v.string() });

export const HookInput = v.object({
  url: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty("Enter the address that receives the events."),
    v.maxLength(2000, "Shorten the address to 2000 characters."),
    v.regex(/^https?:\/\/[^\s/]+/i, "Enter an address such as https://example.com/hooks."),
  ),
  events: v.pipe(v.array(v.picklist(EVENTS)), v.minLength(1, "Choose at least one event.")),
  personal: v.boolean(),
});

export type Hook = v.InferOutput<typeof Hook>;
export type Delivery = v.InferOutput<typeof Delivery>;
export type Integrations = v.InferOutput<typeof Integrations>;
export type NewHook = v.InferOutput<typeof NewHook>;
export type HookInput = v.InferOutput<typeof HookInput>;
