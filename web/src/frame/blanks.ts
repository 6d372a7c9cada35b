const BLANK = /\{%(index )?(\.\w+)( \d)?%\}/g;

/** A value as JSON in which the server fills the blanks as JSON strings want them. */
export function jsonBlanks(value: unknown): string {
  return JSON.stringify(value).replace(BLANK, (_, index = "", name: string, place = "") =>
    index ? `{%json (index ${name}${place})%}` : `{%json ${name}%}`,
  );
}
