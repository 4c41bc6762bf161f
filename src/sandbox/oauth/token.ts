import { timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import type { IssuedTokens, OAuthError, OAuthTraits, SandboxEnv, TokenError } from "../provider.ts";
import type { Grants } from "./grants.ts";

/** A client registered with the sandbox. */
export type Client = { id: string; secret: string };

/**
 * The token endpoint (RFC 6749 section 3.2): exchanges authorization codes and refresh tokens. Accepts JSON or form
 * data, and the client's secret in the body or as HTTP Basic. Errors are in the provider's own words.
 */
export function createTokenEndpoint(traits: OAuthTraits, grants: Grants, client: Client) {
  return async (c: Context<SandboxEnv>): Promise<Response> => {
    const body = await readParameters(c.req.raw);
    const sendAnswer = (fields: Record<string, unknown>, status: OAuthError["status"]) => {
      const json = !traits.formUnlessAsked || (c.req.header("accept") ?? "").includes("json");
      if (json) return c.json(fields, status, NO_STORE);
      const form = new URLSearchParams(
        Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
      );
      return c.body(form.toString(), status, { ...NO_STORE, "content-type": "application/x-www-form-urlencoded" });
    };
    const fail = (error: TokenError) => sendAnswer(traits.errors[error].body, traits.errors[error].status);
    if (!body) return fail("request");
    if (!isClient(c.req.header("authorization"), body, client)) return fail("client");
    const grantType = body.grant_type ?? "";
    const use = uses(grants, client.id, body)[grantType];
    if (!use) return fail("grant_type");
    const tokens = use.run();
    return tokens ? sendAnswer(traits.answer(tokens, grantType), 200) : fail(use.error);
  };
}

/** Returns the fields of a token response that most services use (RFC 6749 section 5.1). */
export function toTokenBody({ access, refresh, scopes, expiresIn }: Omit<IssuedTokens, "account">) {
  return {
    access_token: access,
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
    token_type: "Bearer",
    scope: scopes.join(" "),
    expires_in: expiresIn,
  };
}

/** Returns an error response in the form of RFC 6749 section 5.2. */
export function toOAuthError(status: OAuthError["status"], error: string, error_description: string): OAuthError {
  return { status, body: { error, error_description } };
}

/** The revocation endpoint (RFC 7009). */
export function createRevocationEndpoint(
  { errors }: OAuthTraits,
  { covers, open, unknown }: NonNullable<OAuthTraits["revocation"]>,
  { grants, client }: { grants: Grants; client: Client },
) {
  return async (c: Context<SandboxEnv>): Promise<Response> => {
    const body = await readParameters(c.req.raw);
    if (!body) return c.json(errors.request.body, 400, NO_STORE);
    if (!open && !isClient(c.req.header("authorization"), body, client))
      return c.json(errors.client.body, errors.client.status, NO_STORE);
    const isRevoked = grants.revoke(body.token ?? "", covers);
    return isRevoked || !unknown ? c.json({}, 200, NO_STORE) : c.json(unknown.body, unknown.status, NO_STORE);
  };
}

const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" };

function uses(grants: Grants, client: string, body: Record<string, string>) {
  const table: Record<string, { error: TokenError; run(): IssuedTokens | undefined }> = {
    authorization_code: {
      error: "code",
      run: () => grants.exchange(body.code ?? "", client, body.redirect_uri ?? "", body.code_verifier),
    },
    refresh_token: { error: "refresh", run: () => grants.refresh(body.refresh_token ?? "", client) },
  };
  return table as Record<string, (typeof table)[string] | undefined>;
}

async function readParameters(request: Request): Promise<Record<string, string> | undefined> {
  const text = await request.text();
  if (!(request.headers.get("content-type") ?? "").includes("json"))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
    return Object.fromEntries(
      Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return undefined;
  }
}

function isClient(authorization: string | undefined, body: Record<string, string>, client: Client): boolean {
  const basic = authorization?.match(/^basic\s+(.+)$/i)?.[1];
  const [id, secret] = basic === undefined ? [body.client_id, body.client_secret] : parseBasic(basic);
  return id === client.id && secret !== undefined && isSame(secret, client.secret);
}

/** RFC 6749 section 2.3.1: ID and secret are form-encoded before they become Basic credentials. */
function parseBasic(basic: string): [string, string] {
  const text = Buffer.from(basic, "base64").toString();
  const colon = text.indexOf(":");
  return [decode(text.slice(0, colon)), decode(text.slice(colon + 1))];
}

function decode(text: string): string {
  return new URLSearchParams(`v=${text}`).get("v") ?? "";
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
