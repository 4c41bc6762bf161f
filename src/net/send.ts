import { Problem } from "#protocol/errors";
import { isLoopbackHost } from "./addresses.ts";
import { findExtraCaProblem } from "./authorities.ts";
import { createDirectTransport } from "./direct.ts";
import { type EndReason, findMissingNetwork, toSendProblem } from "./faults.ts";
import type { Incoming, Outgoing, Send, Timer } from "./ports.ts";
import { createProxyTransport } from "./proxied.ts";
import { findProxy } from "./proxy.ts";
import {
  CONNECT_TIMEOUT_MS,
  type Exchange,
  type StreamedAnswer,
  type Transport,
  type TransportPorts,
} from "./transport.ts";

/**
 * Creates the port for requests to a backend; see `createTransport`. Reads answers of up to 32 MiB; `timeoutMs` covers
 * the whole exchange.
 */
export function createSend(ports: TransportPorts & { clock: Timer }): Send {
  const transport = createTransport(ports);
  return async (request) => {
    const url = new URL(request.url);
    const exchange: Exchange = { request, url, signal: new AbortController().signal, sent: false };
    const limit = startLimit(request, ports.clock, () => exchange.sent);
    exchange.signal = limit.signal;
    try {
      limit.signal.throwIfAborted();
      return await readBody(await transport(exchange), url.origin);
    } catch (error) {
      throw toSendProblem(error, exchange, limit.getEndReason());
    } finally {
      limit.stop();
    }
  };
}

/** Combines the caller's signal and the time limits for connecting and for the whole exchange. */
function startLimit(
  request: Outgoing,
  clock: Timer,
  isSent: () => boolean,
): { signal: AbortSignal; getEndReason(): EndReason; stop(): void } {
  const controller = new AbortController();
  const stopController = new AbortController();
  let endReason: EndReason = null;
  const end = (reason: EndReason) => {
    endReason ??= reason;
    controller.abort();
  };
  const cancel = () => end("abort");
  if (request.signal?.aborted) cancel();
  request.signal?.addEventListener("abort", cancel, { once: true });
  const { timeoutMs } = request;
  const connectMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs);
  const watch = async () => {
    await clock.sleep(connectMs, stopController.signal);
    if (!isSent() && !stopController.signal.aborted) return end({ afterMs: connectMs });
    if (connectMs < timeoutMs) await clock.sleep(timeoutMs - connectMs, stopController.signal);
    if (!stopController.signal.aborted) end({ afterMs: timeoutMs });
  };
  watch().catch(() => {});
  const stop = () => {
    request.signal?.removeEventListener("abort", cancel);
    stopController.abort();
  };
  return { signal: controller.signal, getEndReason: () => endReason, stop };
}

/** Largest answer: 32 MiB. A larger one ends the exchange with BAD_ANSWER. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Reads a whole answer, up to the limit. `origin` names the sender in errors. */
export async function readBody({ status, headers, body }: StreamedAnswer, origin: string): Promise<Incoming> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Throwing inside the loop closes the connection.
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) {
      throw new Problem("BAD_ANSWER", `The answer from ${origin} is larger than 32 MiB.`, { details: { sent: true } });
    }
    chunks.push(chunk);
  }
  return { status, headers, body: Buffer.concat(chunks).toString("utf8") };
}

/**
 * Creates the transport to a backend: through a proxy if one applies to the URL, otherwise direct. A request to
 * this machine is always direct. Follows no redirects and retries nothing.
 *
 * @param ports.builtin `process.getBuiltinModule`
 * @param ports.env proxies and KAY_CA_FILE
 */
export function createTransport({ builtin, env }: TransportPorts): Transport {
  const direct = createDirectTransport(builtin, env);
  return async (exchange) => {
    const { url } = exchange;
    exchange.findExtraCaProblem = () => findExtraCaProblem(builtin, env);
    if (isLoopbackHost(url.hostname)) return direct(exchange);
    exchange.findMissingNetwork = (code) => findMissingNetwork(builtin, url.hostname, code);
    const proxy = findProxy(url, env, builtin("node:net").BlockList);
    return proxy ? createProxyTransport(builtin, env, proxy)(exchange) : direct(exchange);
  };
}
