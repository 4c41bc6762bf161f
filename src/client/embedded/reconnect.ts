import type { Outgoing } from "#net/ports";
import { LOCAL_SECRET_HEADER } from "#protocol/embedded";
import { Problem } from "#protocol/errors";
import type { EmbeddedBackend } from "./embedded.ts";

type Addressed = Pick<Outgoing, "url" | "headers">;

/**
 * The ways out to the embedded backend, which may end while a command runs: it was idle for long enough, or another terminal started it
 * anew with other settings. A request that surely did not arrive goes once more, to whatever backend runs then.
 *
 * @param adopt finds the one that runs, or starts one
 * @returns makes such a way of a plain one; all that are made know the same backend
 */
export function withEmbeddedReconnect(adopted: EmbeddedBackend, adopt: () => Promise<EmbeddedBackend>) {
  let current = adopted;
  let adopting: Promise<EmbeddedBackend> | null = null;
  return <Request extends Addressed, Answer>(way: (request: Request) => Promise<Answer>) =>
    async (request: Request): Promise<Answer> => {
      try {
        return await way(address(request, current));
      } catch (error) {
        if (!isAway(error)) throw error;
        adopting ??= adopt().finally(() => {
          adopting = null;
        });
        current = await adopting;
        return way(address(request, current));
      }
    };
}

function address<Request extends Addressed>(request: Request, { url, secret }: EmbeddedBackend): Request {
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
