import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { toGrantAddress } from "#backend/connections/tokens/sealing";
import { getShapingSettings } from "#cli/backend/ports";
import { type CatalogueOptions, configureServices } from "#connectors/catalogue";
import { parseDescription } from "#connectors/custom/read";
import { readOwnAddresses } from "#host/oauth-clients";
import { listShapingVariables } from "#protocol/embedded";
import { type Machine, parseDocument, useKay } from "#test/kay";
import { paste } from "#test/key-page";

const kay = useKay();
const CLIENT = { id: "mine", secret: "s3cret" };

/** A user whose backend has only these services, and the requests sent. */
function createUser(options: CatalogueOptions, answers: Record<string, object>, secret?: string) {
  const urls: string[] = [];
  const ann: Machine = kay({
    services: () => configureServices(options),
    elsewhere: async (url, init) => {
      const request = new Request(url, init);
      const key = `${request.method} ${url.replace(/\?.*/, "")}`;
      urls.push(`${key} ${request.headers.get("authorization") ?? ""}`.trim());
      return answers[key] ? Response.json(answers[key]) : new Response(null, { status: 404 });
    },
    person: async (link) => {
      if (secret !== undefined) return paste(ann.place.backend, link, { secret });
      const { searchParams } = new URL(link);
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      for (const [name, value] of [["code", "c1"] as const, ["state", searchParams.get("state") ?? ""] as const])
        back.searchParams.set(name, value);
      return ann.place.backend.fetch(new Request(back));
    },
  });
  return { ann, seen: urls };
}

test.each([
  ["https://github.example.com", "https://github.example.com/api/v3"],
  ["https://octocorp.ghe.com", "https://api.octocorp.ghe.com"],
])("the user's own GitHub at %s is used for sign-in and requests, and nothing else is", async (url, api) => {
  const { ann, seen } = createUser(
    { clients: { github: CLIENT }, addresses: { github: url } },
    {
      [`POST ${url}/login/oauth/access_token`]: { access_token: "gho_1", token_type: "bearer", scope: "repo" },
      [`GET ${api}/user`]: { id: 7, login: "ann", html_url: `${url}/ann` },
      [`GET ${api}/user/repos`]: [],
    },
  );
  expect((await ann("connect github")).stdout).toBe(`Connected github as ann at ${url}\n`);
  expect(ann.raw().stderr).toContain(`${url}/login/oauth/authorize?`);
  expect((await ann("tools call github.list_repositories")).exit).toBe(0);
  expect(seen).toEqual([
    `POST ${url}/login/oauth/access_token`,
    `GET ${api}/user Bearer gho_1`,
    `GET ${api}/user/repos Bearer gho_1`,
  ]);
});

test("a HubSpot private app is connected with its token, which is pasted on a page", async () => {
  const { ann, seen } = createUser(
    { clients: {}, pasted: ["hubspot"] },
    { "GET https://api.hubapi.com/account-info/v3/details": { portalId: 4711, uiDomain: "app-eu1.hubspot.com" } },
    "pat-eu1-1",
  );
  const run = await ann("connect hubspot");
  expect(run.stdout).toBe("Connected hubspot as access token at https://app-eu1.hubspot.com/contacts/4711\n");
  expect(run.stderr).toContain("To connect hubspot, paste its key at ");
  expect(parseDocument(await ann("services show hubspot --json"))).toMatchObject({ sign_in: "bearer", target: "real" });
  expect(seen).toEqual(["GET https://api.hubapi.com/account-info/v3/details Bearer pat-eu1-1"]);
});

test("tokens of one address or sign-in are never used for another", () => {
  const find = (options: Partial<CatalogueOptions>) => {
    const all = configureServices({ clients: { github: CLIENT }, ...options });
    return toGrantAddress("i1", all.find(({ service }) => service.name === "github") ?? all[0]!);
  };
  const all = [
    find({}),
    find({ addresses: { github: "https://a.example.com" } }),
    find({ addresses: { github: "https://b.example.com" } }),
    find({ pasted: ["github"] }),
  ];
  expect(new Set(all.map((address) => JSON.stringify(address))).size).toBe(all.length);
});

test("an address without a client does not use the sandbox's", () => {
  const sandbox = { github: { origin: "http://127.0.0.1:4013", client: CLIENT } };
  const services = configureServices({ clients: {}, sandbox, addresses: { github: "https://github.example.com" } });
  expect(services.find(({ service }) => service.name === "github")).toMatchObject({ client: null });
});

test("settings and variables name self-hosted installations, and providers with pasted tokens", () => {
  const settings: Record<string, string> = { "github.url": "https://a.example.com", "slack.sign-in": "token" };
  expect(readOwnAddresses({ KAY_HUBSPOT_SIGN_IN: "token" }, (key) => settings[key])).toEqual({
    addresses: { github: "https://a.example.com" },
    pasted: ["slack", "hubspot"],
  });
  expect(readOwnAddresses({ KAY_GITHUB_URL: "https://b.example.com" }, () => undefined)).toEqual({
    addresses: { github: "https://b.example.com" },
    pasted: [],
  });
});

test("a change of an address or of a sign-in needs a new local backend, so no older one is used", () => {
  const keys = ["github.url", "hubspot.sign-in", "slack.sign-in", "client-document", "atlassian.client-id"];
  const list = () => keys.map((key) => ({ key, value: "x", source: "profile" as const }));
  const settings = { list, profile: "default" } as unknown as Parameters<typeof getShapingSettings>[0];
  expect(Object.keys(getShapingSettings(settings))).toEqual(keys);
  const variables = ["KAY_CLIENT_DOCUMENT", "KAY_GITHUB_URL", "KAY_HUBSPOT_SIGN_IN"];
  expect(listShapingVariables(Object.fromEntries(variables.map((name) => [name, "x"])))).toEqual(variables);
});

test("N56 another model is read by the running backend, so it needs no other one", () => {
  const shape = (model: string) => {
    const list = () => [{ key: "model", value: model, source: "profile" as const }];
    return getShapingSettings({ list, profile: "default" } as unknown as Parameters<typeof getShapingSettings>[0]);
  };
  expect(shape("ollama:a")).toEqual(shape("ollama:b"));
});

test("a Data Center has no setting, and the file in the docs works", async () => {
  expect((await kay()("config set jira.url https://jira.example.com")).stderr).toContain(
    "✗ The built-in service speaks the API of Atlassian Cloud, so there is no jira.url.\n  A Data Center has another API:",
  );
  const docs = readFileSync(new URL("../../docs/services.md", import.meta.url), "utf8");
  const [source = ""] = /name: jira-dc\n[^`]+/.exec(docs) ?? [];
  expect(parseDescription(source, { services: ["jira"], providers: [] }).tools.map(({ name }) => name)).toEqual([
    "jira-dc.search",
  ]);
});
