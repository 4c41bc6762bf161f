import { createHash, timingSafeEqual } from "node:crypto";
import type { Backend } from "#backend/ports";
import { isLoopbackHost } from "#net/addresses";
import { LOCAL_SECRET_HEADER } from "#protocol/embedded";
import { Problem, toProblemBody } from "#protocol/errors";
import { METRICS_PATH, STATUS_PATH, type StatusResponse } from "#protocol/status";

/** Status and metrics of a node, for its operator. */
export type OperatorView = {
  status(): Promise<StatusResponse>;
  /** Absent if this process collects no metrics. */
  metrics?(): Promise<Response>;
};

/** Credentials that open the status: the secret in this process's record, and KAY_METRICS_TOKEN. */
export type OperatorKeys = { secret?: string; token?: string };

/**
 * Creates a wrapper that answers `GET /metrics` and `GET /status` for requests with a key and hides them from all
 * others. The address of the peer proves nothing: behind a reverse proxy every request comes from this machine.
 */
export function createOperatorMiddleware(getView: () => OperatorView | undefined, keys: OperatorKeys) {
  return (fetch: Backend["fetch"]): Backend["fetch"] =>
    async (request, address) => {
      const { pathname } = new URL(request.url);
      if (request.method !== "GET" || (pathname !== METRICS_PATH && pathname !== STATUS_PATH))
        return fetch(request, address);
      const bearer = request.headers.get("authorization")?.replace(/^Bearer +/i, "") ?? "";
      const isKnown =
        equalsSecret(request.headers.get(LOCAL_SECRET_HEADER) ?? "", keys.secret) || equalsSecret(bearer, keys.token);
      if (!isKnown) return keys.token && bearer !== "" ? rejectToken() : fetch(request, address);
      return (await respond(getView(), pathname)) ?? fetch(request, address);
    };
}

/** Creates the handler of the metrics port, which answers programs on this machine without a key. */
export function createOperatorHandler(
  getView: () => OperatorView | undefined,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname } = new URL(request.url);
<<<<<<< HEAD
    const isOwn = isLoopbackHost(URL.parse(`http://${request.headers.get("host") ?? ""}`)?.hostname ?? "");
    const found = isOwn && request.method === "GET" ? await answer(operated(), pathname) : undefined;
    return found ?? problemAnswer(new Problem("NOT_FOUND", "There is nothing at this path."));
  };
}

async function answer(operated: OperatorView | undefined, path: string): Promise<Response | undefined> {
  if (path === METRICS_PATH) return await operated?.metrics?.();
  return operated && path === STATUS_PATH
    ? Response.json(await operated.status(), { headers: { "cache-control": "no-store" } })
=======
    const isOwn = LOOPBACK.test(request.headers.get("host") ?? "");
    const found = isOwn && request.method === "GET" ? await respond(getView(), pathname) : undefined;
    return found ?? toProblemResponse(new Problem("NOT_FOUND", "Not found."));
  };
}

/** Host names to accept. Others mean a web page that resolved its own name to this machine (DNS rebinding). */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

async function respond(view: OperatorView | undefined, path: string): Promise<Response | undefined> {
  if (path === METRICS_PATH) return await view?.metrics?.();
  return view && path === STATUS_PATH
    ? Response.json(await view.status(), { headers: { "cache-control": "no-store" } })
>>>>>>> cc5210c (Write the host's sentences in plain English and name its helpers)
    : undefined;
}

function rejectToken(): Response {
  return toProblemResponse(new Problem("TOKEN_INVALID", "The token does not match KAY_METRICS_TOKEN.", { hint: "" }));
}

function toProblemResponse(problem: Problem): Response {
  return Response.json(toProblemBody(problem), { status: problem.status });
}

function equalsSecret(given: string, wanted: string | undefined): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return Boolean(wanted) && timingSafeEqual(hash(given), hash(wanted ?? ""));
}
