import type { Context, MiddlewareHandler } from "hono";
import { type ApiEnv, requireAccount } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import { airtableError, forbiddenError } from "./errors.ts";
import type { Account, AirtableState, Base, Table } from "./state.ts";

/** Context of a request under `/v0`. */
export type AirtableEnv = ApiEnv<AirtableState, Account>;

/** Scopes in words (airtable.com/developers/web/api/scopes). */
export const SCOPES: Record<string, string> = {
  "data.records:read": "See the data in records",
  "data.records:write": "Create, edit and delete records",
  "data.recordComments:read": "See comments in records",
  "data.recordComments:write": "Create, edit and delete record comments",
  "schema.bases:read": "See the structure of a base, like table names or field types",
  "schema.bases:write": "Edit the structure of a base",
  "user.email:read": "See your email address",
};

/** Requires a valid token. */
export function requireToken(provider: ProviderContext<AirtableState>): MiddlewareHandler<AirtableEnv> {
  return requireAccount(
    provider,
    ({ accounts }, accountId) => accounts.find(({ id }) => id === accountId),
    () => airtableError(401, "AUTHENTICATION_REQUIRED", "Authentication required"),
  );
}

/** Requires this scope. */
export function requireScope(scope: string): MiddlewareHandler<AirtableEnv> {
  return async (c, next) => {
    if (!c.get("grant").scopes.includes(scope)) {
      throw airtableError(403, "INVALID_PERMISSIONS", "You are not permitted to perform this operation");
    }
    await next();
  };
}

/** Lists the bases of the account. */
export function listBases(c: Context<AirtableEnv>): Base[] {
  const me = c.get("account").id;
  return c.get("world").bases.filter(({ members }) => members.length === 0 || members.includes(me));
}

/** Finds the base in the path. */
export function findBase(c: Context<AirtableEnv>): Base {
  const base = listBases(c).find(({ id }) => id === c.req.param("base"));
  if (!base) throw forbiddenError();
  return base;
}

/** Finds the table in the path, by ID or name. `writes` requires the right to edit the base. */
export function findTable(c: Context<AirtableEnv>, writes = false): { base: Base; table: Table } {
  const base = findBase(c);
  const nameOrId = c.req.param("table") ?? "";
  const table = base.tables.find(({ id, name }) => id === nameOrId || name === nameOrId);
  if (!table || (writes && !["edit", "create"].includes(base.permissionLevel))) throw forbiddenError();
  return { base, table };
}
