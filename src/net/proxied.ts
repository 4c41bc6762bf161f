import type { Dispatcher } from "undici";
import { loadAuthorities } from "./authorities.ts";
import { type HttpProxy, maskProxy } from "./proxy.ts";
import { type Exchange, flattenHeaders, type LoadBuiltin, type StreamedAnswer, type Transport } from "./transport.ts";

/**
 * Creates a transport through a proxy, using undici, which is loaded on first use. Each exchange has its own
 * dispatcher, which is destroyed after it: no stale connection can lose the answer to a write, and no idle one keeps
 * the process alive. undici follows no redirects and retries nothing here.
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
  // Bundling a CommonJS module keeps only its default export.
  const { ProxyAgent } = (await import("undici")).default;
  const limits = { headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0, pipelining: 0, allowH2: false };
  const tls = { ...(ca ? { ca } : {}), timeout: 0, allowH2: false };
  return new ProxyAgent({ uri: proxy.url.href, requestTls: tls, proxyTls: tls, ...limits });
}

/** Resolves with the head. The body reads from the connection on demand, and closes the dispatcher when it ends. */
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
        // Called before the request is written to an open connection.
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
          // The reader gets the error; without a reader, an unhandled `error` event would end the process.
          body.on("error", () => {}).destroy(error);
        },
      },
    );
  });
}
