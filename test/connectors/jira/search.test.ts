import { expect, test } from "vitest";
import { jira } from "#connectors/jira/jira";
import { createRunner, type Expected } from "../support/outside.ts";

const SITE = { url: "https://main.atlassian.net", cloud_id: "c-main", site: "main" };
const SEARCH = "POST https://api.atlassian.com/ex/jira/c-main/rest/api/3/search/jql";
const FIELDS = ["summary", "issuetype", "status", "priority", "assignee", "updated"];
const run = createRunner(jira, SITE);
const search = (input: Record<string, unknown>, ...expected: Expected[]) => run("jira.search", input, ...expected);

const LOGIN = {
  expand: "operations",
  id: "10001",
  self: "https://api.atlassian.com/ex/jira/c-main/rest/api/3/issue/10001",
  key: "KAY-1",
  fields: {
    summary: "Login loops | on SSO\u202e",
    issuetype: { id: "10004", name: "Bug", subtask: false },
    status: { name: "In Progress", id: "3", statusCategory: { id: 4, key: "indeterminate", name: "In Progress" } },
    priority: { name: "High", id: "2" },
    assignee: { accountId: "557058:ana", displayName: "Ana Díaz", active: true },
    updated: "2026-11-26T10:00:00.000+0000",
  },
};

test("a search in plain fields becomes bounded, quoted JQL and a table", async () => {
  const jql = 'project = "KAY" AND statusCategory != Done ORDER BY updated DESC';
  const result = await search(
    { project: "kay", status: "open" },
    { request: SEARCH, body: { jql, fields: FIELDS, maxResults: 20 }, json: { issues: [LOGIN], isLast: true } },
  );
  expect(result).toEqual({
    data: {
      jql,
      issues: [
        {
          key: "KAY-1",
          summary: "Login loops | on SSOU+202E",
          type: "Bug",
          status: "In Progress",
          status_category: "indeterminate",
          priority: "High",
          assignee: "Ana Díaz",
          updated: "2026-11-26T10:00:00.000+0000",
          url: "https://main.atlassian.net/browse/KAY-1",
        },
      ],
      more: false,
    },
    text: [
      "1 open issue in KAY:",
      "",
      "| Key | Summary | Type | Status | Assignee |",
      "| --- | --- | --- | --- | --- |",
      "| KAY-1 | Login loops \\| on SSOU+202E | Bug | In Progress | Ana Díaz |",
    ].join("\n"),
    url: `https://main.atlassian.net/issues/?jql=${encodeURIComponent(jql)}`,
  });
});

test("pages are followed by their token up to the limit, and more is reported", async () => {
  const jql = "project = KAY";
  const page = (token: string | undefined, size: number) => ({
    jql,
    fields: FIELDS,
    maxResults: size,
    nextPageToken: token,
  });
  const result = await search(
    { jql, limit: 3 },
    {
      request: SEARCH,
      body: { jql, fields: FIELDS, maxResults: 3 },
      json: { issues: [LOGIN, { ...LOGIN, id: "2" }], nextPageToken: "p2" },
    },
    {
      request: SEARCH,
      body: page("p2", 1),
      json: { issues: [{ ...LOGIN, id: "3" }], nextPageToken: "p3", isLast: false },
    },
  );
  expect(result.text).toMatch(/^The first 3 issues; there are more:\n/);
  expect(result.data).toMatchObject({ jql, more: true });
});

test("a repeated page token ends the search", async () => {
  const answer = { request: SEARCH, json: { issues: [LOGIN], nextPageToken: "same" } };
  const result = await search({ jql: "x = y" }, answer, answer);
  expect(result.data).toMatchObject({ issues: [{ key: "KAY-1" }], more: false });
});

test("an empty result is one sentence", async () => {
  const result = await search(
    { project: "KAY", status: "open", type: "Story" },
    { request: SEARCH, json: { issues: [], isLast: true } },
  );
  expect(result.text).toBe("No open stories in KAY.");
});
