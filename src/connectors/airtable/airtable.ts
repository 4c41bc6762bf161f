import * as z from "zod/mini";
import { SAFE_GET } from "../http/generic-request.ts";
import type { Identity } from "../oauth.ts";
import type { Service } from "../service.ts";
import type { ServiceHttp } from "../service-http.ts";
import { listRecordsTool } from "./list.ts";
import { describeBaseTool, getRecordTool, listBasesTool } from "./read.ts";
import { createRecordTool, deleteRecordTool, updateRecordTool } from "./write.ts";

/**
 * Airtable. PKCE with S256 is required. Access tokens last an hour; refresh tokens last 60 days and are rotated. More
 * than five requests a second to one base get 429 without `Retry-After`: "you will need to wait 30 seconds". Sources:
 * https://airtable.com/developers/web/api/oauth-reference, …/scopes and …/rate-limits
 */
export const airtable: Service = {
  name: "airtable",
  title: "Airtable",
  oauth: {
    provider: "airtable",
    scopes: ["data.records:read", "data.records:write", "schema.bases:read", "user.email:read"],
    pkce: true,
    clientAuth: "client_secret_basic",
    refresh: "rotating",
    accessPage: "https://support.airtable.com/docs/third-party-integrations-via-oauth-overview",
  },
  endpoints: {
    authorize: "https://airtable.com/oauth2/v1/authorize",
    token: "https://airtable.com/oauth2/v1/token",
    api: "https://api.airtable.com",
    web: "https://airtable.com",
  },
  api: { pause: 30_000, genericReads: SAFE_GET },
  identify: fetchAirtableIdentity,
  tools: [
    listBasesTool,
    describeBaseTool,
    listRecordsTool,
    getRecordTool,
    createRecordTool,
    updateRecordTool,
    deleteRecordTool,
  ],
};

const Whoami = z.looseObject({ id: z.string(), email: z.nullish(z.string()) });

/**
 * Returns the account that consented. A token opens the bases chosen on the consent page. Source:
 * https://airtable.com/developers/web/api/get-user-id-scopes
 */
async function fetchAirtableIdentity(http: ServiceHttp): Promise<Identity> {
  const { id, email } = await http.request({ path: "/v0/meta/whoami", answer: Whoami, scope: "user.email:read" });
  return {
    accountId: id,
    user: { account_id: id, email },
    metadata: { url: http.endpoints.web ?? "https://airtable.com" },
  };
}
