import * as v from "valibot";
import { INDUSTRIES } from "../shapes";

/** The scenario form: what is typed, checked by the rules that the server has too. */
export const ScenarioInput = v.object({
  title: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty("Enter a title."),
    v.maxLength(200, "Shorten the title to 200 characters."),
  ),
  slug: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty("Enter a slug."),
    v.maxLength(80, "Shorten the slug to 80 characters."),
    v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "Use lower-case letters, digits and single hyphens, such as cardiac-arrest."),
  ),
  industry: v.picklist(INDUSTRIES, "Choose an industry."),
  short_description: v.pipe(v.string(), v.trim(), v.maxLength(1000, "Shorten the description to 1000 characters.")),
  system_prompt: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty("Describe the virtual human's role."),
    v.maxLength(50_000, "Shorten it to 50,000 characters."),
  ),
  rubric: v.pipe(v.string(), v.nonEmpty("Enter the rubric as JSON."), v.rawCheck(jsonObject)),
  max_turns: v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.nonEmpty("Enter a number from 1 to 50."), v.transform(Number))]),
    v.number("Enter a number from 1 to 50."),
    v.integer("Enter a whole number from 1 to 50."),
    v.minValue(1, "Enter a number from 1 to 50."),
    v.maxValue(50, "Enter a number from 1 to 50."),
  ),
  is_public: v.boolean(),
  thumbnail_url: v.pipe(
    v.string(),
    v.trim(),
    v.union(
      [v.literal(""), v.pipe(v.string(), v.url(), v.regex(/^https?:\/\//))],
      "Enter a web address that starts with https://, or leave it empty.",
    ),
  ),
});

export type ScenarioInput = v.InferOutput<typeof ScenarioInput>;
export type ScenarioFields = v.InferInput<typeof ScenarioInput>;

function jsonObject({ dataset, addIssue }: v.RawCheckContext<string>): void {
  if (dataset.typed) {
    const problem = rubricProblem(dataset.value);
    if (problem) {
      addIssue({ message: problem });
    }
  }
}

/** What is wrong with a rubric, with the line where a mistake is; empty when nothing is. */
function rubricProblem(text: string): string {
  try {
    const rubric: unknown = JSON.parse(text);
    const isObject = typeof rubric === "object" && rubric !== null && !Array.isArray(rubric);
    return isObject ? "" : "The rubric has to be a JSON object: { … }.";
  } catch (problem) {
    return `The rubric is not valid JSON: ${problem instanceof Error ? problem.message : "look at its marks"}`;
  }
}
