import type { Context, ErrorHandler, MiddlewareHandler } from "hono";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import type { LinkedinState, Member, Post } from "./state.ts";

/** Context of a request to the API: its account and the state. */
export type LinkedinEnv = {
  Bindings: SandboxEnv["Bindings"];
  Variables: SandboxEnv["Variables"] & { member: Member; world: LinkedinState };
};

/** Scopes in words. `r_member_social` is given to selected developers only, but a test may ask for it. */
export const SCOPES: Record<string, string> = {
  openid: "Know that it is you",
  profile: "See your name and picture",
  email: "See your e-mail address",
  w_member_social: "Post, comment and react in your name",
  r_member_social: "Read your posts, comments and reactions",
};

/** Oldest supported version. Versions are months, none in the future. */
const FIRST_VERSION = 202_511;

/** Lets only living tokens pass. */
export function requireToken(provider: ProviderContext<LinkedinState>): MiddlewareHandler<LinkedinEnv> {
  return async (c, next) => {
    const grant = provider.grant(c.req.raw);
    const world = provider.world();
    const member = world.members.find(({ sub }) => sub === grant?.account);
    if (!grant || !member) {
      throw new LinkedinError(401, "INVALID_ACCESS_TOKEN", "Invalid access token", { serviceErrorCode: 65_600 });
    }
    c.set("grant", grant);
    c.set("member", member);
    c.set("world", world);
    await next();
  };
}

/** The headers of the versioned API (learn.microsoft.com/en-us/linkedin/marketing/versioning). */
export function requireVersion(provider: ProviderContext<LinkedinState>): MiddlewareHandler<LinkedinEnv> {
  return async (c, next) => {
    const version = c.req.header("linkedin-version");
    if (version === undefined) {
      const message = "A version must be present. Please specify a version by adding the LinkedIn-Version header.";
      throw new LinkedinError(400, "VERSION_MISSING", message);
    }
    const now = new Date(provider.now());
    const newest = now.getUTCFullYear() * 100 + now.getUTCMonth() + 1;
    if (!/^\d{6}$/.test(version) || Number(version) < FIRST_VERSION || Number(version) > newest) {
      throw new LinkedinError(426, "NONEXISTENT_VERSION", `Requested version ${version} is not active`);
    }
    if (c.req.header("x-restli-protocol-version") !== "2.0.0") {
      throw new LinkedinError(400, "ILLEGAL_ARGUMENT", "X-Restli-Protocol-Version must be 2.0.0");
    }
    await next();
  };
}

/** Requires a scope. @throws LinkedinRefusal 403 in LinkedIn's words */
export function requireScope(c: Context<LinkedinEnv>, scope: string, resource: string): void {
  if (!c.get("grant").scopes.includes(scope)) throw forbiddenError(resource);
}

export function forbiddenError(resource: string): LinkedinError {
  const message = `Not enough permissions to access: ${resource}`;
  return new LinkedinError(403, "ACCESS_DENIED", message, { serviceErrorCode: 100 });
}

/** Finds the post of a URN, by its ID or that of its activity. @throws LinkedinRefusal 404 */
export function findPost(c: Context<LinkedinEnv>, urn: string): Post {
  const [kind, id] = [urn.split(":")[2], urn.split(":")[3]];
  const post = c
    .get("world")
    .posts.find((post) => post.id === urn || (kind === "activity" && post.id.endsWith(`:${id}`)));
  if (!post) throw new LinkedinError(404, "NOT_FOUND", `Could not find entity ${urn}`);
  return post;
}

/** @throws LinkedinRefusal 403 for a member other than the signed-in one */
export function requireSelf(c: Context<LinkedinEnv>, urn: unknown, field: string): void {
  if (urn === `urn:li:person:${c.get("member").sub}`) return;
  const message = `Field ${field} :: ${String(urn)} is not the authenticated member`;
  throw new LinkedinError(403, "ACCESS_DENIED", message, { serviceErrorCode: 100 });
}

export async function parseBody(c: Context): Promise<Record<string, unknown>> {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new LinkedinError(400, "ILLEGAL_ARGUMENT", "The request body is not JSON");
}

type Status = 400 | 401 | 403 | 404 | 409 | 422 | 426;

/**
 * An error of LinkedIn: `{status, code, message, serviceErrorCode?}`. Source:
 * https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling
 */
export class LinkedinError extends Error {
  readonly status: Status;
  readonly code: string;
  readonly more: Record<string, unknown>;

  constructor(status: Status, code: string, message: string, more: Record<string, unknown> = {}) {
    super(message);
    this.name = "LinkedinRefusal";
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

export const handleErrors: ErrorHandler = (error, c) => {
  if (!(error instanceof LinkedinError)) throw error;
  const { status, code, message, more } = error;
  return c.json({ status, ...more, code, message }, status);
};
