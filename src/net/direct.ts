import { Problem } from "#protocol/errors";
import { loadAuthorities } from "./authorities.ts";
import { createLookup, flattenHeaders, type LoadBuiltin, type Transport } from "./transport.ts";

/**
 * Creates a transport without a proxy, on `node:http` and `node:https`. Each exchange has its own connection, which
 * ends with it. Commands avoid loading undici this way.
 */
export function createDirectTransport(builtin: LoadBuiltin, env: Record<string, string | undefined>): Transport {
  return async (exchange) => {
    const { request, url, signal } = exchange;
    const secure = url.protocol === "https:";
    const ca = secure ? loadAuthorities(builtin, env) : undefined;
    const module = secure ? builtin("node:https") : builtin("node:http");
    const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
      const { method, headers } = request;
      const options = { method, headers, signal, agent: false as const, ...(ca ? { ca } : {}), ...createLookup(url) };
      const outgoing = module.request(url, options, resolve);
      const stands = secure ? "secureConnect" : "connect";
      outgoing.on("socket", (socket) => socket.once(stands, () => (exchange.sent = true)));
      outgoing.on("upgrade", (_response, socket) => {
        socket.destroy();
        reject(new Problem("BAD_ANSWER", `${url.origin} answered 101 and switched to a protocol other than HTTP.`));
      });
      outgoing.on("error", reject);
      // After the connection is closed, no answer or error can follow.
      outgoing.on("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
      outgoing.end(request.body);
    });
    exchange.answered = true;
    return { status: response.statusCode ?? 0, headers: flattenHeaders(response.headers), body: response };
  };
}
