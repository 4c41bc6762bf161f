import type { Context } from "hono";
import { type HubspotEnv, need, scopeOf } from "./access.ts";
import { badRequest } from "./errors.ts";
import { objectTypeOf } from "./properties.ts";
import type { ObjectType } from "./world.ts";

/** The type that a part of the path names, if the grant may do that with it. @throws HubspotRefusal 400, 403 */
export function typeIn(c: Context<HubspotEnv>, access: "read" | "write", part = "type"): ObjectType {
  const name = c.req.param(part) ?? "";
  const type = objectTypeOf(name);
  if (!type) throw badRequest(`Unable to infer object type from: ${name}`);
  need(c, scopeOf(type, access));
  return type;
}

/** The JSON object that is the body. @throws HubspotRefusal 400 */
export async function bodyOf(c: Context): Promise<Record<string, unknown>> {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw badRequest("Invalid input JSON");
  return body as Record<string, unknown>;
}

/** Names in a list of the body. */
export function namesIn(body: Record<string, unknown>, name: string): string[] | undefined {
  const list = body[name];
  return Array.isArray(list) ? list.map(String) : undefined;
}
