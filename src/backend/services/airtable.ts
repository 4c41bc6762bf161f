import { createRecord } from "./airtable/create.ts";
import { deleteRecord } from "./airtable/delete.ts";
import { describeBase } from "./airtable/describe-base.ts";
import { getRecord } from "./airtable/get.ts";
import { airtableIdentity } from "./airtable/identity.ts";
import { listRecords } from "./airtable/list.ts";
import { listBases } from "./airtable/list-bases.ts";
import { updateRecord } from "./airtable/update.ts";
import type { Service } from "./service.ts";

/**
 * Airtable. PKCE with S256 is required; access tokens live an hour, refresh tokens 60 days and are spent by use. More than five requests a
 * second to one base are answered with 429 and no `Retry-After`: "you will need to wait 30 seconds". Sources:
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
  },
  endpoints: {
    authorize: "https://airtable.com/oauth2/v1/authorize",
    token: "https://airtable.com/oauth2/v1/token",
    api: "https://api.airtable.com",
    web: "https://airtable.com",
  },
  api: { pause: 30_000 },
  identify: airtableIdentity,
  tools: [listBases, describeBase, listRecords, getRecord, createRecord, updateRecord, deleteRecord],
};
