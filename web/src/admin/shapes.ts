import * as v from "valibot";

// What the console's calls answer, checked where it enters.

export const INDUSTRIES = ["healthcare", "airlines", "corporate"] as const;
export type Industry = (typeof INDUSTRIES)[number];
export const INDUSTRY_NAME: Record<Industry, string> = {
  healthcare: "Healthcare",
  airlines: "Airlines",
  corporate: "Corporate / Sales",
};
export const INDUSTRY_PAPER: Record<Industry, string> = { healthcare: "rose", airlines: "sky", corporate: "ledger" };

const industry = v.picklist(INDUSTRIES);

export const Scenario = v.object({
  id: v.string(),
  title: v.string(),
  slug: v.string(),
  industry,
  short_description: v.string(),
  system_prompt: v.string(),
  rubric: v.record(v.string(), v.unknown()),
  max_turns: v.number(),
  is_public: v.boolean(),
  thumbnail_url: v.nullable(v.string()),
  updated_at: v.string(),
});
export const ScenarioList = v.object({ scenarios: v.array(Scenario), modelConnected: v.boolean() });
export const OneScenario = v.object({ scenario: Scenario });

export const Session = v.object({
  id: v.string(),
  scenarios: v.object({ title: v.string(), industry }),
  started_at: v.string(),
  completed_at: v.nullable(v.string()),
  turn_count: v.number(),
  score_overall: v.nullable(v.number()),
  score_dimensions: v.nullable(v.record(v.string(), v.number())),
  user_email: v.nullable(v.string()),
  visitor_ip: v.nullable(v.string()),
  geo_city: v.nullable(v.string()),
  geo_country: v.nullable(v.string()),
  user_agent: v.nullable(v.string()),
  email_sent_at: v.nullable(v.string()),
});
export const SessionList = v.object({ sessions: v.array(Session), total: v.optional(v.number()) });

const evidence = v.object({ turn: v.number(), start: v.number(), end: v.number(), quote: v.string() });
const judged = v.object({
  overall: v.number(),
  dimensionDetails: v.array(v.object({ name: v.string(), score: v.number() })),
  criteria: v.array(
    v.object({
      id: v.string(),
      dimension: v.string(),
      title: v.string(),
      verdict: v.picklist(["met", "partly_met", "missed", "harmful", "not_reached"]),
      points: v.number(),
      maxPoints: v.number(),
      evidence: v.nullable(v.array(evidence)),
      feedback: v.string(),
      engine: v.optional(v.string(), ""),
    }),
  ),
  turns: v.array(v.object({ turn: v.number(), delta: v.number(), score: v.number() })),
  engine: v.string(),
  note: v.optional(v.string(), ""),
});

export const SessionDetail = v.object({
  session: v.object({
    ...Session.entries,
    ai_report: v.nullable(v.string()),
    raw_log: v.array(v.object({ role: v.picklist(["user", "assistant"]), content: v.string() })),
    max_turns: v.number(),
    report: v.nullable(judged),
    engines: v.array(v.string()),
  }),
});

const sums = v.object({
  key: v.string(),
  industry: v.optional(v.string(), ""),
  sessions: v.number(),
  completed: v.number(),
  emails: v.number(),
  averageScore: v.nullable(v.number()),
});
const step = v.object({ name: v.string(), count: v.number() });
export const Overview = v.object({
  total: sums,
  ctaConversion: v.number(),
  days: v.array(sums),
  scenarios: v.array(sums),
  funnel: v.array(step),
  dropOff: v.array(step),
  contactWaiting: v.number(),
  recent: v.array(Session),
  model: v.nullable(
    v.object({
      model: v.string(),
      available: v.boolean(),
      reason: v.optional(v.string(), ""),
      callsToday: v.number(),
      callLimit: v.number(),
    }),
  ),
  period: v.object({ from: v.string(), to: v.string() }),
});

export const Contact = v.object({
  id: v.string(),
  received_at: v.string(),
  reason: v.string(),
  name: v.string(),
  email: v.string(),
  organization: v.string(),
  message: v.string(),
  suspicious: v.boolean(),
  answered_at: v.nullable(v.string()),
});
export const ContactList = v.object({ messages: v.array(Contact) });

/** Everything about one mail address; the export has all of it. */
export const Person = v.looseObject({
  email: v.string(),
  sessions: v.array(v.looseObject({ id: v.string(), scenario: v.string(), started_at: v.string() })),
  contact_messages: v.array(v.looseObject({ id: v.string(), received_at: v.string() })),
  letters: v.array(v.looseObject({ id: v.string(), kind: v.string(), state: v.string(), created_at: v.string() })),
  account: v.optional(v.looseObject({ created_at: v.string() })),
});

export const Medium = v.object({
  id: v.string(),
  file_name: v.string(),
  file_path: v.string(),
  file_type: v.picklist(["image", "video"]),
  industry,
  caption: v.nullable(v.string()),
  display_order: v.number(),
});

const auditEntry = v.object({
  seq: v.number(),
  at: v.string(),
  actor_kind: v.string(),
  actor_id: v.string(),
  actor_email: v.string(),
  address: v.string(),
  action: v.string(),
  object: v.string(),
  result: v.string(),
  detail: v.nullable(v.record(v.string(), v.string())),
  erased: v.boolean(),
});
export const AuditVerification = v.object({
  at: v.string(),
  whole: v.boolean(),
  entries: v.number(),
  problems: v.array(v.string()),
});
export const AuditPage = v.object({
  entries: v.array(auditEntry),
  next: v.nullable(v.number()),
  actions: v.array(v.string()),
  people: v.array(v.object({ id: v.string(), email: v.string() })),
  verified: v.nullable(AuditVerification),
});

export const Done = v.object({ success: v.literal(true) });
export const Csv = v.object({ csv: v.string() });

export type Scenario = v.InferOutput<typeof Scenario>;
export type Session = v.InferOutput<typeof Session>;
export type SessionDetail = v.InferOutput<typeof SessionDetail>["session"];
export type AuditEntry = v.InferOutput<typeof auditEntry>;
export type AuditVerification = v.InferOutput<typeof AuditVerification>;
export type Overview = v.InferOutput<typeof Overview>;
export type Sums = v.InferOutput<typeof sums>;
export type Step = v.InferOutput<typeof step>;
export type Contact = v.InferOutput<typeof Contact>;
export type Medium = v.InferOutput<typeof Medium>;

const signIn = v.object({
  id: v.string(),
  this: v.boolean(),
  started_at: v.string(),
  used_at: v.string(),
  method: v.picklist(["password", "oauth"]),
  second_factor: v.boolean(),
  address: v.string(),
  user_agent: v.string(),
});
export const Account = v.object({
  sign_ins: v.array(signIn),
  recovery_codes_left: v.number(),
  has_password: v.boolean(),
});
export const Enrolment = v.object({ id: v.string(), totp: v.object({ qr_code: v.string(), secret: v.string() }) });
export type Enrolment = v.InferOutput<typeof Enrolment>;
export const RecoveryCodes = v.object({ codes: v.array(v.string()) });
