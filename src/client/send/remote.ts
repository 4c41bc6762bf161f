import type { Dispatcher } from "undici";
import { Problem } from "#protocol/errors";
import { readAuthorities } from "./authorities.ts";
import { type Answering, type Builtin, type Exchange, flatHeaders, type Leg, lookupFor } from "./exchange.ts";
import { lackOf } from "./offline.ts";
import { type HttpProxy, maskedProxy, proxyFor } from "./proxy.ts";

/**
 * Everything that leaves this machine, or needs TLS: undici, loaded when first needed, with an explicit dispatcher for the proxy and the
 * certificate authorities. The dispatcher serves one exchange and is then destroyed, so no stale connection can lose a write's answer and
 * no idle one keeps the process alive. undici follows no redirect and repeats nothing by itself here.
 */
export function remoteLeg(builtin: Builtin, env: Record<string, string | undefined>): Leg {
  return async (exchange) => {
    const proxy = proxyFor(exchange.url, env, builtin("node:net").BlockList);
    exchange.lack = (code) => lackOf(builtin, exchange.url.hostname, code);
    exchange.extraFault = () => extraFault(builtin, env);
    if (proxy) exchange.proxy = `${maskedProxy(proxy)} (${proxy.variable})`;
    const dispatcher = await createDispatcher(exchange, proxy, authorities(builtin, env));
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

async function createDispatcher(
  exchange: Exchange,
  proxy: HttpProxy | null,
  ca: string[] | undefined,
): Promise<Dispatcher> {
  // The default export is there in the package and in a bundle of it; the named ones are lost when a CommonJS module is bundled.
  const { Agent, ProxyAgent } = (await import("undici")).default;
  const limits = { headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0, pipelining: 0, allowH2: false };
  const tls = { ...(ca ? { ca } : {}), timeout: 0, allowH2: false };
  if (proxy) return new ProxyAgent({ uri: proxy.url.href, requestTls: tls, proxyTls: tls, ...limits });
  return new Agent({ connect: { ...tls, ...lookupFor(exchange.url) }, ...limits });
}

/** The usual authorities and the one of `KAY_CA_FILE`; undefined leaves them to Node, which reads NODE_EXTRA_CA_CERTS itself. */
export function authorities(builtin: Builtin, env: Record<string, string | undefined>): string[] | undefined {
  const file = env.KAY_CA_FILE?.trim();
  if (!file) return undefined;
  const { X509Certificate: X509 } = builtin("node:crypto");
  const own = readAuthorities(file, { variable: "KAY_CA_FILE", X509, code: "TLS_FAILED" });
  return [...builtin("node:tls").getCACertificates("default"), ...own];
}

/** Node goes on without a file of NODE_EXTRA_CA_CERTS that it cannot use. */
function extraFault(builtin: Builtin, env: Record<string, string | undefined>): string | null {
  const file = env.NODE_EXTRA_CA_CERTS;
  if (!file) return null;
  try {
    const { X509Certificate: X509 } = builtin("node:crypto");
    readAuthorities(file, { variable: "NODE_EXTRA_CA_CERTS", X509, code: "TLS_FAILED" });
    return null;
  } catch (error) {
    return error instanceof Problem ? error.message : null;
  }
}

/** Resolves with the head. The body takes from the connection what its reader asks for, and ends the dispatcher when it is over. */
function dispatch(builtin: Builtin, dispatcher: Dispatcher, exchange: Exchange, over: () => void): Promise<Answering> {
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
          resolve({ status, headers: flatHeaders(headers), body });
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
