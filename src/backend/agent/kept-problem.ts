import { isErrorCode, Problem } from "#protocol/errors";

/** A problem as a row keeps it. The cause is for the log alone and is not kept. */
export type KeptProblem = { code: string; message: string; hint: string; details: Record<string, unknown> };

export function keptProblem({ code, message, hint, details }: Problem): KeptProblem {
  return { code, message, hint, details };
}

/** The same problem again. */
export function reopened({ code, message, hint, details }: KeptProblem): Problem {
  return new Problem(isErrorCode(code) ? code : "SERVICE_FAILED", message, { hint, details });
}
