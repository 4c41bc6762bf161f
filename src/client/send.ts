import type { Clock, Outgoing, Send } from "./ports.ts";
import type { Exchange, WayPorts } from "./send/exchange.ts";
import { type Ended, sendProblem } from "./send/faults.ts";
import { createWay } from "./send/way.ts";
import { readWhole } from "./send/whole.ts";

/** The way out to a backend, see `createWay`. An answer is read whole up to 32 MiB, and `timeoutMs` covers the whole exchange. */
export function createSend(ports: WayPorts & { clock: Clock }): Send {
  const way = createWay(ports);
  return async (request) => {
    const url = new URL(request.url);
    const limit = startLimit(request, ports.clock);
    const exchange: Exchange = { request, url, signal: limit.signal, sent: false };
    try {
      limit.signal.throwIfAborted();
      return await readWhole(await way(exchange), url.origin);
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
  const elapsed = () => over.signal.aborted || end({ afterMs: request.timeoutMs });
  clock.sleep(request.timeoutMs, over.signal).then(elapsed, () => {});
  const stop = () => {
    request.signal?.removeEventListener("abort", cancel);
    over.abort();
  };
  return { signal: controller.signal, ended: () => ended, stop };
}
