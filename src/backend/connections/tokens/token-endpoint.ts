import * as oauth from "oauth4webapi";
import { readBody } from "#connectors/http/body";
import { findNetworkHint, toOwnFaultProblem } from "#connectors/http/own-fault";
import { getRetryAfterMs } from "#connectors/http/retry";
import { isLoopbackHost } from "#net/addresses";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";
import type { ConnectableService } from "../services/catalog.ts";
import { parseTokenResponse } from "./token-answer.ts";

/** Time limit of a token endpoint, in ms. */
const TIME_LIMIT = 10_000;

/** Longest lifetime of a token that kay believes, in seconds: ten years. */
const LONGEST_LIFE_SECONDS = 10 * 366 * 24 * 3600;

/** Tokens of a service as its token endpoint returned them. */
export type ServiceTokens = { access: string; refresh?: string; expiresAt: Date | null; scope?: string };

/** The possible answers of a token endpoint. Network and provider faults are thrown. */
export type TokenOutcome =
  | { kind: "tokens"; tokens: ServiceTokens }
  | { kind: "refused"; gone: boolean; codes: string[]; description: string }
  | { kind: "busy"; retryAfter: number | undefined };

type Ports = Pick<BackendPorts, "fetch" | "clock">;

/** Exchanges an authorization code (RFC 6749 section 4.1.3; RFC 7636 section 4.5). @throws Problem SERVICE_FAILED */
export function exchangeCode(
  ports: Ports,
  service: ConnectableService,
  grant: { code: string; redirectUri: string; verifier: string | undefined },
): Promise<TokenOutcome> {
  return ask(ports, service, (as, client, authentication, options) => {
    const callback = oauth.validateAuthResponse(
      as,
      client,
      new URLSearchParams({ code: grant.code }),
      oauth.expectNoState,
    );
    const verifier = grant.verifier ?? oauth.nopkce;
    return oauth.authorizationCodeGrantRequest(
      as,
      client,
      authentication,
      callback,
      grant.redirectUri,
      verifier,
      options,
    );
  });
}

/** Refreshes a service's tokens (RFC 6749 section 6). @throws Problem SERVICE_FAILED */
export function refreshTokens(ports: Ports, service: ConnectableService, refreshToken: string): Promise<TokenOutcome> {
  return ask(ports, service, (as, client, authentication, options) =>
    oauth.refreshTokenGrantRequest(as, client, authentication, refreshToken, options),
  );
}

type Send = (
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  authentication: oauth.ClientAuth,
  options: oauth.TokenEndpointRequestOptions,
) => Promise<Response>;

async function ask(ports: Ports, configuration: ConnectableService, send: Send): Promise<TokenOutcome> {
  const { service, client, endpoints, described } = configuration;
  const fetch = described?.fetch ?? ports.fetch;
  const as = { issuer: new URL(endpoints.token).origin, token_endpoint: endpoints.token };
  const options: oauth.TokenEndpointRequestOptions = {
    [oauth.customFetch]: (url, init) => fetch(url, encodeTokenRequest(init as RequestInit, service.oauth.tokenBody)),
    [oauth.allowInsecureRequests]: isLoopbackHost(new URL(endpoints.token).hostname),
    ...(service.oauth.tokenParams ? { additionalParameters: service.oauth.tokenParams } : {}),
    signal: AbortSignal.timeout(TIME_LIMIT),
  };
  let response: Response;
  let body: string;
  try {
    response = await send(as, { client_id: client.id }, toClientAuth(configuration), options);
    body = await readBody(response);
  } catch (cause) {
    const ownProblem = toOwnFaultProblem("SERVICE_FAILED", service.title, cause);
    throw (
      ownProblem ??
      new Problem("SERVICE_FAILED", `${service.title} could not be reached to sign in.`, {
        hint: findNetworkHint(cause, service.name),
        cause,
      })
    );
  }
  return toOutcome(ports, configuration, as, response, body);
}

/** Encodes the parameters as the provider expects them: Notion documents its endpoints with JSON only. */
export function encodeTokenRequest(init: RequestInit, body: "json" | undefined): RequestInit {
  if (body !== "json" || !(init.body instanceof URLSearchParams)) return init;
  const headers = new Headers(init.headers);
  headers.set("content-type", "application/json");
  return { ...init, headers, body: JSON.stringify(Object.fromEntries(init.body)) };
}

async function toOutcome(
  ports: Ports,
  { service, client }: ConnectableService,
  as: oauth.AuthorizationServer,
  response: Response,
  body: string,
): Promise<TokenOutcome> {
  const { status, headers } = response;
  const now = ports.clock.now();
  if (status === 429) return { kind: "busy", retryAfter: getRetryAfterMs(headers, now) };
  if (status < 200 || (status >= 300 && status < 400) || status >= 500) {
    throw new Problem("SERVICE_FAILED", `${service.title} failed during the sign-in (HTTP ${status}).`);
  }
  const answer = parseTokenResponse(status, body, service.oauth.tokensIn);
  if (answer.kind === "unreadable") throw garbledAnswerProblem(service.title);
  if (answer.kind === "error") {
    const isGone =
      answer.codes.some((code) => code === "invalid_grant" || service.oauth.goneErrors?.includes(code)) ||
      BAD_REFRESH_TOKEN.test(answer.description);
    return { kind: "refused", gone: isGone, codes: answer.codes, description: answer.description };
  }
  const tokens = await processTokenResponse(as, { client_id: client.id }, answer.fields, service.title);
  return {
    kind: "tokens",
    tokens: {
      access: tokens.access_token,
      refresh: tokens.refresh_token,
      expiresAt: computeExpiry(now, tokens.expires_in),
      scope: tokens.scope,
    },
  };
}

/** Some providers give the reason only as text: Bitbucket answers `invalid_request`, "Invalid refresh_token". */
const BAD_REFRESH_TOKEN =
  /\b(invalid|expired|revoked|unknown)\b.{0,200}\brefresh[ _-]?token|refresh[ _-]?token\b.{0,200}\b(invalid|expired|revoked|unknown)\b/i;

/** If a provider names no expiry or an absurd one, the token is refreshed when it is refused. */
function computeExpiry(now: number, seconds: number | undefined): Date | null {
  return seconds === undefined || !(seconds < LONGEST_LIFE_SECONDS) ? null : new Date(now + seconds * 1000);
}

/** Slack's names for the kind of token; both are used as bearer tokens. */
const BEARERS: oauth.RecognizedTokenTypes = { user: () => {}, bot: () => {} };

/** Checks the answer with the library. ID tokens are left out, because kay does not use them. */
async function processTokenResponse(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  fields: Record<string, unknown>,
  title: string,
): Promise<oauth.TokenEndpointResponse> {
  const { id_token: _unused, ...rest } = fields;
  const response = Response.json({ token_type: "bearer", ...rest });
  try {
    return await oauth.processGenericTokenEndpointResponse(as, client, response, { recognizedTokenTypes: BEARERS });
  } catch (cause) {
    throw garbledAnswerProblem(title, cause);
  }
}

function garbledAnswerProblem(title: string, cause?: unknown): Problem {
  return new Problem("SERVICE_FAILED", `${title} returned an unexpected response to the sign-in.`, { cause });
}

/** Authenticates the client at its provider's endpoints. */
export function toClientAuth({ service, client }: ConnectableService): oauth.ClientAuth {
  if (service.oauth.clientAuth === "none" || !client.secret) return oauth.None();
  if (service.oauth.clientAuth === "client_secret_basic") return createBasicAuth(client.secret);
  return oauth.ClientSecretPost(client.secret);
}

/**
 * `client_secret_basic` (RFC 6749 section 2.3.1). The library also escapes `-` and `_`, so providers that do not decode
 * the header see a different secret. Form encoding leaves them as they are.
 */
function createBasicAuth(secret: string): oauth.ClientAuth {
  return (_as, client, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${encodeForm(client.client_id)}:${encodeForm(secret)}`)}`);
  };
}

function encodeForm(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}
