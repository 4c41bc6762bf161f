import type { Context, MiddlewareHandler } from "hono";
import type { JsonRecord } from "#protocol/json";
import { type ApiEnv, parseJsonObject, requireAccount } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import { badRequestError, hubspotError, invalidInputError } from "./errors.ts";
import { findObjectType } from "./properties.ts";
import type { HubspotState, ObjectType, Owner } from "./state.ts";

/** Context of a request to the API. */
export type HubspotEnv = ApiEnv<HubspotState, Owner>;

/** Scopes in words (https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/scopes). */
export const SCOPES: Record<string, string> = {
  oauth: "Know which HubSpot account and user you are",
  "crm.objects.contacts.read": "See contacts and their notes",
  "crm.objects.contacts.write": "Create and change contacts and notes",
  "crm.objects.deals.read": "See deals and pipelines",
  "crm.objects.deals.write": "Create and change deals",
  "crm.objects.owners.read": "See who owns records",
};

/** Requires a valid token. */
export function requireToken(provider: ProviderContext<HubspotState>): MiddlewareHandler<HubspotEnv> {
  return requireAccount(
    provider,
    ({ owners }, id) => owners.find(({ userId }) => String(userId) === id),
    (c) =>
      c.req.header("authorization")
        ? hubspotError(401, "EXPIRED_AUTHENTICATION", "The OAuth token used to make this call expired or is unknown.")
        : hubspotError(
            401,
            "INVALID_AUTHENTICATION",
            "Authentication credentials not found. This API supports OAuth 2.0 authentication and you can find more details at https://developers.hubspot.com/docs/methods/auth/oauth-overview",
          ),
  );
}

/** Requires a scope. @throws ApiError 403 in HubSpot's words */
export function requireScope(c: Context<HubspotEnv>, scope: string): void {
  if (c.get("grant").scopes.includes(scope)) return;
  const message =
    "This app hasn't been granted all required scopes to make this call. Read more about required scopes here: https://developers.hubspot.com/scopes.";
  throw hubspotError(403, "MISSING_SCOPES", message, {
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

/** Finds the type in the path, if the grant allows the access. @throws ApiError 400, 403 */
export function parseObjectType(c: Context<HubspotEnv>, access: "read" | "write", part = "type"): ObjectType {
  const name = c.req.param(part) ?? "";
  const type = findObjectType(name);
  if (!type) throw badRequestError(`Unable to infer object type from: ${name}`);
  requireScope(c, getScope(type, access));
  return type;
}

/** Reads the JSON object in the body. @throws ApiError 400 */
export async function parseBody(c: Context): Promise<JsonRecord> {
  return parseJsonObject(c, invalidInputError);
}

/** Reads names in a list of the body. */
export function parseNames(body: Record<string, unknown>, name: string): string[] | undefined {
  const list = body[name];
  return Array.isArray(list) ? list.map(String) : undefined;
}
