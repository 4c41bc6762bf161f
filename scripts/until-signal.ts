import { constants } from "node:os";

/**
 * Runs work that starts processes. On Ctrl+C, SIGTERM or SIGHUP its signal aborts; when the work has thrown, this process
 * ends. Pending waits in it are abandoned.
 */
export async function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const end = (name: NodeJS.Signals) => ending.abort(name);
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, end);
  try {
    return await work(ending.signal);
  } catch (error) {
    if (!ending.signal.aborted) throw error;
    return process.exit(128 + constants.signals[ending.signal.reason as NodeJS.Signals]);
  }
}
