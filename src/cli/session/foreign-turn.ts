import type { NumberedPart } from "#protocol/events";
import type { BackendHandle } from "../backend/handle.ts";
import type { Conversation } from "./conversation.ts";

/**
 * Wait, beside the prompt, for a generation that somebody else begins in this conversation, or for what becomes of one that waits.
 *
 * @returns its parts from the first one on; it never settles where nothing comes, where the backend has no events, and after `signal`
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
      // A card that was left open here goes on.
      if (left && type !== "data-presence" && iterator) return from(next.value, iterator);
      // What is left of a generation that was cancelled here begins with neither.
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
