import type { Fetch } from "#net/ports";
import { Problem } from "#protocol/errors";
import { toAuthHeaders } from "../http/target.ts";
import type { Credential } from "../service.ts";
import { parseChallenge } from "./challenge.ts";

/** Most bytes of one answer or stream; what is longer is an error of that request. */
const LONGEST_ANSWER = 16 * 1024 * 1024;

/** How requests of a link go out. */
export type HttpTransportOptions = {
  url: string;
  fetch: Fetch;
  /** How requests carry the secret; a bearer token where nothing is said. */
  credential?: Credential;
  /** The token or key of now, asked for at each request; nothing where the server wants none. May throw AUTH_REQUIRED. */
  accessToken?(): Promise<string | undefined>;
  /**
   * Told of a request that was refused with 401, or with 403 for want of permission, with the token it had and the `WWW-Authenticate` of the answer. Gives a fresh token, with which
   * the request is sent once more, or throws; without it, or where it gives nothing, the 401 is how the request ends.
   */
  onUnauthorized?(refused: {
    status: number;
    token: string | undefined;
    challenge: string | null;
  }): Promise<string | undefined>;
};

/**
 * The fetch of a link: to the server's own origin alone, with its secret, without redirects, and with answers that have an end. `failed` hears
 * each failure in kay's own words, since the library wraps errors in its own.
 */
export function createMcpFetch(way: HttpTransportOptions, failed: (problem: unknown) => void) {
  const { origin } = new URL(way.url);
  const send = async (address: string, init: RequestInit, token: string | undefined): Promise<Response> => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(token === undefined ? {} : toAuthHeaders(way.credential, token)))
      headers.set(name, value);
    return way.fetch(address, { ...init, headers: Object.fromEntries(headers), redirect: "manual" });
  };
  return async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
    try {
      const target = new URL(address);
      if (target.origin !== origin)
        throw new Problem("SERVICE_FAILED", `The server leads to ${target.host}, where kay does not follow.`);
      const token = await way.accessToken?.();
      const first = await send(target.href, init, token);
      if (!way.onUnauthorized || !isRefusal(first)) return limit(first);
      const fresh = await way.onUnauthorized({
        status: first.status,
        token,
        challenge: first.headers.get("www-authenticate"),
      });
      if (fresh === undefined) return limit(first);
      await first.body?.cancel();
      return limit(await send(target.href, init, fresh));
    } catch (error) {
      failed(error);
      throw error;
    }
  };
}

/** A token that is no good, or not good enough (MCP, "Step-Up Authorization"). */
function isRefusal({ status, headers }: Response): boolean {
  return status === 401 || (status === 403 && parseChallenge(headers).error === "insufficient_scope");
}

function limit(answer: Response): Response {
  if (!answer.body) return answer;
  let bytes = 0;
  const counted = (answer.body as ReadableStream<Uint8Array>).pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > LONGEST_ANSWER)
          controller.error(new Problem("SERVICE_FAILED", "The server answered more than kay reads at once."));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { status: answer.status, statusText: answer.statusText, headers: answer.headers });
}
