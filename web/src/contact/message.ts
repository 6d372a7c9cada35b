import * as v from "valibot";

/**
 * A contact message. This is the one description of it: the form is typed and
 * checked by it, and the server checks by the JSON Schema made of it
 * (`server/contact/message.schema.json`, written by `npm run schema`). The
 * descriptions are what people read when a field is wrong.
 */

/** What a message can be about. */
export const REASONS = ["demo", "pricing", "partnership", "support", "privacy", "other"] as const;

export type Reason = (typeof REASONS)[number];

const ONE_LINE = /^[^\r\n]*$/;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

export const ContactMessage = v.object({
  name: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1),
    v.maxLength(200),
    v.regex(ONE_LINE),
    v.description("Enter your name, up to 200 characters."),
  ),
  email: v.pipe(
    v.string(),
    v.trim(),
    v.maxLength(254),
    v.regex(EMAIL),
    v.description("Enter your email address. Write it like name@example.com."),
  ),
  organization: v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.maxLength(200),
      v.regex(ONE_LINE),
      v.description("Shorten the organization to 200 characters on one line."),
    ),
  ),
  reason: v.pipe(v.picklist(REASONS), v.description("Choose what your message is about.")),
  message: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1),
    v.maxLength(5000),
    v.description("Write your message, up to 5000 characters."),
  ),
});

export type ContactMessage = v.InferOutput<typeof ContactMessage>;

/** The name of a field of the form. */
export type Field = keyof ContactMessage;
