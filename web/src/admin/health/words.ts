import type { Availability, Check } from "./shapes";

const PART: Record<string, string> = {
  database: "Database",
  storage: "Media storage",
  mail: "Mail",
  "language model": "Language model",
  retention: "Retention",
  keys: "Keys",
  "disk space": "Disk space",
  "write-ahead log": "Write-ahead log",
};
export const partName = (name: string) => PART[name] ?? name;

/** The state of the whole, in a sentence. */
export function summary(checks: readonly Check[]): string {
  const failing = checks.filter((check) => check.state === "failing").map((check) => partName(check.name));
  const degraded = checks.filter((check) => check.state === "degraded").map((check) => partName(check.name));
  if (checks.length === 0) {
    return "Nothing was looked at yet";
  }
  if (failing.length > 0) {
    return `Failing: ${[...failing].join(", ")}`;
  }
  return degraded.length > 0 ? `Needs attention: ${degraded.join(", ")}` : "Everything that is configured works";
}

/** How long it is from one moment to another, in its largest unit. */
export function span(from: string, to: string): string {
  const minutes = Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 60_000));
  const [count, unit] =
    minutes < 60
      ? [minutes, "minute"]
      : minutes < 48 * 60
        ? [Math.floor(minutes / 60), "hour"]
        : [Math.floor(minutes / 1440), "day"];
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

/** A share that is never rounded up to more than was measured. */
export const share = ({ percent }: Availability) => `${(Math.floor(percent * 100) / 100).toLocaleString("en")}%`;

export const period = (days: number) => (days === 1 ? "Last 24 hours" : `Last ${days} days`);

export function down({ minutesDown, since, days }: Availability, now: string): string {
  const lost = minutesDown === 0 ? "No minute down" : `${span(since, minutesLater(since, minutesDown))} down`;
  const whole = Date.parse(now) - Date.parse(since) >= days * 86_400_000;
  return whole ? lost : `${lost} in the ${span(since, now)} measured`;
}

const minutesLater = (at: string, minutes: number) => new Date(Date.parse(at) + minutes * 60_000).toISOString();
