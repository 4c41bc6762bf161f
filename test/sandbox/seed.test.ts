import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { Problem } from "#protocol/errors";
import { parseSeed } from "#sandbox/seed";
import { ALL_SCOPES, sandbox } from "./stand-in.ts";

const account = "{ accountId: a1, displayName: Ann, emailAddress: ann@example.com }";

function sentence(text: string): string {
  try {
    parseSeed(text, "world.yaml");
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "accepted";
}

test("the example in docs/sandbox.md is a world for Slack and GitHub too", async () => {
  const page = await readFile(new URL("../../docs/sandbox.md", import.meta.url), "utf8");
  const world = sandbox({ seed: parseSeed(/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "", "world.yaml") });
  const slack = await world.signIn("slack", "channels:read,channels:history");
  const [general] = (await slack.call("/api/conversations.list")).body.channels;
  expect((await slack.call(`/api/conversations.history?channel=${general.id}`)).body.messages).toMatchObject([
    { text: "The carry *works*.", reply_count: 1, reactions: [{ name: "tada", count: 2 }] },
  ]);
  const github = await world.signIn("github", "repo", "Charles Babbage");
  const titles = (await github.call("/repos/engine-room/difference-engine/issues?state=all&direction=asc")).body;
  expect(titles.map(({ number, title }: { number: number; title: string }) => `${number} ${title}`)).toEqual([
    "1 The carry is lost after 999",
    "2 Order brass",
    "3 Carry after 999",
    "4 Steam",
  ]);
});

test("the example in docs/sandbox.md is a world", async () => {
  const page = await readFile(new URL("../../docs/sandbox.md", import.meta.url), "utf8");
  const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const world = sandbox({ seed: parseSeed(example, "world.yaml") });
  const ada = await world.signIn("atlassian", ALL_SCOPES);
  const issue = (await ada.jira("/issue/ENG-1?fields=status,assignee,created,comment")).body.fields;
  expect(issue).toMatchObject({
    status: { name: "Turning", statusCategory: { key: "indeterminate" } },
    assignee: { displayName: "Ada Byron" },
    created: "2026-11-14T09:00:00.000+0000",
    comment: { total: 1 },
  });
  const { transitions } = (await ada.jira("/issue/ENG-1/transitions")).body;
  expect(transitions.map(({ name }: { name: string }) => name)).toEqual(["Settle"]);
  const { results } = (await ada.wiki("/api/v2/pages")).body;
  expect(results.map(({ title, parentId }: { title: string; parentId: string }) => [title, parentId])).toEqual([
    ["How to add", null],
    ["How to carry", "98305"],
  ]);
  const notion = await world.signIn("notion", "");
  const headers = { "notion-version": "2026-03-11" };
  const found = (await notion.call("/v1/search", { method: "POST", headers, json: { query: "wheel" } })).body.results;
  expect(found.map(({ object }: { object: string }) => object).sort()).toEqual(["data_source", "page"]);
  const airtable = await world.signIn("airtable", "schema.bases:read data.records:read");
  const [base] = (await airtable.call("/v0/meta/bases")).body.bases;
  const parts = (await airtable.call(`/v0/${base.id}/Parts`)).body.records;
  expect(parts[0].fields).toMatchObject({
    Name: "Third wheel",
    Owner: { name: "Ada Byron" },
    Supplier: [expect.any(String)],
  });
  const charles = await world.signIn("bitbucket", "pullrequest", "Charles Babbage");
  const { values } = (await charles.call("/2.0/repositories/engine-room/difference-engine/pullrequests")).body;
  expect(values.map(({ title }: { title: string }) => title)).toEqual(["ENG-1 Carry after 999"]);
  const crm = await world.signIn("hubspot", "oauth crm.objects.deals.read", "Ada Byron");
  const { results: deals } = (await crm.call("/crm/v3/objects/deals?properties=dealname,dealstage")).body;
  expect(deals.map(({ properties }: { properties: Record<string, string> }) => properties.dealstage)).toEqual([
    "55000002",
  ]);
  const linkedin = await world.signIn("linkedin", "openid profile", "Ada Byron");
  expect((await linkedin.call("/v2/userinfo")).body.sub).toBe("ada");
});

test("a seed may be JSON, and leaves unnamed services unchanged", async () => {
  const text = JSON.stringify({
    bitbucket: {
      accounts: [{ account_id: "a", display_name: "Ann", nickname: "ann", email: "a@b.c" }],
      workspaces: [],
    },
  });
  const world = sandbox({ seed: parseSeed(text, "world.json") });
  expect((await (await world.signIn("bitbucket", "account")).call("/2.0/user")).body.display_name).toBe("Ann");
  expect((await (await world.signIn("atlassian", ALL_SCOPES)).jira("/issue/KAY-3")).status).toBe(200);
});

test.each([
  [
    "- a list",
    "The seed world.yaml must be a map with one part per service: atlassian, bitbucket, slack, github, google, notion, airtable, hubspot, linkedin.",
  ],
  [
    "",
    "The seed world.yaml must be a map with one part per service: atlassian, bitbucket, slack, github, google, notion, airtable, hubspot, linkedin.",
  ],
  ["a: [1", "The seed world.yaml is not valid YAML: "],
  [
    "pigeons: {}",
    "The seed world.yaml has an unknown part pigeons; there are atlassian, bitbucket, slack, github, google, notion, airtable, hubspot, linkedin.",
  ],
  ["atlassian: {}", "The seed world.yaml is wrong at atlassian.accounts: it must be a list."],
  [
    `atlassian: { accounts: [${account}], sites: [{ name: s, projcts: [] }] }`,
    "The seed world.yaml is wrong at atlassian.sites[0]: projcts is not known there.",
  ],
  [
    `atlassian: { accounts: [${account}], sites: [{ name: 3 }] }`,
    "The seed world.yaml is wrong at atlassian.sites[0].name: it must be a text.",
  ],
  [
    `atlassian: { accounts: [${account}], sites: [{ name: s, projects: [{ key: AB, name: x }], issues: [{ key: AB-1, summary: x, status: Gone }] }] }`,
    'The seed world.yaml is wrong at atlassian.sites[0].issues[0].status: there is no status "Gone"; there are To Do, In Progress, In Review, Done.',
  ],
  [
    `atlassian: { accounts: [${account}], sites: [{ name: s, projects: [{ key: AB, name: x }], issues: [{ key: AB-1, summary: x, assignee: Bob }] }] }`,
    'The seed world.yaml is wrong at atlassian.sites[0].issues[0].assignee: there is no account "Bob".',
  ],
  [
    `atlassian: { accounts: [${account}], sites: [{ name: s, projects: [{ key: AB, name: x }], issues: [{ key: AB-1, summary: x, created: soon }] }] }`,
    'The seed world.yaml is wrong at atlassian.sites[0].issues[0].created: "soon" is not a time: write 2026-01-31T09:00:00Z or -3d.',
  ],
  [
    `atlassian: { accounts: [${account}], sites: [{ name: s, spaces: [{ key: S, name: x }], pages: [{ space: S, title: x, body: <p>oops }] }] }`,
    "The seed world.yaml is wrong at atlassian.sites[0].pages[0].body: Error parsing xhtml: Unexpected end of document; was expecting a close tag for element <p>.",
  ],
  [
    `atlassian: { accounts: [${account}], sites: [{ name: s, spaces: [{ key: S, name: x }], pages: [{ space: S, title: x, parent: y }, { space: S, title: y, parent: x }] }] }`,
    'The seed world.yaml is wrong at atlassian.sites[0].pages[0].parent: "x" is below itself.',
  ],
  [
    "bitbucket: { accounts: [{ account_id: a, display_name: b, nickname: c, email: d }], workspaces: [{ slug: Big Letters }] }",
    "The seed world.yaml is wrong at bitbucket.workspaces[0].slug: a slug has small letters, digits, ., _ and -.",
  ],
  [
    "bitbucket: { accounts: [{ account_id: a, display_name: b, nickname: c, email: d }], workspaces: [{ slug: w, repositories: [{ slug: r, pull_requests: [{ title: t, state: NEW, author: c, source: s }] }] }] }",
    "The seed world.yaml is wrong at bitbucket.workspaces[0].repositories[0].pull_requests[0].state: it must be one of OPEN, MERGED, DECLINED, SUPERSEDED.",
  ],
  [
    "notion: { users: [{ name: Ann, email: a@b.c }], databases: [{ title: T, properties: { Name: title, S: { type: status, options: [Open] } }, rows: [{ properties: { S: Gone } }] }] }",
    'The seed world.yaml is wrong at notion.databases[0].rows[0].properties.S: there is no option "Gone"; there are Open.',
  ],
  [
    "airtable: { accounts: [{ name: Ann, email: a@b.c }], bases: [{ name: B, tables: [{ name: T, fields: [{ name: N }], records: [{ fields: { X: 1 } }] }] }] }",
    'The seed world.yaml is wrong at airtable.bases[0].tables[0].records[0].fields: there is no field "X".',
  ],
])("an invalid seed is one sentence that names the place (%#)", (text, expected) => {
  expect(sentence(text)).toMatch(new RegExp(`^USAGE: ${expected.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`));
});

test("a seed with a thousand aliases is refused instead of expanded", () => {
  const bomb = [
    "a: &a [x, x, x, x, x, x, x, x, x, x]",
    ...[..."bcdefgh"].map((name, index) => `${name}: &${name} [${`*${"abcdefgh"[index]},`.repeat(10)}]`),
  ];
  expect(sentence(bomb.join("\n"))).toBe("USAGE: The seed world.yaml is not valid YAML: its aliases expand too far.");
});
