import { expect, test } from "vitest";
import { airtable } from "#connectors/airtable/airtable";
import { bitbucket } from "#connectors/bitbucket/bitbucket";
import { confluence } from "#connectors/confluence/confluence";
import { github } from "#connectors/github/github";
import { gmail } from "#connectors/gmail/gmail";
import { googleCalendar } from "#connectors/google-calendar/google-calendar";
import { googleDrive } from "#connectors/google-drive/google-drive";
import { type ListPage, readPages } from "#connectors/http/pages";
import { hubspot } from "#connectors/hubspot/hubspot";
import { jira } from "#connectors/jira/jira";
import { notion } from "#connectors/notion/notion";
import type { Service } from "#connectors/service";
import { slack } from "#connectors/slack/slack";
import { contextOver, runTool } from "./support/outside.ts";

/** Reads pages that are listed as [items, next]. */
async function readList(pages: [number[], string?][], limit: number, maxPages?: number) {
  let requestCount = 0;
  const fetchPage = async (): Promise<ListPage<number>> => {
    const [items = [], next] = pages[requestCount++] ?? [];
    return { items, next };
  };
  return { ...(await readPages(fetchPage, limit, maxPages)), asked: requestCount };
}

test.each<[string, Parameters<typeof readList>, object]>([
  ["an empty page", [[[[], "b"], [[1], "c"], [[]]], 5], { items: [1], more: false, asked: 3 }],
  ["a repeated cursor", [[[[1], "b"], [[2], "b"], [[3]]], 5], { items: [1, 2], more: false, asked: 2 }],
  [
    "cursors in a circle",
    [
      [
        [[1], "b"],
        [[2], "c"],
        [[3], "b"],
      ],
      9,
    ],
    { items: [1, 2, 3], more: false, asked: 3 },
  ],
  ["an empty cursor", [[[[1], ""], [[2]]], 5], { items: [1], more: false, asked: 1 }],
  ["a full page with another after it", [[[[1, 2], "b"], [[3]]], 2], { items: [1, 2], more: true, asked: 1 }],
  ["a page that is too long", [[[[1, 2, 3]]], 2], { items: [1, 2], more: true, asked: 1 }],
  [
    "the most pages",
    [
      [
        [[], "b"],
        [[], "c"],
        [[], "d"],
      ],
      2,
      2,
    ],
    { items: [], more: true, asked: 2 },
  ],
])("V03 %s", async (_, args, result) => {
  expect(await readList(...args)).toEqual(result);
});

test("V03 endless empty pages are read a bounded number of times", async () => {
  let requestCount = 0;
  const list = await readPages(async () => ({ items: [], next: String(++requestCount) }), 1);
  expect([list, requestCount]).toEqual([{ items: [], more: true }, 20]);
});

const SITE = { url: "https://main.atlassian.net", cloud_id: "c", site: "main", workspace: "acme", time_zone: "UTC" };
const FILE = { id: "f", name: "Late", mimeType: "text/plain" };
const CRM = { id: "1", properties: { firstname: "Late", email: "late@example.com" } };
const PULL = { id: 1, title: "Late", state: "OPEN", links: { html: { href: "https://bitbucket.org/acme/web/1" } } };
const ISSUE = { number: 1, title: "Late", state: "open", html_url: "https://github.com/o/r/issues/1" };
const page = (title: string) => ({
  object: "page",
  id: "p1",
  url: "https://notion.so/p1",
  properties: { title: { type: "title", title: [{ plain_text: title }] } },
});
const SOURCE = { object: "data_source", id: "d1", title: [{ plain_text: "T" }], properties: {}, url: "https://n.so/d" };
const WITH_CURSOR = { has_more: true, next_cursor: "n2" };
const LINK = { link: '<https://api.github.com/page?page=2>; rel="next"' };
const TABLE = { id: "tbltp8DGLhqbUmjK1", name: "T", fields: [{ id: "fld1", name: "Name", type: "singleLineText" }] };
const BASES = { bases: [{ id: "appLkNDICXNqxSDhG", name: "B" }] };
const CHANNEL = { id: "C0GENERAL1", name: "general" };

type Page = { json: unknown; headers?: Record<string, string> };
type Case = {
  service: Service;
  input?: Record<string, unknown>;
  /** The address whose first page is empty. */
  list: RegExp;
  empty: Page;
  full: unknown;
  /** Answers of other addresses. */
  others?: [RegExp, unknown][];
};

const CASES: Record<string, Case> = {
  "jira.search": {
    service: jira,
    list: /\/search\/jql$/,
    empty: { json: { issues: [], nextPageToken: "t2", isLast: false } },
    full: { issues: [{ id: "1", key: "KAY-77", fields: { summary: "Late" } }] },
  },
  "jira.list_projects": {
    service: jira,
    list: /\/project\/search/,
    empty: { json: { values: [], total: 1, nextPage: "https://x.test/project/search?startAt=50&maxResults=50" } },
    full: { values: [{ key: "LATE", name: "Late" }], total: 1 },
  },
  "confluence.search": {
    service: confluence,
    input: { text: "x" },
    list: /\/rest\/api\/search/,
    empty: { json: { results: [], _links: { next: "/rest/api/search?cql=x&cursor=_f_&start=10" } } },
    full: { results: [{ content: { id: "1", title: "Late" }, title: "Late" }] },
  },
  "confluence.list_comments": {
    service: confluence,
    input: { page: "98369" },
    list: /\/footer-comments/,
    empty: { json: { results: [], _links: { next: "/wiki/api/v2/pages/98369/footer-comments?cursor=c2" } } },
    full: { results: [{ id: "1", body: { storage: { value: "<p>Late</p>" } } }] },
    others: [[/\/pages\/98369\?/, { id: "98369", title: "Plan" }]],
  },
  "confluence.list_spaces": {
    service: confluence,
    list: /\/spaces/,
    empty: { json: { results: [], _links: { next: "/wiki/api/v2/spaces?cursor=c2" } } },
    full: { results: [{ id: "1", key: "L", name: "Late" }] },
  },
  "notion.search": {
    service: notion,
    list: /\/search$/,
    empty: { json: { results: [], ...WITH_CURSOR } },
    full: { results: [page("Late")], has_more: false },
  },
  "notion.query_database": {
    service: notion,
    input: { database: "T" },
    list: /\/query$/,
    empty: { json: { results: [], ...WITH_CURSOR } },
    full: { results: [page("Late")] },
    others: [[/\/search$/, { results: [SOURCE] }]],
  },
  "notion.get_page": {
    service: notion,
    input: { page: "Late" },
    list: /\/search$/,
    empty: { json: { results: [], ...WITH_CURSOR } },
    full: { results: [page("Late")] },
    others: [[/\/children/, { results: [] }]],
  },
  "slack.list_channels": {
    service: slack,
    list: /conversations\.list/,
    empty: { json: { ok: true, channels: [], response_metadata: { next_cursor: "c2" } } },
    full: { ok: true, channels: [{ id: "C1", name: "late" }] },
  },
  "slack.read_channel": {
    service: slack,
    input: { channel: "general" },
    list: /conversations\.history/,
    empty: { json: { ok: true, messages: [], has_more: true, response_metadata: { next_cursor: "c2" } } },
    full: { ok: true, messages: [{ ts: "1700000000.000100", text: "Late" }] },
    others: [[/conversations\.list/, { ok: true, channels: [CHANNEL] }]],
  },
  "gmail.search": {
    service: gmail,
    input: { text: "x" },
    list: /\/messages\?/,
    empty: { json: { nextPageToken: "t2" } },
    full: { messages: [{ id: "m1", threadId: "m1" }] },
    others: [
      [/\/messages\/m1/, { id: "m1", threadId: "m1", payload: { headers: [{ name: "Subject", value: "Late" }] } }],
    ],
  },
  "google-drive.search": {
    service: googleDrive,
    list: /\/files/,
    empty: { json: { files: [], nextPageToken: "t2" } },
    full: { files: [FILE] },
  },
  "google-calendar.list_events": {
    service: googleCalendar,
    list: /\/events/,
    empty: { json: { items: [{ id: "x", status: "cancelled" }], nextPageToken: "t2" } },
    full: { items: [{ id: "e1", summary: "Late", start: { date: "2026-11-28" }, end: { date: "2026-11-29" } }] },
  },
  "github.list_issues": {
    service: github,
    input: { repository: "o/r" },
    list: /\/repos\/o\/r\/issues|\/page/,
    empty: { json: [], headers: LINK },
    full: [ISSUE],
    others: [[/\/repos\/o\/r$/, { name: "r", full_name: "o/r", owner: { login: "o" }, html_url: "https://g.test" }]],
  },
  "bitbucket.list_pull_requests": {
    service: bitbucket,
    input: { repository: "web" },
    list: /\/pullrequests/,
    empty: { json: { values: [], next: "https://api.bitbucket.org/2.0/pullrequests?page=2" } },
    full: { values: [PULL] },
  },
  "airtable.list_records": {
    service: airtable,
    input: { table: "T" },
    list: /\/v0\/app/,
    empty: { json: { records: [], offset: "o2" } },
    full: { records: [{ id: "rec560UJdUtocSouk", fields: { Name: "Late" } }] },
    others: [
      [/\/meta\/bases$/, BASES],
      [/\/tables$/, { tables: [TABLE] }],
    ],
  },
  "hubspot.search_contacts": {
    service: hubspot,
    input: { text: "x" },
    list: /\/search$/,
    empty: { json: { total: 1, results: [], paging: { next: { after: "10" } } } },
    full: { total: 1, results: [CRM] },
  },
};

test.each(Object.entries(CASES))("B230 %s continues after an empty page with a cursor", async (name, testCase) => {
  const { service, input = {}, list, empty, full, others = [] } = testCase;
  const urls: string[] = [];
  const fetch = async (url: string, init?: RequestInit) => {
    const otherRoute = others.find(([path]) => path.test(url));
    if (otherRoute) return Response.json(otherRoute[1]);
    if (!list.test(url)) throw new Error(`unexpected request ${url}`);
    urls.push(`${url} ${init?.body ?? ""}`);
    return urls.length === 1 ? Response.json(empty.json, { headers: empty.headers }) : Response.json(full);
  };
  const result = await runTool(service, name, input, contextOver({ fetch }, service, SITE));
  expect(result.text).toMatch(/late/i);
  expect([urls.length, urls[0] === urls[1]]).toEqual([2, false]);
});

test("an item of an earlier page is listed once", async () => {
  const [first, late] = [{ id: 1 }, { ts: "1.2" }];
  const pages: ListPage<object>[] = [
    { items: [first, { key: "a" }], next: "b" },
    { items: [first, { key: "a" }, late], next: "c" },
    { items: [late, { sha: "f" }] },
  ];
  const { items } = await readPages(async () => pages.shift() ?? { items: [] }, 9);
  expect(items).toEqual([first, { key: "a" }, { key: "a" }, late, { sha: "f" }]);
});
