import type { Context, MiddlewareHandler } from "hono";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { badRequestError, HubspotError } from "./errors.ts";
import { findObjectType } from "./properties.ts";
import type { HubspotState, ObjectType, Owner } from "./state.ts";

/** Context of a request to the API: its account and the state. */
export type HubspotEnv = {
  Bindings: SandboxEnv["Bindings"];
  Variables: SandboxEnv["Variables"] & { owner: Owner; world: HubspotState };
};

/** Scopes in words (https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/scopes). */
export const SCOPES: Record<string, string> = {
  oauth: "Know which HubSpot account and user you are",
  "crm.objects.contacts.read": "See contacts and their notes",
  "crm.objects.contacts.write": "Create and change contacts and notes",
  "crm.objects.deals.read": "See deals and pipelines",
  "crm.objects.deals.write": "Create and change deals",
  "crm.objects.owners.read": "See who owns records",
};

/** Lets only living tokens pass. */
export function requireToken(provider: ProviderContext<HubspotState>): MiddlewareHandler<HubspotEnv> {
  return async (c, next) => {
    const grant = provider.grant(c.req.raw);
    const world = provider.world();
    const owner = world.owners.find(({ userId }) => String(userId) === grant?.account);
    if (!grant || !owner) {
      throw c.req.header("authorization")
        ? new HubspotError(
            401,
            "EXPIRED_AUTHENTICATION",
            "The OAuth token used to make this call expired or is unknown.",
          )
        : new HubspotError(
            401,
            "INVALID_AUTHENTICATION",
            "Authentication credentials not found. This API supports OAuth 2.0 authentication and you can find more details at https://developers.hubspot.com/docs/methods/auth/oauth-overview",
          );
    }
    c.set("grant", grant);
    c.set("owner", owner);
    c.set("world", world);
    await next();
  };
}

/** Requires a scope. @throws HubspotRefusal 403 in HubSpot's words */
export function requireScope(c: Context<HubspotEnv>, scope: string): void {
  if (c.get("grant").scopes.includes(scope)) return;
  const message =
    "This app hasn't been granted all required scopes to make this call. Read more about required scopes here: https://developers.hubspot.com/scopes.";
  throw new HubspotError(403, "MISSING_SCOPES", message, {
    errors: [
      { message: "One or more of the following scopes are required.", context: { requiredGranularScopes: [scope] } },
    ],
    links: { scopes: "https://developers.hubspot.com/scopes" },
  });
}

/** Notes use the scopes of contacts. */
export function getScope(type: ObjectType, access: "read" | "write"): string {
  return `crm.objects.${type === "notes" ? "contacts" : type}.${access}`;
}

/** Finds the type in the path, if the grant allows the access. @throws HubspotRefusal 400, 403 */
export function parseObjectType(c: Context<HubspotEnv>, access: "read" | "write", part = "type"): ObjectType {
  const name = c.req.param(part) ?? "";
  const type = findObjectType(name);
  if (!type) throw badRequestError(`Unable to infer object type from: ${name}`);
  requireScope(c, getScope(type, access));
  return type;
}

/** Reads the JSON object in the body. @throws HubspotRefusal 400 */
export async function parseBody(c: Context): Promise<Record<string, unknown>> {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw badRequestError("Invalid input JSON");
  return body as Record<string, unknown>;
}

/** Reads names in a list of the body. */
export function parseNames(body: Record<string, unknown>, name: string): string[] | undefined {
  const list = body[name];
  return Array.isArray(list) ? list.map(String) : undefined;
}
