import { expect, test } from "vitest";
import * as z from "zod/mini";
import { configureServices } from "#connectors/catalogue";
import { httpOver, outside } from "./support/outside.ts";

const real = { id: "real", secret: "s1" };
const sandbox = {
  atlassian: { origin: "http://127.0.0.1:4010", client: { id: "kay-sandbox-atlassian", secret: "s2" } },
  bitbucket: { origin: "http://127.0.0.1:4011", client: { id: "kay-sandbox-bitbucket", secret: "s3" } },
  slack: { origin: "http://127.0.0.1:4012", client: { id: "kay-sandbox-slack", secret: "s4" } },
  github: { origin: "http://127.0.0.1:4013", client: { id: "kay-sandbox-github", secret: "s5" } },
};

function listServices(options: Parameters<typeof configureServices>[0]) {
  return configureServices(options).map(({ service, endpoints, client }) => [service.name, client?.id, endpoints]);
}

test("without a client and without a sandbox every service is listed and none can be connected", () => {
  const services = configureServices({ clients: {} });
  expect(services.map(({ service, client }) => [service.name, service.title, client])).toEqual([
    ["jira", "Jira", null],
    ["confluence", "Confluence", null],
    ["bitbucket", "Bitbucket", null],
    ["slack", "Slack", null],
    ["github", "GitHub", null],
    ["gmail", "Gmail", null],
    ["google-calendar", "Google Calendar", null],
    ["google-docs", "Google Docs", null],
    ["google-sheets", "Google Sheets", null],
    ["google-drive", "Google Drive", null],
    ["notion", "Notion", null],
    ["airtable", "Airtable", null],
    ["hubspot", "HubSpot", null],
    ["linkedin", "LinkedIn", null],
    ["kyg", "kyg", null],
  ]);
});

test("a real client goes to the real endpoints, the others to the sandbox under the same paths", () => {
  const atlassian = {
    authorize: "https://auth.atlassian.com/authorize",
    token: "https://auth.atlassian.com/oauth/token",
    revoke: "https://auth.atlassian.com/oauth/revoke",
    api: "https://api.atlassian.com",
  };
  const provided = listServices({ clients: { atlassian: real }, sandbox });
  expect(provided.filter(([, client]) => client !== undefined)).toEqual([
    ["jira", "real", atlassian],
    ["confluence", "real", atlassian],
    [
      "bitbucket",
      "kay-sandbox-bitbucket",
      {
        authorize: "http://127.0.0.1:4011/site/oauth2/authorize",
        token: "http://127.0.0.1:4011/site/oauth2/access_token",
        api: "http://127.0.0.1:4011",
      },
    ],
    [
      "slack",
      "kay-sandbox-slack",
      {
        authorize: "http://127.0.0.1:4012/oauth/v2/authorize",
        token: "http://127.0.0.1:4012/api/oauth.v2.access",
        revoke: "http://127.0.0.1:4012/api/auth.revoke",
        api: "http://127.0.0.1:4012/api",
        files: "http://127.0.0.1:4012",
      },
    ],
    [
      "github",
      "kay-sandbox-github",
      {
        authorize: "http://127.0.0.1:4013/login/oauth/authorize",
        token: "http://127.0.0.1:4013/login/oauth/access_token",
        revoke: "http://127.0.0.1:4013/applications",
        api: "http://127.0.0.1:4013",
      },
    ],
  ]);
  expect(provided.at(-1)).toEqual(["kyg", undefined, { authorize: "", token: "", api: "" }]);
  expect(listServices({ clients: {}, sandbox })[0]).toEqual([
    "jira",
    "kay-sandbox-atlassian",
    {
      authorize: "http://127.0.0.1:4010/authorize",
      token: "http://127.0.0.1:4010/oauth/token",
      revoke: "http://127.0.0.1:4010/oauth/revoke",
      api: "http://127.0.0.1:4010",
    },
  ]);
});

test("Google's APIs have separate hosts, and one sandbox origin serves them all", () => {
  const of = (options: Parameters<typeof configureServices>[0]) =>
    listServices(options).find(([name]) => name === "google-docs");
  expect(of({ clients: { google: real } })).toEqual([
    "google-docs",
    "real",
    {
      authorize: "https://accounts.google.com/o/oauth2/v2/auth",
      token: "https://oauth2.googleapis.com/token",
      revoke: "https://oauth2.googleapis.com/revoke",
      account: "https://openidconnect.googleapis.com",
      api: "https://docs.googleapis.com",
      drive: "https://www.googleapis.com",
      web: "https://docs.google.com",
    },
  ]);
  const origin = "http://127.0.0.1:4012";
  const client = { id: "kay-sandbox-google", secret: "s4" };
  expect(of({ clients: {}, sandbox: { google: { origin, client } } })).toEqual([
    "google-docs",
    "kay-sandbox-google",
    {
      authorize: `${origin}/o/oauth2/v2/auth`,
      token: `${origin}/token`,
      revoke: `${origin}/revoke`,
      account: origin,
      api: origin,
      drive: origin,
      web: origin,
    },
  ]);
});

test("V07 each provider's authorization requests what keeps a connection alive", () => {
  const oauth = configureServices({ clients: {} }).map(({ service: { name, oauth } }) => {
    const { revocation: _, accessPage: __, ...asked } = oauth;
    return { name, ...asked };
  });
  const google = {
    provider: "google",
    authorizeParams: { access_type: "offline", prompt: "consent" },
    pkce: true,
    clientAuth: "client_secret_post",
    refresh: "stable",
  };
  const identity = ["openid", "email", "profile"];
  expect(oauth.filter(({ name }) => name !== "kyg")).toEqual([
    {
      name: "jira",
      provider: "atlassian",
      scopes: ["read:jira-work", "write:jira-work", "read:jira-user", "read:me", "offline_access"],
      authorizeParams: { audience: "api.atlassian.com", prompt: "consent" },
      pkce: false,
      clientAuth: "client_secret_post",
      refresh: "rotating",
      goneErrors: ["unauthorized_client"],
    },
    {
      name: "confluence",
      provider: "atlassian",
      scopes: [
        "search:confluence",
        "read:page:confluence",
        "write:page:confluence",
        "read:space:confluence",
        "read:comment:confluence",
        "write:comment:confluence",
        "read:user:confluence",
        "read:me",
        "offline_access",
      ],
      authorizeParams: { audience: "api.atlassian.com", prompt: "consent" },
      pkce: false,
      clientAuth: "client_secret_post",
      refresh: "rotating",
      goneErrors: ["unauthorized_client"],
    },
    {
      name: "bitbucket",
      provider: "bitbucket",
      scopes: ["account", "repository", "pullrequest", "pullrequest:write"],
      pkce: false,
      clientAuth: "client_secret_basic",
      refresh: "stable",
    },
    {
      name: "slack",
      provider: "slack",
      scopes: [
        "channels:read",
        "channels:history",
        "groups:read",
        "groups:history",
        "im:read",
        "im:history",
        "im:write",
        "chat:write",
        "files:write",
        "reactions:write",
        "search:read",
        "users:read",
        "users:read.email",
      ],
      scopeParameter: "user_scope",
      scopeSeparator: ",",
      tokensIn: "authed_user",
      pkce: false,
      clientAuth: "client_secret_basic",
      refresh: "rotating",
      goneErrors: [
        "invalid_refresh_token",
        "token_revoked",
        "token_expired",
        "account_inactive",
        "authorization_not_found",
      ],
    },
    {
      name: "github",
      provider: "github",
      scopes: ["repo", "read:user"],
      pkce: true,
      clientAuth: "client_secret_post",
      refresh: "none",
      goneErrors: ["bad_refresh_token"],
    },
    {
      name: "gmail",
      scopes: [...identity, "https://www.googleapis.com/auth/gmail.modify"],
      ...google,
    },
    {
      name: "google-calendar",
      scopes: [
        ...identity,
        "https://www.googleapis.com/auth/calendar.events",
        "https://www.googleapis.com/auth/calendar.readonly",
      ],
      ...google,
    },
    {
      name: "google-docs",
      scopes: [
        ...identity,
        "https://www.googleapis.com/auth/documents",
        "https://www.googleapis.com/auth/drive.readonly",
      ],
      ...google,
    },
    {
      name: "google-sheets",
      scopes: [
        ...identity,
        "https://www.googleapis.com/auth/spreadsheets",
        "https://www.googleapis.com/auth/drive.readonly",
      ],
      ...google,
    },
    {
      name: "google-drive",
      scopes: [...identity, "https://www.googleapis.com/auth/drive"],
      ...google,
    },
    {
      name: "notion",
      provider: "notion",
      scopes: [],
      authorizeParams: { owner: "user" },
      pkce: false,
      clientAuth: "client_secret_basic",
      tokenBody: "json",
      refresh: "rotating",
    },
    {
      name: "airtable",
      provider: "airtable",
      scopes: ["data.records:read", "data.records:write", "schema.bases:read", "user.email:read"],
      pkce: true,
      clientAuth: "client_secret_basic",
      refresh: "rotating",
    },
    {
      name: "hubspot",
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
      goneErrors: ["BAD_HUB", "BAD_REFRESH_TOKEN"],
    },
    {
      name: "linkedin",
      provider: "linkedin",
      scopes: ["openid", "profile", "email", "w_member_social"],
      pkce: false,
      clientAuth: "client_secret_post",
      refresh: "none",
    },
  ]);
});

test("kyg is where the operator says, and its accounts are read as in OpenID Connect", async () => {
  const kyg = { authorize: "https://kyg.test/authorize", token: "https://kyg.test/token", api: "https://kyg.test/api" };
  const configured = configureServices({ clients: { kyg: real }, kyg }).find(({ service }) => service.name === "kyg");
  expect(configured).toMatchObject({ client: real, endpoints: kyg });
  if (!configured) return;
  const world = outside(
    {
      request: "GET https://kyg.test/api/me",
      json: { sub: "u1", name: "Ana", email: "a@x.test", preferred_username: "ana" },
    },
    { request: "GET https://kyg.test/api/me", json: { id: 7 } },
    { request: "GET https://kyg.test/api/me", json: { name: "nobody" } },
  );
  const { http } = httpOver(world, configured.service);
  expect(await configured.service.identify(http)).toEqual({
    accountId: "u1",
    user: { account_id: "u1", name: "Ana", email: "a@x.test", username: "ana", picture: undefined },
    metadata: { url: "https://kyg.test/api" },
  });
  expect((await configured.service.identify(http)).accountId).toBe("7");
  await expect(configured.service.identify(http)).rejects.toMatchObject({ code: "SERVICE_FAILED" });
});

test("every tool describes itself to models and users: name, description, described fields, and examples of its own fields", () => {
  for (const { service } of configureServices({ clients: {} })) {
    for (const { name, description, examples, input } of service.tools) {
      const schema = z.toJSONSchema(input, { io: "input" }) as {
        properties: Record<string, { description?: string; type?: string }>;
      };
      expect(name).toMatch(new RegExp(`^${service.name}\\.[a-z]+(_[a-z]+)*$`));
      expect(description).toMatch(/^[A-Z].*\.$/);
      for (const field of Object.values(schema.properties)) {
        expect(field).toMatchObject({ description: expect.any(String), type: expect.any(String) });
      }
      const slots = examples.flatMap((example) => [...example.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
      expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(slots));
      expect(examples.length).toBeGreaterThanOrEqual(3);
    }
  }
});
