import type { ProviderName } from "#sandbox/seed";
import { paragraph } from "./stand-in.ts";

/** A valid request: method, path with query, and body. */
export type Row = [method: string, path: string, body?: Record<string, unknown> | string];

const JIRA = "/ex/jira/CLOUD/rest/api/3";
const WIKI = "/ex/confluence/CLOUD/wiki";
const REPOSITORY = "/2.0/repositories/kay-demo/kay-cli/pullrequests";
const DOCS = "/repos/kay-demo/kay-docs";
const SHEET = "/v4/spreadsheets/1qc3ZuyZNEDbFI-YFyfdtWbdHsk5igSJr/values";
const EVENTS = "/calendar/v3/calendars/primary/events";
const TASKS = "/v0/appsL5CeyO3lqGl57/Tasks";
const CRM = "/crm/v3/objects";
const ROADMAP = "/v1/data_sources/f8b3d606-be3f-4551-a0a1-545dd05d417a/query";
const MAIL = Buffer.from("To: sam@example.com\r\nSubject: Hi\r\n\r\nHi").toString("base64url");

/** Valid requests of each stand-in. */
export const VALID_REQUESTS: Record<ProviderName, Row[]> = {
  atlassian: [
    [
      "POST",
      `${JIRA}/issue`,
      {
        fields: {
          project: { key: "KAY" },
          issuetype: { name: "Bug" },
          summary: "Printer on fire",
          description: paragraph("It burns"),
          priority: { name: "High" },
          labels: ["printer"],
        },
      },
    ],
    ["PUT", `${JIRA}/issue/KAY-3`, { fields: { summary: "x" }, update: { labels: [{ set: [] }, { add: "x" }] } }],
    [
      "POST",
      `${JIRA}/issue/KAY-3/transitions`,
      { transition: { id: "41" }, update: { comment: [{ add: { body: paragraph("x") } }] } },
    ],
    ["POST", `${JIRA}/issue/KAY-3/comment`, { body: paragraph("Done") }],
    ["POST", `${JIRA}/issue/KAY-3/worklog`, { timeSpent: "1h", started: "2026-11-27T12:00:00.000+0000" }],
    ["POST", `${JIRA}/search/jql`, { jql: "project = KAY ORDER BY updated DESC", fields: ["summary"], maxResults: 2 }],
    [
      "POST",
      `${JIRA}/issueLink`,
      { type: { name: "Blocks" }, inwardIssue: { key: "KAY-3" }, outwardIssue: { key: "KAY-4" } },
    ],
    ["GET", `${JIRA}/user/search?query=sam&maxResults=5`],
    ["GET", `${JIRA}/project/search?orderBy=name&startAt=0&maxResults=5`],
    ["GET", `${WIKI}/rest/api/search?cql=text~"tag"&limit=5`],
    ["GET", `${WIKI}/api/v2/pages?limit=4&sort=created-date&cursor=eyJzdGFydCI6NH0&body-format=storage`],
    [
      "POST",
      `${WIKI}/api/v2/pages`,
      { spaceId: "65537", status: "current", title: "P", body: { representation: "storage", value: "<p>x</p>" } },
    ],
    [
      "POST",
      `${WIKI}/api/v2/footer-comments`,
      { pageId: "98369", body: { representation: "storage", value: "<p>x</p>" } },
    ],
    ["POST", `${WIKI}/api/v2/users-bulk`, { accountIds: ["557058:x"] }],
  ],
  bitbucket: [
    ["GET", `${REPOSITORY}?state=OPEN&q=title~"login"&sort=-id&pagelen=2&page=1`],
    [
      "POST",
      REPOSITORY,
      { title: "Typo", source: { branch: { name: "KAY-3-help-typo" } }, reviewers: [{ uuid: "x" }] },
    ],
    ["POST", `${REPOSITORY}/2/comments`, { content: { raw: "Reading is enough" } }],
    ["POST", `${REPOSITORY}/2/merge`, { merge_strategy: "squash", close_source_branch: true }],
  ],
  slack: [
    ["GET", "/api/conversations.history?channel=C0GENERAL1&limit=2&cursor=bmV4dDoy&oldest=1&latest=2"],
    ["GET", "/api/search.messages?query=ship&count=20&sort=timestamp&sort_dir=desc"],
    ["GET", "/api/conversations.list?types=public_channel&exclude_archived=true&limit=3&cursor=bmV4dDoz"],
    ["POST", "/api/chat.postMessage", { channel: "C0GENERAL1", text: "Ship it", thread_ts: "1795071600.000101" }],
    ["POST", "/api/conversations.open", { users: "U0MIACHEN3" }],
  ],
  github: [
    ["GET", `${DOCS}/issues?state=all&labels=bug&assignee=none&since=2026-01-01&sort=updated&per_page=3&page=1`],
    ["GET", `${DOCS}/pulls?state=open&sort=updated&direction=desc&since=2026-01-01`],
    ["GET", "/search/issues?q=is:open+updated:>2026-01-01&sort=updated&order=desc&per_page=20"],
    ["POST", `${DOCS}/issues`, { title: "x", body: "x", labels: ["Bug", { name: "new" }], assignees: ["sam-sample"] }],
    ["PATCH", `${DOCS}/issues/1`, { title: "x", state: "closed", state_reason: "completed", labels: ["bug"] }],
    ["POST", `${DOCS}/pulls`, { title: "Search box", head: "search-box", base: "main", body: "x", draft: true }],
    ["PUT", `${DOCS}/pulls/5/merge`, { sha: "b3465b25d0f9acfdc87a8f0ada5bbb1aff632a82", merge_method: "squash" }],
  ],
  google: [
    ["GET", "/gmail/v1/users/me/messages?q=in:inbox&maxResults=2&pageToken=Mg&labelIds=INBOX"],
    ["POST", "/gmail/v1/users/me/messages/send", { raw: MAIL, threadId: "x" }],
    ["POST", "/gmail/v1/users/me/drafts", { message: { raw: MAIL } }],
    [
      "POST",
      "/upload/gmail/v1/users/me/messages/send",
      `--b\r\ncontent-type: application/json\r\n\r\n{}\r\n--b\r\ncontent-type: message/rfc822\r\n\r\n${MAIL}\r\n--b--`,
    ],
    ["POST", "/gmail/v1/users/me/messages/18f2a6c01b3d0001/modify", { addLabelIds: ["STARRED"], removeLabelIds: [] }],
    ["GET", `${EVENTS}?timeMin=2026-12-26T22:59:59Z&timeMax=2026-12-30T00:00:00Z&orderBy=startTime&maxResults=2`],
    [
      "POST",
      EVENTS,
      {
        summary: "Holidays",
        start: { date: "2026-12-24" },
        end: { date: "2026-12-27" },
        attendees: [{ email: "sam@example.com" }],
        recurrence: ["RRULE:FREQ=DAILY"],
      },
    ],
    ["POST", EVENTS, { start: { dateTime: "2026-12-01T09:00:00Z" }, end: { dateTime: "2026-12-01T10:00:00Z" } }],
    [
      "POST",
      "/calendar/v3/freeBusy",
      { timeMin: "2026-11-28T23:00:00Z", timeMax: "2026-11-29T23:00:00Z", items: [{ id: "primary" }] },
    ],
    ["GET", "/drive/v3/files?q=trashed=false&fields=files(name)&pageSize=2&orderBy=name"],
    ["POST", "/drive/v3/files", { name: "x", mimeType: "application/vnd.google-apps.document", parents: ["root"] }],
    ["POST", "/v1/documents", { title: "New" }],
    ["POST", "/v4/spreadsheets", { properties: { title: "Sums" }, sheets: [{ properties: { title: "A" } }] }],
    ["POST", `${SHEET}/Costs:append?valueInputOption=RAW`, { range: "Costs", values: [["a", 1, null]] }],
    ["PUT", `${SHEET}/Plan!B2?valueInputOption=RAW`, { range: "Plan!B2", values: [["a"]] }],
  ],
  notion: [
    ["POST", "/v1/search", { query: "a", filter: { property: "object", value: "page" }, sort: {}, page_size: 5 }],
    [
      "POST",
      ROADMAP,
      { filter: { or: [{ property: "Days", number: { greater_than: 5 } }] }, sorts: [{ property: "Days" }] },
    ],
    [
      "POST",
      "/v1/pages",
      {
        parent: { page_id: "df2ab2bf-b0d0-4eb5-a845-6a3257ab8fce" },
        properties: { title: { title: [{ type: "text", text: { content: "A plan" } }] } },
        children: [{ type: "paragraph", paragraph: { rich_text: [{ type: "text", text: { content: "x" } }] } }],
      },
    ],
    ["PATCH", "/v1/pages/b2b9c0c7-ced5-4ce3-aaf1-f8ff060d141b", { in_trash: true, properties: {} }],
    [
      "POST",
      "/v1/comments",
      { parent: { page_id: "05dc8fec-7793-4371-a304-394b7f2ba4ca" }, rich_text: [{ text: { content: "Good." } }] },
    ],
  ],
  airtable: [
    ["GET", `${TASKS}?pageSize=3&maxRecords=5&filterByFormula={Hours}>1&sort[0][field]=Hours&fields[]=Name`],
    ["POST", `${TASKS}/listRecords`, { filterByFormula: "{Hours}>1", sort: [{ field: "Due" }], fields: ["Name"] }],
    ["POST", TASKS, { records: [{ fields: { Name: "T", Hours: 1.5, Blocked: true, Due: "2026-12-24" } }] }],
    ["POST", TASKS, { fields: { Name: "T" }, typecast: true }],
    ["PATCH", TASKS, { records: [{ id: "rec29GNUbipw3AHGN", fields: { Name: "T" } }] }],
    ["PATCH", `${TASKS}/rec29GNUbipw3AHGN`, { fields: { Status: "Done", Owner: { email: "sam@example.com" } } }],
  ],
  hubspot: [
    ["GET", `${CRM}/deals?limit=2&after=5203&properties=dealname`],
    ["GET", "/oauth/v1/access-tokens/x"],
    [
      "POST",
      `${CRM}/deals`,
      {
        properties: { dealname: "New", closedate: "2026-12-31", amount: "5" },
        associations: [{ to: { id: "2104" }, types: [{ associationTypeId: 3 }] }],
      },
    ],
    ["POST", `${CRM}/deals/batch/read`, { inputs: [{ id: "8302" }], properties: ["dealname"] }],
    ["POST", `${CRM}/contacts/batch/update`, { inputs: [{ id: "2104", properties: { firstname: "A" } }] }],
    [
      "POST",
      `${CRM}/contacts/search`,
      {
        query: "north",
        filterGroups: [{ filters: [{ propertyName: "email", operator: "IN", values: ["a"] }] }],
        sorts: [{ propertyName: "email", direction: "DESCENDING" }],
        limit: 3,
        after: "0",
      },
    ],
  ],
  linkedin: [
    ["GET", "/rest/posts?q=author&author=urn:li:person:dDemo7Kq1Z&count=2&start=0"],
    [
      "POST",
      "/rest/posts",
      {
        author: "urn:li:person:dDemo7Kq1Z",
        commentary: "Hello",
        visibility: "PUBLIC",
        distribution: { feedDistribution: "MAIN_FEED", targetEntities: [] },
        lifecycleState: "PUBLISHED",
      },
    ],
  ],
};
