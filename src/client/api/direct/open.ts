import type { AskStreamResponse } from "#protocol/agent";
import type { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import type { NumberedPart } from "#protocol/numbered-parts";
import type { Caller } from "../caller.ts";
import { toUnknownOutcome } from "../follow.ts";
import { type AskStream, type AskStreamOptions, openEvents } from "../stream.ts";
import { createTurn } from "../turn.ts";
import { createDirectTurn, type DirectTurn } from "./turn.ts";

/**
 * Opens the turn that `POST /ask` assigned, streamed directly from the backend's agent server. `parts` has only the
 * stream; the caller joins it with the log of the conversation.
 */
export function openDirectTurn(
  caller: Caller,
  { prompt }: AskRequest,
  { signal, warn = () => {} }: AskStreamOptions,
  start: AskStreamResponse,
): DirectTurn {
  const { openElsewhere: openStream } = caller.backend;
  if (!openStream) throw new Error("no transport to an agent server");
  return createDirectTurn({ caller, openStream, prompt, signal, warn }, start);
}

/**
 * Opens the turn as the stream of an ask: joins the stream and the log, and yields only parts of this turn, until it
 * ends.
 */
export function streamDirectly(
  caller: Caller,
  request: AskRequest,
  options: AskStreamOptions,
  start: AskStreamResponse,
): AskStream {
  const turn = openDirectTurn(caller, request, options, start);
  return { kind: "stream", sessionId: turn.sessionId, parts: joinWithLog(caller, turn, request, options) };
}

async function* joinWithLog(
  caller: Caller,
  turn: DirectTurn,
  { client }: AskRequest,
  options: AskStreamOptions,
): AsyncGenerator<NumberedPart> {
  const { signal, note, warn } = options;
  const { sessionId, generationId, after = 0 } = turn;
  const ownTurn = createTurn({ sessionId, last: after, generationId });
  const log = openEvents(caller, sessionId, {
    after,
    ...(signal ? { signal } : {}),
    ...(client ? { client } : {}),
    ...(note ? { note } : {}),
    ...(warn ? { warn } : {}),
  })[Symbol.asyncIterator]();
  const stream = turn.parts[Symbol.asyncIterator]();
  let fromLog: Promise<NextPart> | null = readNext("log", log);
  let fromStream: Promise<NextPart> | null = readNext("stream", stream);
  const never = new Promise<never>(() => {});
  let lost: unknown;
  try {
    while (fromLog || fromStream) {
      const { of, part, error }: NextPart = await Promise.race([fromLog ?? never, fromStream ?? never]);
      if (of === "stream") {
        if (error !== undefined) throw error;
        if (part) yield part;
        fromStream = part ? readNext("stream", stream) : null;
      } else {
        lost = error;
        const ownPart = part && ownTurn.take(part);
        if (ownPart) yield* turn.log(ownPart);
        else if (!part) yield* turn.begin();
        fromLog = part ? readNext("log", log) : null;
      }
      if (turn.isOver()) return;
    }
    const error = lost ?? new Problem("UNREACHABLE", "The conversation can no longer be followed.");
    throw toUnknownOutcome(error, ownTurn, options.idempotencyKey);
  } finally {
    if (signal?.aborted && signal.reason !== "SIGHUP" && !turn.hasBegun()) await cancelGeneration(caller, generationId);
    turn.end();
    void log.return?.(undefined)?.then(undefined, () => {});
  }
}

type NextPart = { of: "log" | "stream"; part?: NumberedPart; error?: unknown };

/** Returns the next part. Never rejects: an error is returned too. */
function readNext(source: "log" | "stream", iterator: AsyncIterator<NumberedPart>): Promise<NextPart> {
  return iterator.next().then(
    ({ done, value }) => (done ? { of: source } : { of: source, part: value }),
    (error: unknown) => ({ of: source, error }),
  );
}

/** Cancels a turn without parts, which its reader does not know. */
async function cancelGeneration(caller: Caller, generationId: string): Promise<void> {
  const path = `/generations/${encodeURIComponent(generationId)}/cancel`;
  await caller.bearer({ method: "POST", path, body: {}, timeoutMs: 2_000 }).catch(() => {});
}
