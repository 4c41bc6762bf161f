import type { Fetch } from "#net/ports";
import { parseRetryAfter } from "#net/retry-after";
import { Problem } from "#protocol/errors";
import { isRecord } from "#protocol/json";
import { rateLimitedProblem } from "../../http/errors.ts";
import { parseServiceFault } from "../../http/service-fault.ts";
import { listSecretForms, toAuthHeaders } from "../../http/target.ts";
import type { Credential } from "../../service.ts";
import { parseChallenge } from "./challenge.ts";
import { requireFollowable } from "./redirect.ts";
import { createMessageRepair } from "./repair.ts";
import { repairResponse } from "./repair-response.ts";

/** Largest response or stream in bytes. A larger one fails its request. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** How requests to a server are sent. */
export type HttpTransportOptions = {
  url: string;
  fetch: Fetch;
  /** How requests carry the secret. Default: a bearer token. */
  credential?: Credential;
  /**
   * Returns the current token or key for each request, or undefined if the server needs none. @throws Problem
   * AUTH_REQUIRED
   */
  accessToken?(): Promise<string | undefined>;
  /**
   * Called when a request was refused with 401, or with 403 for a missing scope. Returns a new token for one retry, or
   * throws. If it is absent or returns undefined, the request ends with the refusal.
   */
  onUnauthorized?(refused: {
    status: number;
    token: string | undefined;
    challenge: string | null;
  }): Promise<string | undefined>;
};

/**
 * Creates the fetch function of a connection. It sends requests only to the server's origin, adds the secret, limits
 * the size of responses and repairs their messages. It follows no redirects; the library follows those within the
 * origin that keep the method. `failed` receives each failure in kay's words, because the library wraps errors.
 */
export function createMcpFetch(title: string, options: HttpTransportOptions, failed: (problem: unknown) => void) {
  const { origin } = new URL(options.url);
  const repair = createMessageRepair();
  const send = async (address: string, init: RequestInit, token: string | undefined): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (token !== undefined) repair.noteSecrets(listSecretForms(options.credential, token));
    for (const [name, value] of Object.entries(token === undefined ? {} : toAuthHeaders(options.credential, token)))
      headers.set(name, value);
    const message: unknown = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    repair.noteRequests(message);
    const request = { ...init, headers: Object.fromEntries(headers), redirect: "manual" as const };
    return await acceptNotification(message, await options.fetch(address, request));
  };
  const receive = async (response: Response, url: URL, { method = "GET", body }: RequestInit) => {
    requireFollowable(response, url, method);
    if (response.status === 429) throw await toRateLimit(title, response);
    return await repairResponse(limitBytes(response), repair, typeof body === "string" ? JSON.parse(body) : undefined);
  };
  return async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
    try {
      const target = new URL(address);
      if (target.origin !== origin)
        throw new Problem(
          "SERVICE_FAILED",
          `The server referred to ${target.host}, but kay sends requests only to ${origin}.`,
        );
      const token = await options.accessToken?.();
      const first = await send(target.href, init, token);
      if (!options.onUnauthorized || !isRefusal(first)) return await receive(first, target, init);
      const fresh = await options.onUnauthorized({
        status: first.status,
        token,
        challenge: first.headers.get("www-authenticate"),
      });
      if (fresh === undefined) return await receive(first, target, init);
      await first.body?.cancel();
      return await receive(await send(target.href, init, fresh), target, init);
    } catch (error) {
      failed(error);
      throw error;
    }
  };
}

/** Some servers refuse notifications, which need no answer. Refusals that later requests would get too stay. */
async function acceptNotification(message: unknown, response: Response): Promise<Response> {
  const isNotification = isRecord(message) && message.method !== undefined && message.id === undefined;
  if (!isNotification || !REFUSAL_STATUSES.has(response.status)) return response;
  await response.body?.cancel();
  return new Response(null, { status: 202 });
}

const REFUSAL_STATUSES = new Set([400, 404, 405, 415, 422, 500, 501]);

/** Returns whether the token is invalid or lacks a scope (MCP, "Step-Up Authorization"). */
function isRefusal({ status, headers }: Response): boolean {
  return status === 401 || (status === 403 && parseChallenge(headers).error === "insufficient_scope");
}

/** Creates the error for a 429. The library drops headers such as `Retry-After`. */
async function toRateLimit(title: string, response: Response): Promise<Problem> {
  const wait = parseRetryAfter(Object.fromEntries(response.headers), Number.NaN) ?? 0;
  const { message: reason } = parseServiceFault(await limitBytes(response).text());
  return rateLimitedProblem(title, { wait, now: Number.NaN, reason });
}

function limitBytes(answer: Response): Response {
  if (!answer.body) return answer;
  let bytes = 0;
  const counted = (answer.body as ReadableStream<Uint8Array>).pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > MAX_RESPONSE_BYTES)
          controller.error(new Problem("SERVICE_FAILED", "The response from the server was too large."));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { status: answer.status, statusText: answer.statusText, headers: answer.headers });
}
