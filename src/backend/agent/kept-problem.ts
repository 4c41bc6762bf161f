import { isErrorCode, Problem } from "#protocol/errors";

/** A problem as a row keeps it. The cause is for the log alone and is not kept. */
export type StoredProblem = { code: string; message: string; hint: string; details: Record<string, unknown> };

export function toStoredProblem({ code, message, hint, details }: Problem): StoredProblem {
  return { code, message, hint, details };
}

/** The same problem again. */
export function fromStoredProblem({ code, message, hint, details }: StoredProblem): Problem {
  return new Problem(isErrorCode(code) ? code : "SERVICE_FAILED", message, { hint, details });
}
