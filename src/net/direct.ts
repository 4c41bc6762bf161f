import { Problem } from "#protocol/errors";
import { loadAuthorities } from "./authorities.ts";
import { createLookup, flattenHeaders, type LoadBuiltin, type Transport } from "./transport.ts";

/**
 * Without a proxy: by `node:http` and `node:https` on a connection of its own, no pool, nothing that outlives the exchange. A one-shot
 * command has its answer before undici is loaded.
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
        reject(new Problem("BAD_ANSWER", `${url.origin} answered 101 and speaks something else than HTTP.`));
      });
      outgoing.on("error", reject);
      // However it ended: what was neither answered nor refused by now never will be.
      outgoing.on("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
      outgoing.end(request.body);
    });
    exchange.answered = true;
    return { status: response.statusCode ?? 0, headers: flattenHeaders(response.headers), body: response };
  };
}
