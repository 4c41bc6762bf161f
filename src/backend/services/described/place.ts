/**
 * A place in the answer of a service: names and numbers between dots, `data.tasks.0.id`; `$` is the answer itself. A small part of JSONPath
 * (RFC 9535) without anything that searches.
 */
export const PATH_PATTERN = /^(?:\$|(?:\$\.)?[\w-]+(?:\.[\w-]+)*)$/;

/** `{places}` in a template over an answer. */
export const PATH_SLOT_PATTERN = /\{(\$|[\w-]+(?:\.[\w-]+)*)\}/g;

/** What stands at a place of an answer; only what the answer itself has, never what every object inherits. */
export function getAtPath(answer: unknown, place: string): unknown {
  const steps = place
    .replace(/^\$\.?/, "")
    .split(".")
    .filter(Boolean);
  return steps.reduce<unknown>((inner, step) => {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, step)) return undefined;
    return (inner as Record<string, unknown>)[step];
  }, answer);
}
