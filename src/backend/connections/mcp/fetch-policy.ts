import { readBody } from "#connectors/http/body";
import { findNetworkHint } from "#connectors/http/own-fault";
import { isLoopbackHost } from "#net/addresses";
import type { Fetch } from "#net/ports";
import { isPublicAddress } from "#net/public-address";
import { Problem } from "#protocol/errors";
import { tryParseJson } from "#protocol/json";
import type { BackendPorts } from "../../ports.ts";

/** Time limit for a document, in ms. */
const TIME_LIMIT = 10_000;

/** Maximum size of a document, in bytes. */
const DOCUMENT_LIMIT = 128 * 1024;

/** Maximum length of an address, in characters. */
const LONGEST = 2_000;

export type FetchPolicyPorts = Pick<BackendPorts, "fetch"> & Partial<Pick<BackendPorts, "guarded" | "localSecret">>;

/**
 * How to fetch the addresses in a server's documents. `inner`: the server is on this machine or network, so its documents
 * may name such addresses too.
 */
export type FetchPolicy = { fetch: Fetch; inner: boolean };

/**
 * Decides where the documents of an MCP server may lead. A server on the Internet leads nowhere else, so its documents
 * cannot make kay call what only this machine reaches. A server on this machine or network, which only a local backend
 * reaches, may lead there.
 * @throws Problem ADDRESS_REFUSED when this backend cannot reach addresses that users choose
 */
export async function createFetchPolicy(
  { fetch, guarded, localSecret }: FetchPolicyPorts,
  server: string,
): Promise<FetchPolicy> {
  const { hostname } = new URL(server);
  if (localSecret === undefined) {
    if (guarded) return { fetch: guarded.fetch, inner: false };
    throw new Problem("ADDRESS_REFUSED", "This backend connects only to its built-in services.");
  }
  if (isLoopbackHost(hostname)) return { fetch, inner: true };
  const addresses = await guarded?.addresses(hostname.replace(/^\[|\]$/g, ""));
  if (addresses && addresses.length > 0 && !addresses.every(isPublicAddress)) return { fetch, inner: true };
  return { fetch: guarded?.fetch ?? fetch, inner: false };
}

/**
 * Parses an address from a document: https, or http on this machine if the server is there too, without a user name or
 * password.
 *
 * @returns undefined for anything else
 */
export function parseSafeUrl(address: unknown, { inner }: Pick<FetchPolicy, "inner">): URL | undefined {
  if (typeof address !== "string" || address.length > LONGEST || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  const isLocalHttp = url.protocol === "http:" && inner && isLoopbackHost(url.hostname);
  if (url.protocol !== "https:" && !isLocalHttp) return undefined;
  if (!inner && isLoopbackHost(url.hostname)) return undefined;
  return url.username !== "" || url.password !== "" || url.hash !== "" ? undefined : url;
}

/**
 * Fetches the JSON document at an address, if there is one. Does not follow redirects. Time and size are limited.
 *
 * @param title name of the document's owner, for errors
 * @throws Problem SERVICE_FAILED when it is unavailable at the moment, ADDRESS_REFUSED
 */
export async function readDocument(
  policy: FetchPolicy,
  url: URL,
  title: string,
): Promise<Record<string, unknown> | undefined> {
  const response = await fetchUnder(policy, url, { headers: { accept: "application/json" } }, title);
  if (response.status >= 500 || response.status === 429) {
    await response.body?.cancel();
    throw discoveryProblem(title, `${url.host} does not answer at the moment (HTTP ${response.status})`);
  }
  if (response.status !== 200) {
    await response.body?.cancel();
    return undefined;
  }
  const value = await readJson(response, `the sign-in documents of ${title}`);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Sends one request whose answer the caller reads. @throws Problem SERVICE_FAILED, ADDRESS_REFUSED */
export async function fetchUnder(policy: FetchPolicy, url: URL, init: RequestInit, title: string): Promise<Response> {
  try {
    return await policy.fetch(url.href, { ...init, redirect: "manual", signal: AbortSignal.timeout(TIME_LIMIT) });
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw discoveryProblem(title, `${url.host} could not be reached`, { cause });
  }
}

/** Reads the body as JSON; undefined if it is not JSON. @throws Problem SERVICE_FAILED when it is too large */
export async function readJson(response: Response, subject: string): Promise<unknown> {
  let text: string;
  try {
    text = await readBody(response, DOCUMENT_LIMIT);
  } catch (cause) {
    throw new Problem("SERVICE_FAILED", `Could not read ${subject}: it is too large or incomplete.`, { cause });
  }
  return tryParseJson(text);
}

/** @param reason the end of a sentence */
export function discoveryProblem(
  title: string,
  reason: string,
  { cause, hint = findNetworkHint(cause) }: { cause?: unknown; hint?: string | undefined } = {},
): Problem {
  return new Problem("SERVICE_FAILED", `Could not determine how to sign in to ${title}: ${reason}.`, { hint, cause });
}
