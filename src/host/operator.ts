import type { Backend } from "#backend/ports";
import { compareSecrets } from "#backend/store/secrets";
import { isLoopbackHost } from "#net/addresses";
import { LOCAL_SECRET_HEADER } from "#protocol/embedded";
import { Problem, toProblemBody } from "#protocol/errors";
import { METRICS_PATH, STATUS_PATH, type StatusResponse } from "#protocol/status";

/** Routes for the operator of a node. */
export type OperatorView = {
  status(): Promise<StatusResponse>;
  /** Absent in a backend without telemetry. */
  metrics?(): Promise<Response>;
};

/** Keys of the operator: the secret in the record of this process, and KAY_METRICS_TOKEN. */
export type OperatorKeys = { secret?: string; token?: string };

/**
 * Answers `GET /metrics` and `GET /status` for callers with a key, before all other routes. Others get 404, even from
 * this machine: behind a proxy, every request comes from it.
 */
export function createOperatorMiddleware(operated: () => OperatorView | undefined, keys: OperatorKeys) {
  return (fetch: Backend["fetch"]): Backend["fetch"] =>
    async (request, address) => {
      const { pathname } = new URL(request.url);
      if (request.method !== "GET" || (pathname !== METRICS_PATH && pathname !== STATUS_PATH))
        return fetch(request, address);
      const bearer = request.headers.get("authorization")?.replace(/^Bearer +/i, "") ?? "";
      const isKnown =
        isSecret(request.headers.get(LOCAL_SECRET_HEADER) ?? "", keys.secret) || isSecret(bearer, keys.token);
      if (!isKnown) return keys.token && bearer !== "" ? refuse() : fetch(request, address);
      return (await sendAnswer(operated(), pathname)) ?? fetch(request, address);
    };
}

/** Answers the operator's routes on a separate socket, for programs on this machine, without a key. */
export function createOperatorHandler(
  operated: () => OperatorView | undefined,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname } = new URL(request.url);
    const isOwn = isLoopbackHost(URL.parse(`http://${request.headers.get("host") ?? ""}`)?.hostname ?? "");
    const response = isOwn && request.method === "GET" ? await sendAnswer(operated(), pathname) : undefined;
    return response ?? sendProblem(new Problem("NOT_FOUND", "Nothing is served at this path."));
  };
}

async function sendAnswer(operated: OperatorView | undefined, path: string): Promise<Response | undefined> {
  if (path === METRICS_PATH) return await operated?.metrics?.();
  return operated && path === STATUS_PATH
    ? Response.json(await operated.status(), { headers: { "cache-control": "no-store" } })
    : undefined;
}

function refuse(): Response {
  return sendProblem(new Problem("TOKEN_INVALID", "The token does not match KAY_METRICS_TOKEN.", { hint: "" }));
}

function sendProblem(problem: Problem): Response {
  return Response.json(toProblemBody(problem), { status: problem.status });
}

function isSecret(secret: string, expected: string | undefined): boolean {
  return Boolean(expected) && compareSecrets(secret, expected ?? "");
}
