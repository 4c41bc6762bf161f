import * as z from "zod/mini";
import type { Identity, ServiceHttp } from "#connectors/service";

const Whoami = z.looseObject({ id: z.string(), email: z.nullish(z.string()) });

/** Who consented; a token opens the bases that were chosen on the consent page. Source: https://airtable.com/developers/web/api/get-user-id-scopes */
export async function fetchAirtableIdentity(http: ServiceHttp): Promise<Identity> {
  const { id, email } = await http.request({ path: "/v0/meta/whoami", answer: Whoami, scope: "user.email:read" });
  return {
    accountId: id,
    user: { account_id: id, email },
    metadata: { url: http.endpoints.web ?? "https://airtable.com" },
  };
}
