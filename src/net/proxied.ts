import type { Dispatcher } from "undici";
import { loadAuthorities } from "./authorities.ts";
import { type HttpProxy, maskProxy } from "./proxy.ts";
import { type Exchange, flattenHeaders, type LoadBuiltin, type StreamedAnswer, type Transport } from "./transport.ts";

/**
 * Through a proxy: undici, loaded when first needed, with an explicit dispatcher for the proxy and the certificate authorities. It serves one
 * exchange and is then destroyed, so no stale connection can lose a write's answer and no idle one keeps the process alive. undici
 * follows no redirect and repeats nothing by itself here.
 */
export function createProxyTransport(
  builtin: LoadBuiltin,
  env: Record<string, string | undefined>,
  proxy: HttpProxy,
): Transport {
  return async (exchange) => {
    exchange.proxy = `${maskProxy(proxy)} (${proxy.variable})`;
    const dispatcher = await createDispatcher(proxy, loadAuthorities(builtin, env));
    const stop = () => void dispatcher.destroy(exchange.signal.reason);
    exchange.signal.addEventListener("abort", stop, { once: true });
    const over = () => {
      exchange.signal.removeEventListener("abort", stop);
      dispatcher.destroy().catch(() => {});
    };
    return dispatch(builtin, dispatcher, exchange, over).catch((error: unknown) => {
      over();
      throw error;
    });
  };
}

async function createDispatcher(proxy: HttpProxy, ca: string[] | undefined): Promise<Dispatcher> {
  // The default export is there in the package and in a bundle of it; the named ones are lost when a CommonJS module is bundled.
  const { ProxyAgent } = (await import("undici")).default;
  const limits = { headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0, pipelining: 0, allowH2: false };
  const tls = { ...(ca ? { ca } : {}), timeout: 0, allowH2: false };
  return new ProxyAgent({ uri: proxy.url.href, requestTls: tls, proxyTls: tls, ...limits });
}

/** Resolves with the head. The body takes from the connection what its reader asks for, and ends the dispatcher when it is over. */
function dispatch(
  builtin: LoadBuiltin,
  dispatcher: Dispatcher,
  exchange: Exchange,
  over: () => void,
): Promise<StreamedAnswer> {
  const { request, url } = exchange;
  let resume = () => {};
  const body = new (builtin("node:stream").Readable)({
    read: () => resume(),
    destroy: (error, done) => {
      over();
      done(error);
    },
  });
  return new Promise((resolve, reject) => {
    if (exchange.signal.aborted) return reject(exchange.signal.reason);
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers: request.headers,
        body: request.body,
      },
      {
        // Called when the request is about to be written to a connection that stands.
        onRequestStart: () => {
          exchange.sent = true;
        },
        onResponseStart: (controller, status, headers) => {
          exchange.answered = true;
          resume = () => controller.resume();
          resolve({ status, headers: flattenHeaders(headers), body });
        },
        onResponseData: (controller, chunk) => {
          if (!body.push(chunk)) controller.pause();
        },
        onResponseEnd: () => void body.push(null),
        onResponseError: (_controller, error) => {
          reject(error);
          // Whoever reads is told; where nobody does, an error without a listener would end the process.
          body.on("error", () => {}).destroy(error);
        },
      },
    );
  });
}
