import { isGenerationEnd, type NumberedPart, type StreamPart, UNLOGGED_STEP } from "#protocol/events";
import type { PartRead } from "./parts.ts";

/**
 * What of a conversation's log belongs to one ask, whichever connection it comes by: each part once, and none of another generation that
 * the log has beside it.
 */
export type Turn = {
  /** The part to give on, or null. */
  take(read: PartRead): NumberedPart | null;
  /** The conversation, as soon as it is known. */
  sessionId?: string;
  /** Number of the last part, or null when none had one. */
  last: number | null;
  /** Whether the stream said that it is over, by its mark or by a part that ends the generation. */
  over: boolean;
};

/**
 * @param whole take parts of every generation, and let only the mark end it: for who follows a conversation
 * @param generationId whose parts are taken; by default the first that is named
 */
export function createTurn(begin: Pick<Turn, "sessionId" | "last"> & { whole?: true; generationId?: string }): Turn {
  const isOwn = begin.whole ? () => true : ownParts(begin.generationId);
  let beside = 0;
  let ended = false;
  const turn: Turn = {
    sessionId: begin.sessionId,
    last: begin.last,
    over: false,
    take(read) {
      ended ||= read === "done";
      if (read === "done") turn.over = true;
      if (ended || read === "done") return null;
      const { number, part } = read;
      if (number !== undefined && number <= (turn.last ?? -1)) return null;
      beside = number === undefined ? beside + 1 : 0;
      turn.last = number ?? turn.last;
      turn.sessionId ??= getSession(part);
      if (!isOwn(part)) return null;
      if (!begin.whole) turn.over = isGenerationEnd(part);
      return { number: (turn.last ?? 0) + beside * UNLOGGED_STEP, part };
    },
  };
  return turn;
}

/** Tells the parts of the first generation that is named from those of others. One that waits for its turn begins with its own `start`. */
function ownParts(given?: string): (part: StreamPart) => boolean {
  let own = given;
  let begun = false;
  let foreign = false;
  return (part) => {
    if (part.type === "start") {
      const id = part.messageMetadata?.generation_id;
      own ??= id;
      foreign = id !== own;
      begun ||= !foreign;
    }
    if (part.type === "data-status") {
      const { generation_id, status } = part.data;
      own ??= generation_id;
      if (generation_id !== own) return false;
      foreign = status === "paused" && !begun;
      return true;
    }
    return !foreign;
  };
}

function getSession(part: StreamPart): string | undefined {
  if (part.type === "start") return part.messageMetadata?.session_id;
  return part.type === "data-status" ? part.data.session_id : undefined;
}
