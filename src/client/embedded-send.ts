import { LOCAL_SECRET_HEADER } from "#protocol/embedded";
import { Problem } from "#protocol/errors";
import type { Embedded } from "./embedded.ts";
import type { Outgoing, Send } from "./ports.ts";

/**
 * The way out to the embedded backend, which may end while a command runs: it was idle for long enough, or another terminal started it anew
 * with other settings. A request that surely did not arrive goes once more, to whatever backend runs then.
 *
 * @param adopt finds the one that runs, or starts one
 */
export function embeddedSend(send: Send, adopted: Embedded, adopt: () => Promise<Embedded>): Send {
  let current = adopted;
  let adopting: Promise<Embedded> | null = null;
  return async (request) => {
    try {
      return await send(addressed(request, current));
    } catch (error) {
      if (!isAway(error)) throw error;
      adopting ??= adopt().finally(() => {
        adopting = null;
      });
      current = await adopting;
      return send(addressed(request, current));
    }
  };
}

function addressed(request: Outgoing, { url, secret }: Embedded): Outgoing {
  const { pathname, search } = new URL(request.url);
  return {
    ...request,
    url: `${url}${pathname}${search}`,
    headers: { ...request.headers, [LOCAL_SECRET_HEADER]: secret },
  };
}

function isAway(error: unknown): boolean {
  return error instanceof Problem && error.code === "UNREACHABLE" && error.details.sent === false;
}
