const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const LONG = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

export const shortDate = (at: string) => DATE.format(new Date(at));
export const longDate = (at: string | null) => (at ? LONG.format(new Date(at)) : "–");
/** A day as the server writes it, YYYY-MM-DD. */
export const dayName = (day: string) => DAY.format(new Date(`${day}T00:00:00Z`));
const ENGINES: Record<string, string> = {
  "built-in": "Built-in engine",
  "built-in-general": "Built-in engine, general mode",
  model: "Language model",
};
/** The engine that answered a turn or judged a criterion, as an admin reads it. */
export const engineName = (engine: string) => ENGINES[engine] ?? engine;
export const percent = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((100 * part) / whole));
/** Today, so many days ago, as YYYY-MM-DD in UTC. */
export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
