import type { Fetch } from "#net/ports";
import { Problem } from "#protocol/errors";
import type { Credential } from "../service.ts";
import { unknownOutcomeProblem } from "./errors.ts";
import { addCredentialToUrl } from "./target.ts";

const MAX_REDIRECTS = 3;

type Call = {
  options: { fetch: Fetch; service: { title: string; credential?: Credential } };
  url: URL;
  reads: boolean;
};

/**
 * Sends a request and follows redirects within the origin, so that the token stays there. A write follows only 307 and
 * 308, which GitHub returns for a renamed repository: they guarantee that nothing was done (RFC 9110, 15.4.8).
 *
 * @throws Problem SERVICE_FAILED for any other redirect, and OUTCOME_UNKNOWN if a write may have been done
 */
export async function followRedirects(call: Call, token: string, init: RequestInit): Promise<Response> {
  const { title, credential } = call.options.service;
  let { url } = call;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await call.options.fetch(addCredentialToUrl(url, credential, token), init);
    if (response.status < 300 || response.status > 399) return response;
    await response.body?.cancel();
    url = getTarget(call, response, init, url);
  }
  throw new Problem("SERVICE_FAILED", `${title} redirected too many times.`);
}

function getTarget({ options, reads }: Call, { status, headers }: Response, init: RequestInit, from: URL): URL {
  const { title } = options.service;
  const location = headers.get("location");
  const target = location ? URL.parse(location, from.href) : null;
  if (!target) throw new Problem("SERVICE_FAILED", `${title} returned an unexpected response (HTTP ${status}).`);
  if (target.origin !== from.origin) {
    const sentence = `${title} redirected to another site (${target.host}). kay does not follow such redirects.`;
    const hint = `Open ${title} in a browser: it may require a sign-in, or be under maintenance.`;
    throw new Problem("SERVICE_FAILED", sentence, { hint });
  }
  if (status >= 307 || init.method === "GET") return target;
  const sentence = `${title} redirected the request (HTTP ${status}).`;
  throw reads ? new Problem("SERVICE_FAILED", sentence) : unknownOutcomeProblem(title, sentence);
}
