import { SAFE_GET } from "../http/generic-request.ts";
import type { Service } from "../service.ts";
import { fetchHubspotAccount, fetchHubspotIdentity } from "./identity.ts";
import { listDealsTool } from "./list-deals.ts";
import { addNoteTool } from "./note.ts";
import { getContactTool, searchContactsTool } from "./read-contact.ts";
import { createContactTool, updateContactTool } from "./write-contact.ts";
import { createDealTool, moveDealTool, updateDealTool } from "./write-deal.ts";

/**
 * HubSpot CRM. Tokens last 30 minutes; the refresh token stays. A deleted portal is reported as `access_denied` with
 * status `BAD_HUB`, an unknown refresh token as `BAD_REFRESH_TOKEN`. The v1 token endpoint ends in February 2027, so v3
 * is used. Source: https://developers.hubspot.com/docs/api-reference/auth-oauth-v3/guide
 */
export const hubspot: Service = {
  name: "hubspot",
  title: "HubSpot",
  oauth: {
    provider: "hubspot",
    scopes: [
      "oauth",
      "crm.objects.contacts.read",
      "crm.objects.contacts.write",
      "crm.objects.deals.read",
      "crm.objects.deals.write",
      "crm.objects.owners.read",
    ],
    pkce: false,
    clientAuth: "client_secret_post",
    refresh: "stable",
    revocation: { style: "rfc7009", covers: "consent" },
    accessPage: "https://knowledge.hubspot.com/integrations/connect-apps-to-hubspot",
    goneErrors: ["BAD_HUB", "BAD_REFRESH_TOKEN"],
  },
  endpoints: {
    authorize: "https://app.hubspot.com/oauth/authorize",
    token: "https://api.hubapi.com/oauth/v3/token",
    revoke: "https://api.hubapi.com/oauth/v3/token/revoke",
    api: "https://api.hubapi.com",
    app: "https://app.hubspot.com",
  },
  api: {
    genericReads: [
      ...SAFE_GET,
      { method: "POST", path: /^\/crm\/v[34]\/(?:objects|associations)\/[\w/-]+\/(?:search|batch\/read)$/ },
    ],
  },
  identifyToken: fetchHubspotAccount,
  identify: fetchHubspotIdentity,
  tools: [
    searchContactsTool,
    getContactTool,
    createContactTool,
    updateContactTool,
    listDealsTool,
    createDealTool,
    moveDealTool,
    updateDealTool,
    addNoteTool,
  ],
};
