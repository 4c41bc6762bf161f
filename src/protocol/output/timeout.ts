import { runInNewContext } from "node:vm";

/**
 * Runs synchronous work that may not terminate, such as an untrusted regular expression or schema.
 *
 * @param ms time limit
 * @throws Error with code `ERR_SCRIPT_EXECUTION_TIMEOUT` after the limit, or whatever `work` throws
 */
export function runWithTimeout<T>(ms: number, work: () => T): T {
  return runInNewContext("work()", { work }, { timeout: ms }) as T;
}

/** Whether an error means that {@link runWithTimeout} hit its limit. */
export function isTimeoutError(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
