import type { Context, MiddlewareHandler } from "hono";
import type { JsonRecord } from "#protocol/json";
import { type ApiEnv, ApiError, parseJsonObject, requireAccount } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import type { LinkedinState, Member, Post } from "./state.ts";

/** Context of a request to the API. */
export type LinkedinEnv = ApiEnv<LinkedinState, Member>;

/** Scopes in words. LinkedIn grants `r_member_social` to selected developers only; tests may request it. */
export const SCOPES: Record<string, string> = {
  openid: "Know that it is you",
  profile: "See your name and picture",
  email: "See your e-mail address",
  w_member_social: "Post, comment and react in your name",
  r_member_social: "Read your posts, comments and reactions",
};

/** Oldest supported version. Versions are months, none in the future. */
const FIRST_VERSION = 202_511;

/** Requires a valid token. */
export function requireToken(provider: ProviderContext<LinkedinState>): MiddlewareHandler<LinkedinEnv> {
  return requireAccount(
    provider,
    ({ members }, id) => members.find(({ sub }) => sub === id),
    () => linkedinError(401, "INVALID_ACCESS_TOKEN", "Invalid access token", { serviceErrorCode: 65_600 }),
  );
}

/** Requires the headers of the versioned API (learn.microsoft.com/en-us/linkedin/marketing/versioning). */
export function requireVersion(provider: ProviderContext<LinkedinState>): MiddlewareHandler<LinkedinEnv> {
  return async (c, next) => {
    const version = c.req.header("linkedin-version");
    if (version === undefined) {
      const message = "A version must be present. Please specify a version by adding the LinkedIn-Version header.";
      throw linkedinError(400, "VERSION_MISSING", message);
    }
    const now = new Date(provider.now());
    const newest = now.getUTCFullYear() * 100 + now.getUTCMonth() + 1;
    if (!/^\d{6}$/.test(version) || Number(version) < FIRST_VERSION || Number(version) > newest) {
      throw linkedinError(426, "NONEXISTENT_VERSION", `Requested version ${version} is not active`);
    }
    if (c.req.header("x-restli-protocol-version") !== "2.0.0") {
      throw linkedinError(400, "ILLEGAL_ARGUMENT", "X-Restli-Protocol-Version must be 2.0.0");
    }
    await next();
  };
}

/** Requires a scope. @throws ApiError 403 in LinkedIn's words */
export function requireScope(c: Context<LinkedinEnv>, scope: string, resource: string): void {
  if (!c.get("grant").scopes.includes(scope)) throw forbiddenError(resource);
}

export function forbiddenError(resource: string): ApiError {
  const message = `Not enough permissions to access: ${resource}`;
  return linkedinError(403, "ACCESS_DENIED", message, { serviceErrorCode: 100 });
}

/** Finds the post of a URN, by its ID or that of its activity. @throws ApiError 404 */
export function findPost(c: Context<LinkedinEnv>, urn: string): Post {
  const [kind, id] = [urn.split(":")[2], urn.split(":")[3]];
  const post = c
    .get("world")
    .posts.find((post) => post.id === urn || (kind === "activity" && post.id.endsWith(`:${id}`)));
  if (!post) throw linkedinError(404, "NOT_FOUND", `Could not find entity ${urn}`);
  return post;
}

/** @throws ApiError 403 for a member other than the signed-in one */
export function requireSelf(c: Context<LinkedinEnv>, urn: unknown, field: string): void {
  if (urn === `urn:li:person:${c.get("account").sub}`) return;
  const message = `Field ${field} :: ${String(urn)} is not the authenticated member`;
  throw linkedinError(403, "ACCESS_DENIED", message, { serviceErrorCode: 100 });
}

export async function parseBody(c: Context): Promise<JsonRecord> {
  return parseJsonObject(c, () => linkedinError(400, "ILLEGAL_ARGUMENT", "The request body is not JSON"));
}

/**
 * An error of LinkedIn: `{status, code, message, serviceErrorCode?}`. Source:
 * https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling
 */
export function linkedinError(
  status: 400 | 401 | 403 | 404 | 409 | 422 | 426,
  code: string,
  message: string,
  details: JsonRecord = {},
): ApiError {
  return new ApiError(status, message, { status, ...details, code, message });
}
