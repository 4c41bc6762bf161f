import type { Kay } from "./kay.ts";

/** Ctrl+C, and who hears it. */
export type Interrupts = { interrupt(): void; catchInterrupts: Kay["catchInterrupts"] };

/** @param otherwise what Ctrl+C does while nobody catches it */
export function createInterrupts(otherwise: () => void): Interrupts {
  let handler = otherwise;
  return {
    interrupt: () => handler(),
    catchInterrupts(caught) {
      const before = handler;
      handler = caught;
      return () => {
        handler = before;
      };
    },
  };
}
