import type { StreamPart } from "#protocol/events";
import { isGenerationEnd, type NumberedPart, UNLOGGED_STEP } from "#protocol/numbered-parts";
import type { PartRead } from "./parts.ts";

/**
 * Selects the parts of one ask from a conversation's log, over any connection: each part once, and none of other
 * generations.
 */
export type Turn = {
  /** Returns the part to emit, or null. */
  take(read: PartRead): NumberedPart | null;
  /** ID of the conversation, once known. */
  sessionId?: string;
  /** Number of the last part, or null if none had one. */
  last: number | null;
  /** Whether the stream is complete, by its final mark or the end of the generation. */
  over: boolean;
};

/**
 * Creates a selection of parts.
 *
 * @param begin.whole accept parts of every generation until the final mark, to follow a conversation
 * @param begin.generationId generation to select (default: the first one named)
 */
export function createTurn(begin: Pick<Turn, "sessionId" | "last"> & { whole?: true; generationId?: string }): Turn {
  const isOwn = begin.whole ? () => true : createPartFilter(begin.generationId);
  let beside = 0;
  let hasEnded = false;
  const turn: Turn = {
    sessionId: begin.sessionId,
    last: begin.last,
    over: false,
    take(read) {
      hasEnded ||= read === "done";
      if (read === "done") turn.over = true;
      if (hasEnded || read === "done") return null;
      const { number, part } = read;
      if (number !== undefined && number <= (turn.last ?? -1)) return null;
      beside = number === undefined ? beside + 1 : 0;
      turn.last = number ?? turn.last;
      turn.sessionId ??= getSessionId(part);
      if (!isOwn(part)) return null;
      if (!begin.whole) turn.over = isGenerationEnd(part);
      return { number: (turn.last ?? 0) + beside * UNLOGGED_STEP, part };
    },
  };
  return turn;
}

/**
 * Creates a filter for the parts of one generation, by default the first one named. A queued generation has a separate
 * `start`.
 */
function createPartFilter(generationId?: string): (part: StreamPart) => boolean {
  let ownGeneration = generationId;
  let hasBegun = false;
  let foreign = false;
  return (part) => {
    if (part.type === "start") {
      const id = part.messageMetadata?.generation_id;
      ownGeneration ??= id;
      foreign = id !== ownGeneration;
      hasBegun ||= !foreign;
    }
    if (part.type === "data-status") {
      const { generation_id, status } = part.data;
      ownGeneration ??= generation_id;
      if (generation_id !== ownGeneration) return false;
      foreign = status === "paused" && !hasBegun;
      return true;
    }
    return !foreign;
  };
}

function getSessionId(part: StreamPart): string | undefined {
  if (part.type === "start") return part.messageMetadata?.session_id;
  return part.type === "data-status" ? part.data.session_id : undefined;
}
