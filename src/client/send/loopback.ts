import { Problem } from "#protocol/errors";
import { type Builtin, flatHeaders, type Leg, lookupFor } from "./exchange.ts";

/**
 * Plain HTTP to this machine, by `node:http` on a connection of its own: no proxy, no pool, nothing that outlives the exchange. It is the
 * cheap path of one-shot commands (performance.md, point 3).
 */
export function loopbackLeg(builtin: Builtin): Leg {
  return async (exchange) => {
    const { request, url, signal } = exchange;
    const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
      const { method, headers } = request;
      const outgoing = builtin("node:http").request(
        url,
        { method, headers, signal, agent: false, ...lookupFor(url) },
        resolve,
      );
      outgoing.on("socket", (socket) => socket.once("connect", () => (exchange.sent = true)));
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
    return { status: response.statusCode ?? 0, headers: flatHeaders(response.headers), body: response };
  };
}
