import type { StreamPart } from "./events.ts";

/**
 * A part with its event number in the conversation's log: `id:` and `data:` of one Server-Sent Event. A part outside
 * the log gets a number between those of its neighbors ({@link UNLOGGED_STEP}).
 */
export type NumberedPart = { number: number; part: StreamPart };

/** Distance between parts outside the log, small enough that all of them fit between two events. */
export const UNLOGGED_STEP = 2 ** -30;

/** Header that names the conversation of a stream. */
export const SESSION_HEADER = "kay-session-id";

/** Whether a part ends the generation. A stream without such a part broke off. */
export function isGenerationEnd(part: StreamPart): boolean {
  return part.type === "finish" || part.type === "abort" || part.type === "error";
}
