import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { Problem } from "#protocol/errors";
import { PROVIDERS, parseSeed } from "#sandbox/seed";
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

test("the example of docs/sandbox.md is a world", async () => {
  const page = await readFile(new URL("../../docs/sandbox.md", import.meta.url), "utf8");
  const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const world = sandbox({ seed: parseSeed(example, "world.yaml") });
  const ada = await world.signedIn("atlassian", ALL_SCOPES);
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
  const charles = await world.signedIn("bitbucket", "pullrequest", "Charles Babbage");
  const { values } = (await charles.call("/2.0/repositories/engine-room/difference-engine/pullrequests")).body;
  expect(values.map(({ title }: { title: string }) => title)).toEqual(["ENG-1 Carry after 999"]);
});

test("a seed may be JSON, and leaves the services it does not name as they are", async () => {
  const text = JSON.stringify({
    bitbucket: {
      accounts: [{ account_id: "a", display_name: "Ann", nickname: "ann", email: "a@b.c" }],
      workspaces: [],
    },
  });
  const world = sandbox({ seed: parseSeed(text, "world.json") });
  expect((await (await world.signedIn("bitbucket", "account")).call("/2.0/user")).body.display_name).toBe("Ann");
  expect((await (await world.signedIn("atlassian", ALL_SCOPES)).jira("/issue/KAY-3")).status).toBe(200);
});

const PARTS = Object.keys(PROVIDERS);

test.each([
  ["- a list", `The seed world.yaml must be a map with one part per service: ${PARTS.join(", ")}.`],
  ["", `The seed world.yaml must be a map with one part per service: ${PARTS.join(", ")}.`],
  ["a: [1", "The seed world.yaml is not valid YAML: "],
  [
    "teams: {}",
    `The seed world.yaml has an unknown part teams; there are ${PARTS.slice(0, -1).join(", ")} and ${PARTS.at(-1)}.`,
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
    "bitbucket: { accounts: [{ account_id: a, display_name: b, nickname: c, email: d }], workspaces: [{ slug: Big Letters }] }",
    "The seed world.yaml is wrong at bitbucket.workspaces[0].slug: a slug has small letters, digits, ., _ and -.",
  ],
  [
    "bitbucket: { accounts: [{ account_id: a, display_name: b, nickname: c, email: d }], workspaces: [{ slug: w, repositories: [{ slug: r, pull_requests: [{ title: t, state: NEW, author: c, source: s }] }] }] }",
    "The seed world.yaml is wrong at bitbucket.workspaces[0].repositories[0].pull_requests[0].state: it must be one of OPEN, MERGED, DECLINED, SUPERSEDED.",
  ],
])("a seed that does not fit is one sentence that names the place (%#)", (text, expected) => {
  expect(sentence(text)).toMatch(new RegExp(`^USAGE: ${expected.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`));
});

test("a seed of a thousand aliases is refused instead of unfolded", () => {
  const bomb = [
    "a: &a [x, x, x, x, x, x, x, x, x, x]",
    ...[..."bcdefgh"].map((name, index) => `${name}: &${name} [${`*${"abcdefgh"[index]},`.repeat(10)}]`),
  ];
  expect(sentence(bomb.join("\n"))).toBe("USAGE: The seed world.yaml is not valid YAML: it unfolds into too much.");
});
