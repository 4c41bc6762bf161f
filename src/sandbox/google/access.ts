import type { Context, MiddlewareHandler } from "hono";
import type { JsonRecord } from "#protocol/json";
import { type ApiEnv, type ApiError, parseJsonObject, requireAccount } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import { googleError, invalidError } from "./errors.ts";
import { type GoogleAccess, grantsAccess } from "./scopes.ts";
import type { Account, GoogleState } from "./state.ts";

/** Context of a request to an API. */
export type GoogleEnv = ApiEnv<GoogleState, Account>;

const NO_TOKEN =
  "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.";

/** Requires a valid token. */
export function requireToken(provider: ProviderContext<GoogleState>): MiddlewareHandler<GoogleEnv> {
  return requireAccount(
    provider,
    ({ accounts }, accountId) => accounts.find(({ id }) => id === accountId),
    () => googleError(401, "authError", NO_TOKEN),
  );
}

/** Requires a grant with this scope. */
export function requireAccess(access: GoogleAccess): MiddlewareHandler<GoogleEnv> {
  return async (c, next) => {
    if (!grantsAccess(c.get("grant").scopes, access)) {
      const info = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
        domain: "googleapis.com",
      };
      const message = "Request had insufficient authentication scopes.";
      throw googleError(403, "insufficientPermissions", message, [info]);
    }
    await next();
  };
}

/** Reads the JSON object in the body of a request. */
export async function parseBody(c: Context<GoogleEnv>): Promise<JsonRecord> {
  return parseJsonObject(c, parseError);
}

/** The error for a body that is not JSON. */
export function parseError(): ApiError {
  return googleError(400, "parseError", "Invalid JSON payload received.");
}

export function getText(body: JsonRecord, name: string): string | undefined {
  const value = body[name];
  return typeof value === "string" ? value : undefined;
}

export function getList(body: JsonRecord, name: string): unknown[] {
  const value = body[name];
  return Array.isArray(value) ? value : [];
}

/** Returns a page of a list, by size and token. */
export function paginate<T>(
  c: Context<GoogleEnv>,
  all: T[],
  sizes: { name: string; usual: number; most: number },
): { page: T[]; nextPageToken?: string } {
  const requestedSize = Number(c.req.query(sizes.name) ?? sizes.usual);
  if (!Number.isInteger(requestedSize) || requestedSize < 1) throw invalidError(`Invalid value for ${sizes.name}`);
  const size = Math.min(requestedSize, sizes.most);
  const token = c.req.query("pageToken");
  const start = token === undefined ? 0 : Number(Buffer.from(token, "base64url").toString());
  if (!Number.isInteger(start) || start < 0) throw invalidError("Invalid value for pageToken");
  const end = start + size;
  return {
    page: all.slice(start, end),
    ...(end < all.length ? { nextPageToken: Buffer.from(String(end)).toString("base64url") } : {}),
  };
}

/** Sends the part of a value that the field mask of the request selects, or a default mask. */
export function sendMasked(c: Context<GoogleEnv>, value: object, defaultMask?: string) {
  return c.json(applyFieldMask(value, c.req.query("fields") ?? defaultMask) as JsonRecord);
}

/** Applies a field mask: `files(id,name),nextPageToken`, `properties/title`, `sheets.properties.title`, `*`. */
function applyFieldMask(value: unknown, mask: string | undefined): unknown {
  return mask === undefined || mask.trim() === "" ? value : pick(value, parseMask(mask.replace(/\s+/g, "")));
}

/** Names and the selection below them; no selection means everything. */
type Mask = Map<string, Mask | undefined>;

function pick(value: unknown, mask: Mask | undefined): unknown {
  if (mask === undefined || mask.has("*")) return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, mask));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => mask.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, pick(inner, mask.get(name))]));
}

function parseMask(text: string): Mask {
  let offset = 0;
  const invalidMask = () => invalidError(`Invalid field selection ${text}`);
  const list = (): Mask => {
    let mask: Mask = new Map();
    for (;;) {
      mask = merge(mask, parsePath());
      if (text[offset] !== ",") return mask;
      offset += 1;
    }
  };
  const parsePath = (): Mask => {
    const [name = ""] = /^[\w*]+/.exec(text.slice(offset)) ?? [];
    if (name === "") throw invalidMask();
    offset += name.length;
    return new Map([[name, parseBelow()]]);
  };
  const parseBelow = (): Mask | undefined => {
    const mark = text[offset];
    if (mark !== "(" && mark !== "/" && mark !== ".") return undefined;
    offset += 1;
    if (mark !== "(") return parsePath();
    const mask = list();
    if (text[offset] !== ")") throw invalidMask();
    offset += 1;
    return mask;
  };
  const mask = list();
  if (offset < text.length) throw invalidMask();
  return mask;
}

/** Merges two masks. */
function merge(first: Mask, second: Mask): Mask {
  const mask = new Map(first);
  for (const [name, below] of second) {
    const existing = first.get(name);
    mask.set(name, first.has(name) ? existing && below && merge(existing, below) : below);
  }
  return mask;
}
