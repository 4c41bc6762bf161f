import { expect, test } from "vitest";
import { confluence } from "#connectors/confluence/confluence";
import { jira } from "#connectors/jira/jira";
import { httpOver, outside } from "./support/outside.ts";

const RESOURCES = "GET https://api.atlassian.com/oauth/token/accessible-resources";
const ME = "GET https://api.atlassian.com/me";

/** `/me` as returned by Atlassian's User identity API. */
const JOHN = {
  account_type: "atlassian",
  account_id: "557058:abc123",
  email: "john@example.com",
  name: "John Doe",
  picture: "https://avatars.example.test/1.png",
  account_status: "active",
  nickname: "johnd",
  zoneinfo: "Europe/Berlin",
  locale: "en-US",
  extended_profile: { job_title: "Developer" },
};
const USER = {
  account_id: "557058:abc123",
  name: "John Doe",
  email: "john@example.com",
  picture: "https://avatars.example.test/1.png",
  account_type: "atlassian",
  account_status: "active",
};

function site(id: string, name: string, ...scopes: string[]) {
  return { id, url: `https://${name}.example.test`, name, scopes, avatarUrl: `https://x.test/${id}.png` };
}

test("an account with one site is bound to it, in the guide's field names", async () => {
  const world = outside(
    { request: RESOURCES, json: [site("c-main", "main", "read:jira-work", "write:jira-work")] },
    { request: ME, json: JOHN },
  );
  expect(await jira.identify(httpOver(world, jira).http)).toEqual({
    accountId: "557058:abc123",
    user: USER,
    metadata: { url: "https://main.example.test", cloud_id: "c-main", site: "main" },
  });
  world.done();
});

test("V04 several sites are all returned and none is chosen", async () => {
  const world = outside(
    {
      request: RESOURCES,
      json: [site("c-other", "other", "read:jira-work"), site("c-main", "main", "read:jira-work", "write:jira-work")],
    },
    { request: ME, json: JOHN },
  );
  expect(await jira.identify(httpOver(world, jira).http)).toEqual({
    accountId: "557058:abc123",
    user: USER,
    metadata: {},
    sites: [
      {
        id: "c-other",
        name: "other",
        url: "https://other.example.test",
        scopes: ["read:jira-work"],
        metadata: { url: "https://other.example.test", cloud_id: "c-other", site: "other" },
      },
      {
        id: "c-main",
        name: "main",
        url: "https://main.example.test",
        scopes: ["read:jira-work", "write:jira-work"],
        metadata: { url: "https://main.example.test", cloud_id: "c-main", site: "main" },
      },
    ],
  });
});

test("V04 a site listed once for each product is one site, and a site without the product does not count", async () => {
  const resources = [
    site("c-main", "main", "read:jira-work"),
    site("c-main", "main", "search:confluence"),
    site("c-docs", "docs", "search:confluence", "read:page:confluence"),
  ];
  const forJira = outside({ request: RESOURCES, json: resources }, { request: ME, json: JOHN });
  expect((await jira.identify(httpOver(forJira, jira).http)).metadata).toEqual({
    url: "https://main.example.test",
    cloud_id: "c-main",
    site: "main",
  });
  const forConfluence = outside({ request: RESOURCES, json: resources }, { request: ME, json: JOHN });
  const { sites } = await confluence.identify(httpOver(forConfluence, confluence).http);
  expect(sites?.map(({ name }) => name)).toEqual(["main", "docs"]);
});

test("an account without a site of the product learns so", async () => {
  const world = outside({ request: RESOURCES, json: [] }, { request: ME, json: JOHN });
  await expect(confluence.identify(httpOver(world, confluence).http)).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "This Atlassian account has no site with Confluence.",
  });
});

test("a tool of a connection without a chosen site asks for the choice and sends nothing", async () => {
  const world = outside();
  const create = jira.tools.find(({ name }) => name === "jira.create_issue");
  const context = {
    http: httpOver(world, jira).http,
    metadata: {},
    signal: new AbortController().signal,
    idempotencyKey: "e",
    clock: { now: () => 0 },
  };
  await expect(create?.run({ project: "KAY", summary: "x" }, context)).rejects.toMatchObject({
    code: "SITE_REQUIRED",
    hint: "Connect again with `kay connect jira --site <name>`.",
  });
});
