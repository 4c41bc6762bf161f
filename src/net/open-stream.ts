import { Problem } from "#protocol/errors";
import { type EndReason, toSendProblem } from "./faults.ts";
import type { OpenStream, OutgoingStream, Timer } from "./ports.ts";
import { CONNECT_TIMEOUT_MS, type Exchange, type StreamedAnswer, type Transport } from "./transport.ts";

/** Creates the port for streams: returns the head at once and the body as it arrives, without a limit for the whole. */
export function createOpenStream({ transport, clock }: { transport: Transport; clock: Timer }): OpenStream {
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
      const answer = await transport(exchange);
      exchange.sent = true;
      watch.limit(() => request.idleTimeoutMs);
      return { ...answer, body: watchBody(answer, exchange, watch), close: watch.close };
    } catch (error) {
      watch.stop();
      throw toSendProblem(error, exchange, watch.getEndReason());
    }
  };
}

type Watch = {
  signal: AbortSignal;
  /** Returns how this side ended the exchange. */
  getEndReason(): EndReason;
  /** Pauses the limit after data arrived. */
  pause(): void;
  /** Restarts the limit when the reader asks for more. */
  restart(): void;
  /** Sets a new limit in ms, which may change while it runs. */
  limit(ms: () => number): void;
  /** Ends the exchange. */
  close(): void;
  /** Stops watching. */
  stop(): void;
};

/**
 * Ends an exchange when the caller cancels it, or after too long a silence. Uses a single timer, so that each of many
 * chunks costs only a look at the clock.
 */
function startWatch(request: OutgoingStream, clock: Timer, getConnectLimit: () => number): Watch {
  const controller = new AbortController();
  let endReason: EndReason = null;
  // Null while the reader processes data, which is not silence of the sender.
  let silentSince: number | null = clock.now();
  let limitController = new AbortController();
  const end = (reason: EndReason) => {
    endReason ??= reason;
    stop();
    controller.abort();
  };
  const cancel = () => end("abort");
  const stop = () => {
    request.signal?.removeEventListener("abort", cancel);
    limitController.abort();
  };
  const enforceLimit = async (limitMs: () => number, { signal }: AbortController) => {
    while (!signal.aborted) {
      const silenceMs = silentSince === null ? 0 : clock.now() - silentSince;
      if (silenceMs >= limitMs()) return end({ afterMs: silenceMs });
      await clock.sleep(limitMs() - silenceMs, signal).catch(() => {});
    }
  };
  const limit = (ms: () => number) => {
    limitController.abort();
    limitController = new AbortController();
    silentSince = clock.now();
    void enforceLimit(ms, limitController);
  };
  limit(getConnectLimit);
  if (request.signal?.aborted) cancel();
  request.signal?.addEventListener("abort", cancel, { once: true });
  const pause = () => {
    silentSince = null;
  };
  const restart = () => {
    silentSince = clock.now();
  };
  return {
    signal: controller.signal,
    getEndReason: () => endReason,
    pause,
    restart,
    limit,
    close: cancel,
    stop,
  };
}

async function* watchBody({ body }: StreamedAnswer, exchange: Exchange, watch: Watch): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      watch.pause();
      yield chunk;
      watch.restart();
    }
  } catch (error) {
    throw toBodyProblem(error, exchange, watch.getEndReason());
  } finally {
    watch.stop();
  }
}

function toBodyProblem(error: unknown, exchange: Exchange, endReason: EndReason): Error {
  if (endReason === null || endReason === "abort") return toSendProblem(error, exchange, endReason);
  const seconds = Math.round(endReason.afterMs / 1000);
  return new Problem(
    "TIMED_OUT",
    `No data from ${exchange.url.origin} for ${seconds} s. The connection appears to be dead.`,
    {
      details: { sent: true, idle: true },
      cause: error,
    },
  );
}
