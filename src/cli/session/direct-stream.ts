import type { DirectTurn } from "#client/api/direct/turn";
import type { NumberedPart } from "#protocol/numbered-parts";

/** A turn that is streamed from an agent server, if there is one, merged with the log of the conversation. */
export type DirectStream = {
  /** Resolves when the turn has started. Ends the previous one first. */
  begin(turn: DirectTurn): Promise<void>;
  /** Handles a part of the log. */
  log(part: NumberedPart): void;
  end(): void;
};

/**
 * Creates the stream.
 *
 * @param tell called once with each part of the conversation
 */
export function createDirectStream(tell: (part: NumberedPart) => void): DirectStream {
  let turn: DirectTurn | undefined;
  let started: string | undefined;
  let isBegun = () => {};
  const tellAll = (parts: NumberedPart[]) => {
    for (const part of parts) tell(part);
  };
  const streamParts = async (ownTurn: DirectTurn) => {
    for await (const part of ownTurn.parts) if (turn === ownTurn) tell(part);
  };
  return {
    begin(next) {
      turn?.end();
      turn = next;
      const begun = new Promise<void>((resolve) => {
        isBegun = resolve;
      });
      // The log may have arrived before the answer.
      if (started === next.generationId) {
        tellAll(next.begin());
        isBegun();
      }
      void streamParts(next);
      return begun;
    },
    log(part) {
      if (part.part.type === "start") started = part.part.messageMetadata?.generation_id;
      if (!turn) return tell(part);
      tellAll(turn.log(part));
      if (turn.hasBegun()) isBegun();
      if (turn.isClosed()) turn = undefined;
    },
    end() {
      turn?.end();
      turn = undefined;
    },
  };
}
