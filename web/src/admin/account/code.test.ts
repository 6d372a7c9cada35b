import * as v from "valibot";
import { expect, test } from "vitest";
import { Code } from "./code";

test.each([
  ["123456", "123456"],
  ["123 456", "123456"],
  ["ABCDE-234fg", "abcde234fg"],
  ["12345", undefined],
  ["1234567", undefined],
  ["abcde-fghi1", undefined],
  ["", undefined],
])("%s", (typed, code) => {
  const result = v.safeParse(Code, typed);
  expect(result.success ? result.output : undefined).toBe(code);
});
