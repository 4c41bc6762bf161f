import type { AskRequest, AskResponse } from "#protocol/ask";
import type { NumberedPart } from "#protocol/events";

/** What a stream tells the person beside its parts: `note` that the connection is lost or back, `warn` what of it could not be read. */
export type StreamListener = { note?(text: string): void; warn?(text: string): void };

/** Parts of a conversation as they come. */
export type StreamCalls = {
  /**
   * `POST /ask` as a stream, sent once. A backend that has no streams answers `answer`, like `ask`; so does a stream that broke off before
   * its first part and whose answer was looked up. `parts` end when the generation does. A connection lost on the way is taken up again
   * without a part lost or doubled; parts that came without a number have that of the part before.
   *
   * @throws Problem OUTCOME_UNKNOWN as `ask`; `parts` UNREACHABLE after 60 s without a connection, TIMED_OUT after 120 s without any byte
   */
  askStream(request: AskRequest, options?: AskStreamOptions): Promise<AskStream>;
  /**
   * `GET /sessions/:id/events`: the parts after number `after`, then those to come, over lost connections as above, until the caller leaves
   * the loop or the signal ends. With `live: false` only what is there.
   */
  events(sessionId: string, options?: EventsOptions): AsyncIterable<NumberedPart>;
};

export type AskStreamOptions = StreamListener & { signal?: AbortSignal; idempotencyKey?: string };
export type EventsOptions = StreamListener & { after?: number; live?: boolean; signal?: AbortSignal };

export type AskStream =
  | { kind: "answer"; answer: AskResponse }
  | { kind: "stream"; sessionId?: string; parts: AsyncIterable<NumberedPart> };
