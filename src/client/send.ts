import type { Clock, Outgoing, Send } from "./ports.ts";
import type { Builtin, Exchange } from "./send/exchange.ts";
import { type Ended, sendProblem } from "./send/faults.ts";
import { loopbackLeg } from "./send/loopback.ts";
import { isLoopback } from "./send/origin.ts";
import { remoteLeg } from "./send/remote.ts";

/**
 * The way out to a backend. One question decides how: plain HTTP to this machine goes by `node:http`, never through a proxy; everything
 * else by undici with proxy and certificate authorities. Redirects are never followed, nothing is repeated, an answer is read whole up to
 * 32 MiB, and `timeoutMs` covers the whole exchange.
 *
 * @param ports.builtin `process.getBuiltinModule`
 * @param ports.env proxies and KAY_CA_FILE
 */
export function createSend(ports: { builtin: Builtin; env: Record<string, string | undefined>; clock: Clock }): Send {
  const loopback = loopbackLeg(ports.builtin);
  const remote = remoteLeg(ports.builtin, ports.env);
  return async (request) => {
    const url = new URL(request.url);
    const limit = startLimit(request, ports.clock);
    const exchange: Exchange = { request, url, signal: limit.signal, sent: false };
    const leg = url.protocol === "http:" && isLoopback(url.hostname) ? loopback : remote;
    try {
      limit.signal.throwIfAborted();
      return await leg(exchange);
    } catch (error) {
      throw sendProblem(error, exchange, limit.ended());
    } finally {
      limit.stop();
    }
  };
}

/** One signal for both ways an exchange is ended from this side: the caller's signal and the time limit. */
function startLimit(request: Outgoing, clock: Clock): { signal: AbortSignal; ended(): Ended; stop(): void } {
  const controller = new AbortController();
  const over = new AbortController();
  let ended: Ended = null;
  const end = (why: Ended) => {
    ended ??= why;
    controller.abort();
  };
  const cancel = () => end("abort");
  if (request.signal?.aborted) cancel();
  request.signal?.addEventListener("abort", cancel, { once: true });
  const elapsed = () => over.signal.aborted || end("timeout");
  clock.sleep(request.timeoutMs, over.signal).then(elapsed, () => {});
  const stop = () => {
    request.signal?.removeEventListener("abort", cancel);
    over.abort();
  };
  return { signal: controller.signal, ended: () => ended, stop };
}
