import { Problem } from "#protocol/errors";
import { isDatabaseAway, toDatabaseProblem } from "../store/database.ts";

/**
 * Returns the error for a write that was not taken because the database is away. `sent: false` tells the client that
 * nothing was done, so that it need not look the outcome up.
 */
export function notTakenProblem(cause: unknown): Problem {
  const { message } = toDatabaseProblem(cause) ?? { message: "The database cannot be reached at the moment." };
  return new Problem("DATABASE_UNAVAILABLE", `${message} Nothing was done.`, { details: { sent: false }, cause });
}

/**
 * Returns the error for a write that ended without an answer.
 *
 * @param begun something may have been sent, or a generation continues the work
 */
export function toLostProblem(error: unknown, begun: boolean): Problem {
  if (error instanceof Problem) return error;
  if (!isDatabaseAway(error)) return new Problem("INTERNAL", "Something went wrong inside kay.", { cause: error });
  if (!begun) return notTakenProblem(error);
  return new Problem("OUTCOME_UNKNOWN", "The database went away while the backend worked on the request.", {
    cause: error,
  });
}
