import { runInNewContext } from "node:vm";

/**
 * Do synchronous work that may not come to an end by itself: what somebody else's regular expression or schema makes of a text.
 *
 * @param ms it is stopped after so many milliseconds
 * @throws Error with code `ERR_SCRIPT_EXECUTION_TIMEOUT` when it was, and whatever `work` throws
 */
export function runWithTimeout<T>(ms: number, work: () => T): T {
  return runInNewContext("work()", { work }, { timeout: ms }) as T;
}

/** Whether work was stopped by {@link withinTime}. */
export function isTimeoutError(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
