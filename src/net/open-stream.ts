import { Problem } from "#protocol/errors";
import { type EndReason, toSendProblem } from "./faults.ts";
import type { OpenStream, OutgoingStream, Timer } from "./ports.ts";
import { CONNECT_TIMEOUT_MS, type Exchange, type StreamedAnswer, type Transport } from "./transport.ts";

/** The way out for streams: the head at once, the body as it comes, no limit for the whole. `way` is that of `createWay`. */
export function createOpenStream({ way, clock }: { way: Transport; clock: Timer }): OpenStream {
  return async (request) => {
    const exchange: Exchange = {
      request,
      url: new URL(request.url),
      signal: new AbortController().signal,
      sent: false,
    };
    const watch = startWatch(request, clock, () =>
      exchange.sent ? request.headTimeoutMs : Math.min(CONNECT_TIMEOUT_MS, request.headTimeoutMs),
    );
    exchange.signal = watch.signal;
    try {
      watch.signal.throwIfAborted();
      const answer = await way(exchange);
      exchange.sent = true;
      watch.limit(() => request.idleTimeoutMs);
      return { ...answer, body: watchedBody(answer, exchange, watch), close: watch.close };
    } catch (error) {
      watch.stop();
      throw toSendProblem(error, exchange, watch.ended());
    }
  };
}

type Watch = {
  signal: AbortSignal;
  /** Why the exchange was ended from this side. */
  ended(): EndReason;
  /** Something came: the wait is over until the reader asks for more. */
  heard(): void;
  /** The reader asks for more: the wait begins anew. */
  asked(): void;
  /** Another limit counts from now on, in milliseconds; it may change while it runs. */
  limit(ms: () => number): void;
  /** End the exchange. */
  close(): void;
  /** Watch no more. */
  stop(): void;
};

/**
 * Ends an exchange when the caller wants it, or when nothing was heard for too long. One timer at a time, so that each of many thousand
 * chunks costs no more than a look at the clock.
 */
function startWatch(request: OutgoingStream, clock: Timer, first: () => number): Watch {
  const controller = new AbortController();
  let ended: EndReason = null;
  // Null while the reader is busy with what came, which is no silence of the other side.
  let since: number | null = clock.now();
  let over = new AbortController();
  const end = (why: EndReason) => {
    ended ??= why;
    stop();
    controller.abort();
  };
  const cancel = () => end("abort");
  const stop = () => {
    request.signal?.removeEventListener("abort", cancel);
    over.abort();
  };
  const keep = async (limitMs: () => number, { signal }: AbortController) => {
    while (!signal.aborted) {
      const waited = since === null ? 0 : clock.now() - since;
      if (waited >= limitMs()) return end({ afterMs: waited });
      await clock.sleep(limitMs() - waited, signal).catch(() => {});
    }
  };
  const limit = (ms: () => number) => {
    over.abort();
    over = new AbortController();
    since = clock.now();
    void keep(ms, over);
  };
  limit(first);
  if (request.signal?.aborted) cancel();
  request.signal?.addEventListener("abort", cancel, { once: true });
  const heard = () => {
    since = null;
  };
  const asked = () => {
    since = clock.now();
  };
  return { signal: controller.signal, ended: () => ended, heard, asked, limit, close: cancel, stop };
}

async function* watchedBody({ body }: StreamedAnswer, exchange: Exchange, watch: Watch): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      watch.heard();
      yield chunk;
      watch.asked();
    }
  } catch (error) {
    throw bodyProblem(error, exchange, watch.ended());
  } finally {
    watch.stop();
  }
}

function bodyProblem(error: unknown, exchange: Exchange, ended: EndReason): Error {
  if (ended === null || ended === "abort") return toSendProblem(error, exchange, ended);
  const seconds = Math.round(ended.afterMs / 1000);
  return new Problem(
    "TIMED_OUT",
    `No data from ${exchange.url.origin} for ${seconds} s; the connection appears to be dead.`,
    {
      details: { sent: true, idle: true },
      cause: error,
    },
  );
}
