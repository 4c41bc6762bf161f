import { Problem } from "#protocol/errors";

/** Whether something failed because its link is over, so that it may be tried again over a new one. */
export function isClosedProblem(error: unknown): boolean {
  return error instanceof Problem && gone.has(error);
}

const gone = new WeakSet<Problem>();

/** Says of a problem that its link is over. */
export function markClosed(problem: Problem): Problem {
  gone.add(problem);
  return problem;
}

/** What becomes of a write whose answer was lost. */
export function unknownOutcomeProblem(title: string, problem: Problem): Problem {
  return new Problem("OUTCOME_UNKNOWN", `${problem.message} It may have been done.`, {
    hint: `Look in ${title} before you repeat it.`,
    cause: problem,
  });
}

/** What becomes of a request that its person ended. */
export function cancelledProblem(title: string, cause: unknown): Problem {
  return new Problem("CANCELLED", `The request to ${title} was cancelled.`, { cause });
}
