import type * as z from "zod/mini";
import { type ErrorCode, Problem } from "./errors.ts";

/**
 * Check a value against a schema of the contract. A wrong shape is one sentence that names the first wrong field, never a stack.
 *
 * @param subject what is being read, for the sentence: "the request", "the answer of GET /connections"
 * @throws Problem with `code` (default INVALID_REQUEST)
 */
export function parseShape<T extends z.core.$ZodType>(
  schema: T,
  value: unknown,
  subject: string,
  code: ErrorCode = "INVALID_REQUEST",
): z.core.output<T> {
  const result = schema._zod.run({ value, issues: [] }, { async: false });
  if (result instanceof Promise) throw new TypeError("schemas of the contract are synchronous");
  if (result.issues.length === 0) return result.value as z.core.output<T>;
  const issue = result.issues[0];
  const where = issue?.path?.length ? `${issue.path.map(String).join(".")}` : "the body";
  throw new Problem(code, `${capital(subject)} has a wrong shape: ${where} ${describe(issue)}.`, {
    details: { field: where },
  });
}

function describe(issue: z.core.$ZodRawIssue | undefined): string {
  if (issue?.code === "invalid_type") {
    return issue.input === undefined ? `is missing` : `must be ${article(String(issue.expected))}`;
  }
  return issue?.message ? `is not accepted (${issue.message})` : "is not accepted";
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
