import * as v from "valibot";

/** Six digits of the app, or a recovery code; how it is spaced does not matter. */
export const Code = v.pipe(
  v.string(),
  v.transform((text) => text.replace(/[\s-]/g, "").toLowerCase()),
  v.regex(/^(\d{6}|[a-z2-7]{10})$/, "Enter the six digits that your app shows, or a recovery code."),
);

export const CodeForm = v.object({ code: Code });
