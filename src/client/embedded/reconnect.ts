import type { Outgoing } from "#net/ports";
import { LOCAL_SECRET_HEADER } from "#protocol/embedded";
import { Problem } from "#protocol/errors";
import type { EmbeddedBackend } from "./embedded.ts";

type AddressedRequest = Pick<Outgoing, "url" | "headers">;

/**
 * Creates a wrapper for transports to the local backend, which may stop during a command: at its idle limit, or because
 * another terminal restarted it with other settings. A request that did not arrive is sent once more, to the new
 * backend.
 *
 * @param adopt finds the running backend, or starts one
 * @param isRunning checked before each request, because another program may now have the port
 * @returns wraps a plain transport; all wrapped transports share one backend
 */
export function withEmbeddedReconnect(
  adopted: EmbeddedBackend,
  adopt: () => Promise<EmbeddedBackend>,
  isRunning: (backend: EmbeddedBackend) => Promise<boolean>,
) {
  let current = adopted;
  let adopting: Promise<EmbeddedBackend> | null = null;
  const readopt = async () => {
    adopting ??= adopt().finally(() => {
      adopting = null;
    });
    current = await adopting;
  };
  return <Request extends AddressedRequest, Answer>(way: (request: Request) => Promise<Answer>) =>
    async (request: Request): Promise<Answer> => {
      if (!(await isRunning(current))) await readopt();
      try {
        return await way(toRequest(request, current));
      } catch (error) {
        if (!isUndelivered(error)) throw error;
        await readopt();
        return way(toRequest(request, current));
      }
    };
}

function toRequest<Request extends AddressedRequest>(request: Request, { url, secret }: EmbeddedBackend): Request {
  const { pathname, search } = new URL(request.url);
  return {
    ...request,
    url: `${url}${pathname}${search}`,
    headers: { ...request.headers, [LOCAL_SECRET_HEADER]: secret },
  };
}

function isUndelivered(error: unknown): boolean {
  return error instanceof Problem && error.code === "UNREACHABLE" && error.details.sent === false;
}
