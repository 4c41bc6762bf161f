import { Problem } from "#protocol/errors";
import { isDatabaseAway, isDiskFull, toDatabaseProblem } from "../store/database.ts";

/** Throws the error of a write that failed before anything was done. */
export function rejectUntaken(error: unknown): never {
  throw isDatabaseAway(error) ? toUntakenProblem(error) : error;
}

/**
 * Returns the error for a write that ended without an answer.
 *
 * @param hasBegun something may have been sent, or a generation continues the work
 */
export function toLostProblem(error: unknown, hasBegun: boolean): Problem {
  if (error instanceof Problem) return error;
  if (!isDatabaseAway(error)) return new Problem("INTERNAL", "Something went wrong inside kay.", { cause: error });
  if (!hasBegun) return toUntakenProblem(error);
  const words = isDiskFull(error)
    ? "The disk of the database became full while the backend worked on the request: free some space there."
    : "The database went away while the backend worked on the request.";
  return new Problem("OUTCOME_UNKNOWN", words, { cause: error });
}

/**
 * Returns the error for a write that was not taken because the database is away. `sent: false` tells the client that
 * nothing was done, so that it need not look the outcome up.
 */
function toUntakenProblem(cause: unknown): Problem {
  const { message } = toDatabaseProblem(cause) ?? { message: "The database cannot be reached at the moment." };
  return new Problem("DATABASE_UNAVAILABLE", `${message} Nothing was done.`, { details: { sent: false }, cause });
}
