import type * as z from "zod/mini";
import { type ErrorCode, Problem } from "./errors.ts";

/**
 * Checks a value against a schema. The error is one sentence that names the first invalid field.
 *
 * @param subject name of the value in the error, such as "the request"
 * @throws Problem with `code` (default: INVALID_REQUEST) when the value does not match
 */
export function parseShape<T extends z.core.$ZodType>(
  schema: T,
  value: unknown,
  subject: string,
  code: ErrorCode = "INVALID_REQUEST",
): z.core.output<T> {
  const result = schema._zod.run({ value, issues: [] }, { async: false });
  if (result instanceof Promise) throw new TypeError("protocol schemas must be synchronous");
  if (result.issues.length === 0) return result.value as z.core.output<T>;
  const issue = result.issues[0];
  const field = issue?.path?.length ? `${issue.path.map(String).join(".")}` : "the body";
  throw new Problem(code, `${capitalize(subject)} is not valid: ${field} ${describeIssue(issue)}.`, {
    details: { field },
  });
}

function describeIssue(issue: z.core.$ZodRawIssue | undefined): string {
  if (issue?.code === "invalid_type") {
    return issue.input === undefined ? `is missing` : `must be ${addArticle(String(issue.expected))}`;
  }
  return issue?.message ? `is not accepted (${issue.message})` : "is not accepted";
}

function addArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

/** Writes the first letter in upper case. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
