import type { NumberedPart } from "#protocol/events";
import type { BackendHandle } from "../backend/handle.ts";
import type { Conversation } from "./conversation.ts";

/**
 * Waits, beside the prompt, for a generation that another client starts in this conversation, or for the end of one
 * that waits.
 * @returns its parts from the first one on; never settles without one, on a backend without events, and after `signal`
 */
export async function waitForForeignTurn(
  link: BackendHandle,
  { id, last, left, client }: Conversation,
  signal: AbortSignal,
): Promise<AsyncIterable<NumberedPart>> {
  const parts = id === undefined ? undefined : link.api.events(id, { after: last, client, signal });
  const iterator = parts?.[Symbol.asyncIterator]();
  try {
    for (let next = await iterator?.next(); next && !next.done; next = await iterator?.next()) {
      const { type } = next.value.part;
      // A card that was left open here continues.
      if (left && type !== "data-presence" && iterator) return from(next.value, iterator);
      // The rest of a generation that was cancelled here begins with neither.
      if ((type === "data-user-message" || type === "start") && iterator) return from(next.value, iterator);
    }
  } catch {
    // What cannot be followed is not shown; what is asked here is.
  }
  return new Promise(() => {});
}

async function* from(first: NumberedPart, rest: AsyncIterator<NumberedPart>): AsyncGenerator<NumberedPart> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
