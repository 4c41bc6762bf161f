import type { Context, ErrorHandler, MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { isRecord, type JsonRecord } from "#protocol/json";
import type { ProviderContext, SandboxEnv } from "./provider.ts";

/** Context of an authenticated request: its grant, its account in the world, and the world. */
export type ApiEnv<World, Account> = {
  Bindings: SandboxEnv["Bindings"];
  Variables: SandboxEnv["Variables"] & { account: Account; world: World };
};

/** An error response of an API. Each stand-in builds the body like its service. */
export class ApiError extends Error {
  readonly status: ContentfulStatusCode;
  readonly body: JsonRecord;

  constructor(status: ContentfulStatusCode, message: string, body: JsonRecord) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.body = body;
  }
}

/** Sends an error response. Any other error is a fault of the stand-in. */
export const sendApiError: ErrorHandler = (error, c) => {
  if (!(error instanceof ApiError)) throw error;
  return c.json(error.body, error.status);
};

/**
 * Requires a valid token, and finds its account in the world.
 *
 * @param createError returns the service's 401
 */
export function requireAccount<World, Account>(
  provider: ProviderContext<World>,
  findAccount: (world: World, id: string) => Account | undefined,
  createError: (c: Context) => ApiError,
): MiddlewareHandler<ApiEnv<World, Account>> {
  return async (c, next) => {
    const grant = provider.grant(c.req.raw);
    const world = provider.world();
    const account = grant && findAccount(world, grant.account);
    if (!grant || !account) throw createError(c);
    c.set("grant", grant);
    c.set("account", account);
    c.set("world", world);
    await next();
  };
}

/** Reads the JSON object in the body of a request. @throws the error of `createError` for anything else */
export async function parseJsonObject(c: Context, createError: () => ApiError): Promise<JsonRecord> {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (!isRecord(body)) throw createError();
  return body;
}

/** Reads a list of objects in a body; an absent one is empty. @throws the error of `createError` for anything else */
export function parseObjectList(value: unknown, createError: () => ApiError): JsonRecord[] {
  const list = value ?? [];
  if (!Array.isArray(list) || !list.every(isRecord)) throw createError();
  return list;
}

/** Reads a parameter that is repeated or separated by commas. */
export function parseQueryList(c: Context, name: string): string[] {
  return (c.req.queries(name) ?? []).flatMap((part) => part.split(",")).filter(Boolean);
}
