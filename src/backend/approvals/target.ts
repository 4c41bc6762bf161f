/** Begins the description of a call's target if it cannot be read. */
export const UNREADABLE = "could not be looked up";

/** Lists the IDs in a description of a call's target: `“Budget” (1qc3Z)`, `“Dentist” (event 5d2d)`. */
export function listTargetIds(target: string): string[] {
  return [...target.matchAll(/\((?:[^()\s]+ )*([^()\s]*\d[^()\s]*)\)/g)].flatMap(([, id]) => id ?? []);
}

/**
 * Whether a description is of the objects with these IDs. What cannot be read is left to the call, which then fails
 * itself.
 */
export function isSameObject(now: string, ids: string[]): boolean {
  return now.startsWith(UNREADABLE) || listTargetIds(now).join() === ids.join();
}
