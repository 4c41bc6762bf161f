import type { Context } from "hono";
import { getScope, type HubspotEnv, requireScope } from "./access.ts";
import { badRequestError } from "./errors.ts";
import { findObjectType } from "./properties.ts";
import type { ObjectType } from "./state.ts";

/** The type that a part of the path names, if the grant may do that with it. @throws HubspotRefusal 400, 403 */
export function parseObjectType(c: Context<HubspotEnv>, access: "read" | "write", part = "type"): ObjectType {
  const name = c.req.param(part) ?? "";
  const type = findObjectType(name);
  if (!type) throw badRequestError(`Unable to infer object type from: ${name}`);
  requireScope(c, getScope(type, access));
  return type;
}

/** The JSON object that is the body. @throws HubspotRefusal 400 */
export async function parseBody(c: Context): Promise<Record<string, unknown>> {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw badRequestError("Invalid input JSON");
  return body as Record<string, unknown>;
}

/** Names in a list of the body. */
export function parseNames(body: Record<string, unknown>, name: string): string[] | undefined {
  const list = body[name];
  return Array.isArray(list) ? list.map(String) : undefined;
}
