import { describe, expect, it } from "vitest";
import type { Check } from "./shapes";
import { down, share, span, summary } from "./words";

const NOW = "2026-11-20T12:00:00Z";
const ago = (minutes: number) => new Date(Date.parse(NOW) - minutes * 60_000).toISOString();

const check = (name: string, state: Check["state"]): Check => ({
  name,
  state,
  note: "",
  since: NOW,
  measuredAt: NOW,
  lastError: "",
  lastErrorAt: null,
});

describe("summary", () => {
  it.each([
    [[], "Nothing was looked at yet"],
    [[check("database", "ok"), check("mail", "off")], "Everything that is configured works"],
    [[check("mail", "degraded"), check("keys", "ok")], "Needs attention: Mail"],
    [[check("mail", "degraded"), check("storage", "failing")], "Failing: Media storage"],
  ])("%j", (checks, want) => {
    expect(summary(checks)).toBe(want);
  });
});

describe("span", () => {
  it.each([
    [-5, "0 minutes"],
    [1, "1 minute"],
    [59, "59 minutes"],
    [60, "1 hour"],
    [47 * 60, "47 hours"],
    [48 * 60, "2 days"],
  ])("%d minutes", (minutes, want) => {
    expect(span(ago(minutes), NOW)).toBe(want);
  });
});

describe("availability", () => {
  it.each([
    [100, "100%"],
    [99.999, "99.99%"],
    [99.9, "99.9%"],
    [0, "0%"],
  ])("%d is never rounded up", (percent, want) => {
    expect(share({ since: NOW, days: 1, percent, minutesDown: 0 })).toBe(want);
  });
  it.each([
    [1440, 0, "No minute down"],
    [1440, 1, "1 minute down"],
    [180, 0, "No minute down in the 3 hours measured"],
    [180, 75, "1 hour down in the 3 hours measured"],
  ])("%d minutes measured, %d down", (measured, minutesDown, want) => {
    expect(down({ since: ago(measured), days: 1, percent: 100, minutesDown }, NOW)).toBe(want);
  });
});
