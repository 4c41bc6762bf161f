import { AsyncLocalStorage } from "node:async_hooks";

/** Ids that belong to every line of the log that is written while something is done. */
export type LogFields = { request?: string; generation?: string; conversation?: string; node?: number; trace?: string };

const fields = new AsyncLocalStorage<LogFields>();

/** Do something of which each line of the log tells these ids, and no others. */
export function withLogFields<T>(these: LogFields, work: () => T): T {
  return fields.run(these, work);
}

/** Those of what is done now. */
export function getLogFields(): LogFields {
  return fields.getStore() ?? {};
}
