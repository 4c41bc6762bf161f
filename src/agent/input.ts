import type * as z from "zod/mini";
import { Problem } from "#protocol/errors";

/**
 * Converts validation issues to one sentence that names the first wrong field and its requirement.
 *
 * @param input the rejected input; tells a missing field from a wrong one
 */
export function toInputProblem(tool: string, input: unknown, issues: z.core.$ZodIssue[]): Problem {
  const issue = issues[0];
  const path = (issue?.path ?? []).map(String);
  const field = path.join(".");
  const subject = field ? `“${field}”` : "the input";
  const wrong = issue ? describeIssue(issue, getValueAtPath(input, path)) : "is not accepted";
  const others = [...new Set(issues.slice(1).map(({ path }) => path.map(String).join(".")))].filter(
    (other) => other !== field && other !== "",
  );
  const more = others.length > 0 ? ` (also wrong: ${others.join(", ")})` : "";
  return new Problem("INVALID_REQUEST", `The input of ${tool} is not accepted: ${subject} ${wrong}${more}.`, {
    hint: "",
    details: field ? { field } : {},
  });
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return value === undefined ? "is missing" : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return value === undefined ? "is missing" : `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return formatLimit(issue.origin, "at least", issue.minimum);
    case "too_big":
      return formatLimit(issue.origin, "at most", issue.maximum);
    case "invalid_format":
      return `must be a valid ${issue.format}`;
    case "invalid_union":
      return value === undefined ? "is missing" : `must be ${formatUnion(issue.errors)}`;
    default:
      return issue.message && issue.message !== "Invalid input"
        ? `is not accepted: ${issue.message}`
        : "is not accepted";
  }
}

function formatLimit(origin: string, comparison: string, bound: number | bigint): string {
  if (origin === "string")
    return bound === 1 && comparison === "at least"
      ? "must not be empty"
      : `must have ${comparison} ${bound} characters`;
  if (origin === "array" || origin === "set")
    return `must have ${comparison} ${bound} ${bound === 1 ? "entry" : "entries"}`;
  return `must be ${comparison} ${bound}`;
}

function formatUnion(errors: z.core.$ZodIssue[][]): string {
  const types = errors.flatMap(([first]) =>
    first?.code === "invalid_type" ? [TYPES[first.expected] ?? first.expected] : [],
  );
  return types.length > 0 ? [...new Set(types)].join(" or ") : "something else";
}

function getValueAtPath(input: unknown, path: string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], input);
}

const TYPES: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};
