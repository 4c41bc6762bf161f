import { expect, test } from "vitest";
import { airtable } from "#connectors/airtable/airtable";
import { bitbucket } from "#connectors/bitbucket/bitbucket";
import { confluence } from "#connectors/confluence/confluence";
import { github } from "#connectors/github/github";
import { gmail } from "#connectors/gmail/gmail";
import { googleCalendar } from "#connectors/google-calendar/google-calendar";
import { googleDocs } from "#connectors/google-docs/google-docs";
import { googleDrive } from "#connectors/google-drive/google-drive";
import { hubspot } from "#connectors/hubspot/hubspot";
import { jira } from "#connectors/jira/jira";
import { linkedin } from "#connectors/linkedin/linkedin";
import { notion } from "#connectors/notion/notion";
import type { Service } from "#connectors/service";
import { slack } from "#connectors/slack/slack";
import { type Route, runConnected as run } from "./support/outside.ts";

const readChannel = (...messages: object[]) =>
  run(
    slack,
    "read_channel",
    { channel: "general" },
    [/conversations.list/, { ok: true, channels: [{ id: "C1", name: "general", is_member: true }] }],
    [/conversations.history/, { ok: true, messages }],
    [/users/, { ok: true, members: [], user: {} }],
  );

test.each<[string, object, string]>([
  // https://github.com/timescale/tiger-agents-for-work/pull/173, https://github.com/agno-agi/agno/issues/1753
  [
    "a bot without a user",
    { bot_id: "B1", subtype: "bot_message", text: "hi", username: null },
    "**someone**, 2025-01-10 00:00 UTC\n\nhi",
  ],
  // https://github.com/the100rabh/Slack-Export-JSON-to-CSV/issues/4
  [
    "Slackbot",
    { user: "USLACKBOT", subtype: "slackbot_response", text: "hi" },
    "**Slackbot**, 2025-01-10 00:00 UTC\n\nhi",
  ],
  [
    "a thread whose first message was deleted",
    { user: "USLACKBOT", subtype: "tombstone", text: "This message was deleted." },
    "This message was deleted.",
  ],
  ["a huddle", { user: "U1", subtype: "huddle_thread", text: "", room: {} }, "(huddle thread)"],
  [
    "null among attachments and fields",
    { user: "U1", attachments: [null, { text: "kept" }, { fields: [null, { title: "a", value: 1 }] }] },
    "kept\n\na: 1",
  ],
  // https://github.com/sgratzl/slack_cleaner2/issues/77
  [
    "files without a mode",
    { user: "U1", files: [null, { name: "f.txt" }, { id: "F" }] },
    "(file: f.txt)\n\n(file: unnamed)",
  ],
  [
    "null among reactions",
    { user: "U1", text: "x", reactions: [null, { name: "tada", users: [] }], reply_count: "3" },
    "(3 replies, :tada: 1)",
  ],
  ["blocks of Markdown", { user: "U1", blocks: [null, { type: "markdown", text: "**Done** now" }] }, "**Done** now"],
  ["unknown blocks", { user: "U1", blocks: [{ type: "future_card", title: {} }] }, "(future card block)"],
])("Slack: %s", async (_, message, text) => {
  expect((await readChannel({ ts: 1736467204.997789, ...message })).text).toContain(text);
});

// One item without what every other item has must not hide the rest.
test.each<[string, Service, string, Record<string, unknown>, Route, string]>([
  [
    "GitHub's labels",
    github,
    "list_issues",
    { repository: "a/b" },
    [
      /issues/,
      [
        {
          number: 1,
          title: "T",
          html_url: "https://github.com/a/b/issues/1",
          state: "open",
          user: null,
          labels: ["bug", null, { name: null }, { name: "x" }],
          assignees: null,
          body: null,
        },
      ],
    ],
    "| a/b | #1 | T | open | – | bug, x |",
  ],
  [
    "GitHub's commits",
    github,
    "list_commits",
    { repository: "a/b" },
    [/commits/, [{ sha: "abcdef0", commit: { message: null, author: null }, author: {} }]],
    "| abcdef0 |",
  ],
  // https://github.com/openshift/ci-chat-bot/pull/401
  [
    "Jira's fields",
    jira,
    "search",
    { project: "KAY" },
    [
      /search/,
      { issues: [null, { id: "1", key: "KAY-1", fields: null }, { id: 2, key: "KAY-2", fields: { summary: "x" } }] },
    ],
    "| KAY-2 | x |",
  ],
  [
    "Jira's project names",
    jira,
    "list_projects",
    {},
    [/project/, { values: [{ id: 1, key: "K", name: null }], isLast: true }],
    "| K |",
  ],
  [
    "Confluence's titles",
    confluence,
    "search",
    { text: "x" },
    [
      /search/,
      {
        results: [
          { content: { id: 5, type: "page" }, excerpt: null, url: "/spaces/K/pages/5" },
          { title: "@@@hl@@@T@@@endhl@@@", url: "/x" },
        ],
      },
    ],
    "| Untitled |",
  ],
  [
    "Bitbucket's titles",
    bitbucket,
    "list_pull_requests",
    { repository: "web" },
    [
      /./,
      {
        values: [
          {
            slug: "web",
            name: "web",
            full_name: "acme/web",
            id: 1,
            title: null,
            state: null,
            source: null,
            destination: { branch: null },
          },
        ],
      },
    ],
    "| #1 |",
  ],
  [
    "Notion's pages of others",
    notion,
    "search",
    { text: "x" },
    [
      /search/,
      {
        results: [{ object: "page", id: "11111111-1111-1111-1111-111111111111" }, null],
        has_more: true,
        next_cursor: null,
      },
    ],
    "| Untitled | page |",
  ],
  [
    "HubSpot's properties",
    hubspot,
    "search_contacts",
    { text: "x" },
    [
      /search/,
      {
        total: null,
        results: [
          { id: "1", properties: null },
          { id: "2", properties: { lastname: "L" } },
        ],
      },
    ],
    "L",
  ],
  [
    "Drive's names",
    googleDrive,
    "search",
    { text: "x" },
    [
      /files/,
      {
        files: [
          { id: "1", name: null, mimeType: null },
          { id: "2", name: "b", mimeType: "x/y", owners: [{}] },
        ],
      },
    ],
    "b",
  ],
])("nulls in an item of a list: %s", async (_, service, name, input, route, text) => {
  expect((await run(service, name, input, route)).text).toContain(text);
});

test("an item that nothing identifies is an error", async () => {
  const files: Route = [/files/, { files: [{ id: null, name: "a", mimeType: "x/y" }] }];
  await expect(run(googleDrive, "search", { text: "x" }, files)).rejects.toMatchObject({
    message: "Google Drive returned an unexpected response: files.0.id is not of type string.",
  });
});

test("Jira: comments in the form of the older API, and names in unusual places", async () => {
  const comment = { comments: [{ id: "1", body: "v2 text", author: { displayName: "A" }, created: "bad" }], total: 1 };
  const fields = {
    summary: null,
    description: "plain",
    status: { name: null },
    reporter: {},
    parent: { key: "KAY-0" },
    comment,
  };
  const { text } = await run(jira, "get_issue", { issue: "KAY-1" }, [/./, { id: "1", key: "KAY-1", fields }]);
  expect(text).toContain("- Parent: KAY-0\n\nplain\n\n**A**, bad:\n\nv2 text");
});

const HEAD = [{ name: "Subject", value: "S" }];
const encode = (text: string) => Buffer.from(text).toString("base64url");
const part = (mimeType: string, text: string) => ({ mimeType, body: { size: text.length, data: encode(text) } });
const readMail = async (payload: object) =>
  (
    await run(
      gmail,
      "read_message",
      { message: "m1" },
      [/messages\?/, { messages: [{ id: "m1", threadId: "t" }] }],
      [/messages\/m1/, { id: "m1", threadId: "t", payload: { headers: HEAD, ...payload } }],
    )
  ).data;
const LONG = `<p>A <a href="https://x.test/?a=1&amp;b=edge">link</a> &amp; ${"many words of news ".repeat(20)}</p>`;

test.each<[string, object, object]>([
  // https://github.com/anthropics/claude-ai-mcp/issues/203, https://github.com/googleworkspace/cli/issues/889
  [
    "a newsletter whose text is a stub",
    { mimeType: "multipart/alternative", parts: [part("text/plain", "View in your browser"), part("text/html", LONG)] },
    { text: expect.stringMatching(/^A link \(https:\/\/x\.test\/\?a=1&b=edge\) & many words/) },
  ],
  [
    "an empty text",
    { mimeType: "multipart/alternative", parts: [part("text/plain", " \r\n"), part("text/html", "<p>hi</p>")] },
    { text: "hi" },
  ],
  [
    "the words of earlier mails",
    part("text/html", "<p>Yes.</p><blockquote><p>Friday?</p><blockquote>When?</blockquote></blockquote>"),
    { text: "Yes.\n\n> Friday?\n> > When?" },
  ],
  [
    "a text that says the same",
    {
      mimeType: "multipart/alternative",
      parts: [part("text/plain", "hi *all*"), part("text/html", "<p>hi <b>all</b></p>")],
    },
    { text: "hi *all*" },
  ],
  // https://github.com/anthropics/claude-ai-mcp/issues/720
  [
    "an address that looks like quoted-printable",
    part("text/plain", "https://x.test/?campaign_id=247164&x=edge"),
    { text: "https://x.test/?campaign_id=247164&x=edge" },
  ],
  // https://github.com/hyprlab/vireo/issues/241
  [
    "a file without a text",
    { mimeType: "application/zip", filename: "report.zip", body: { attachmentId: "A", size: 9 } },
    { text: "", attachments: [{ name: "report.zip", type: "application/zip", bytes: 9 }] },
  ],
  [
    "a signed message",
    {
      mimeType: "multipart/signed",
      parts: [
        { mimeType: "multipart/mixed", parts: [part("text/plain", "words")] },
        { mimeType: "application/pkcs7-signature", filename: "smime.p7s", body: { size: 3 } },
      ],
    },
    { text: "words", attachments: [{ name: "smime.p7s" }] },
  ],
  [
    "a report of a failed delivery",
    {
      mimeType: "multipart/report",
      parts: [part("text/plain", "Address not found"), part("message/delivery-status", "Action: failed")],
    },
    { text: "Address not found" },
  ],
])("Gmail: %s", async (_, payload, expected) => {
  expect(await readMail(payload)).toMatchObject(expected);
});

// https://github.com/derekantrican/GAS-ICS-Sync/pull/522, https://github.com/taylorwilsdon/google_workspace_mcp/pull/1067
test("Calendar: cancelled occurrences are left out, and events without an end or a title are listed", async () => {
  const items = [
    { id: "1", status: "cancelled", recurringEventId: "r" },
    { id: "2", start: { dateTime: "2026-12-01T10:00:00+01:00" }, end: null, endTimeUnspecified: true, attendees: [{}] },
    { id: "3", start: { date: "2026-12-02" }, end: { date: "2026-12-03" }, eventType: "fromGmail", summary: null },
  ];
  const { text } = await run(googleCalendar, "list_events", { start: "2026-12-01" }, [/events/, { items }]);
  expect(text).toContain("2 events");
  expect(text).toContain("| Tue Dec 1, 10:00 | (no title) |  | unknown |");
  expect(text).toContain("| Wed Dec 2 | (no title) |  |  | from gmail |");
});

// https://googleapis.dev/ruby/google-apis-docs_v1/latest/Google/Apis/DocsV1/NestingLevel.html
test("Docs: numbered lists have their numbers, over other text and at each level", async () => {
  const say = (content: string, bullet?: object) => ({
    paragraph: { elements: [{ textRun: { content } }], ...(bullet ? { bullet } : {}) },
  });
  const level = (glyphType: string, startNumber?: number) => ({ glyphType, ...(startNumber ? { startNumber } : {}) });
  const lists = {
    a: { listProperties: { nestingLevels: [level("DECIMAL"), level("ALPHA")] } },
    b: { listProperties: { nestingLevels: [level("GLYPH_TYPE_UNSPECIFIED")] } },
    c: { listProperties: { nestingLevels: [level("ROMAN", 5)] } },
  };
  const deep = { listId: "a", nestingLevel: 1 };
  const content = [
    say("one", { listId: "a" }),
    say("sub", deep),
    say("sub", deep),
    say("two", { listId: "a" }),
    say("sub", deep),
    say("words"),
    say("three", { listId: "a" }),
    say("dot", { listId: "b" }),
    say("five", { listId: "c" }),
    say("no list", { listId: "d" }),
  ];
  const id = "1AbCdEfGhIjKlMnOpQrStUvWxYz012345";
  const { data } = await run(
    googleDocs,
    "read_document",
    { document: id },
    [/drive/, { id, name: "D", mimeType: "application/vnd.google-apps.document" }],
    [/documents/, { documentId: id, body: { content }, lists }],
  );
  expect(data).toMatchObject({
    text: "1. one\n   1. sub\n   2. sub\n2. two\n   1. sub\n\nwords\n\n3. three\n- dot\n5. five\n- no list",
  });
});

// https://airtable.com/developers/web/api/field-model#foreignkey
test("Airtable: linked records have their names, unless their table cannot be read", async () => {
  const link = {
    id: "fL",
    name: "Owner",
    type: "multipleRecordLinks",
    options: { linkedTableId: "tblBBBBBBBBBBBBBB" },
  };
  const name = { id: "fN", name: "Name", type: "singleLineText" };
  const tables = [
    { id: "tblAAAAAAAAAAAAAA", name: "Tasks", primaryFieldId: "fN", fields: [name, link] },
    { id: "tblBBBBBBBBBBBBBB", name: "People", primaryFieldId: "fN", fields: [name] },
  ];
  const [ann, sam] = ["recAAAAAAAAAAAAA1", "recAAAAAAAAAAAAA2"];
  const routes = (people: Route): Route[] => [
    [/meta\/bases$/, { bases: [{ id: "appAAAAAAAAAAAAAA", name: "B" }] }],
    [/meta\/bases\/.*tables/, { tables }],
    people,
    [/tblA/, { records: [{ id: "recT", fields: { Name: "Fix", Owner: [ann, sam] } }] }],
  ];
  const list = (people: Route) => run(airtable, "list_records", { table: "Tasks" }, ...routes(people));
  const linkedRecord: Route = [
    /tblB.*RECORD_ID\(\)='recAAAAAAAAAAAAA1'/,
    { records: [{ id: ann, fields: { Name: "Ann" } }] },
  ];
  expect((await list(linkedRecord)).text).toContain(`| Fix | Ann, ${sam} |`);
  const refused: Route = [/tblB/, { error: { type: "NOT_AUTHORIZED", message: "No" } }, 403];
  expect((await list(refused)).text).toContain(`| Fix | ${ann}, ${sam} |`);
});

test.each<[string, Service, string, Record<string, unknown>, number, unknown, object]>([
  [
    "storage that is full",
    googleDrive,
    "search",
    { text: "x" },
    403,
    {
      error: {
        message: "The user's Drive storage quota has been exceeded.",
        errors: [{ reason: "storageQuotaExceeded" }],
      },
    },
    { hint: "Free space in Google Drive, or ask an administrator for more." },
  ],
  [
    "an API that is off",
    googleDrive,
    "search",
    { text: "x" },
    403,
    { error: { message: "Google Drive API has not been used in project 1 before or it is disabled." } },
    { hint: "Ask the operator of kay to enable it, then try again." },
  ],
  [
    "a limit for a day",
    googleDrive,
    "search",
    { text: "x" },
    429,
    { error: { message: "Quota exceeded for limit 'Queries per day'" } },
    { code: "RATE_LIMITED", hint: expect.stringContaining("resets the limit") },
  ],
  [
    "scopes by name",
    hubspot,
    "search_contacts",
    { text: "x" },
    403,
    {
      message: "This app hasn't been granted all required scopes",
      errors: [
        {
          message: "One or more of the following scopes are required.",
          context: { requiredGranularScopes: ["crm.objects.contacts.read"] },
        },
      ],
      category: "MISSING_SCOPES",
    },
    { message: "The connection to HubSpot lacks the permission crm.objects.contacts.read." },
  ],
  [
    "permissions of LinkedIn",
    linkedin,
    "me",
    {},
    403,
    {
      serviceErrorCode: 100,
      code: "ACCESS_DENIED",
      message: "Not enough permissions to access: userinfo.GET.NO_VERSION",
    },
    { message: expect.stringContaining("lacks the permission") },
  ],
  [
    "a token that was revoked",
    linkedin,
    "me",
    {},
    401,
    { code: "REVOKED_ACCESS_TOKEN", message: "The token used in the request has been revoked by the user" },
    { code: "AUTH_REQUIRED" },
  ],
  [
    "a query",
    jira,
    "list_projects",
    {},
    400,
    { errorMessages: ["Error in the JQL Query"], warningMessages: [] },
    { message: "Jira: Error in the JQL Query." },
  ],
  [
    "maintenance",
    jira,
    "list_projects",
    {},
    503,
    { error: "Jira is being upgraded" },
    { message: "Jira: Jira is being upgraded." },
  ],
  [
    "a page that is not shared",
    notion,
    "search",
    { text: "x" },
    404,
    { object: "error", code: "object_not_found", message: "Could not find page with ID: x." },
    { message: "Notion: Could not find page with ID: x." },
  ],
  ["an overload of 529", notion, "search", { text: "x" }, 529, "overloaded", { code: "RATE_LIMITED" }],
  [
    "a limit as a text",
    bitbucket,
    "list_repositories",
    {},
    429,
    "Rate limit for this resource has been exceeded",
    {
      code: "RATE_LIMITED",
      message: "Bitbucket is receiving too many requests: Rate limit for this resource has been exceeded.",
    },
  ],
  [
    "fields of GitHub",
    github,
    "list_repositories",
    {},
    422,
    { message: "Validation Failed", errors: [{ resource: "Issue", field: "title", code: "missing_field" }] },
    { message: "GitHub: Validation Failed; title: missing field." },
  ],
])("an error about %s says what it is", async (_, service, name, input, status, body, expected) => {
  await expect(run(service, name, input, [/./, body, status])).rejects.toMatchObject(expected);
});

// https://github.com/HubSpot/hubspot-api-php/issues/619: 207 without the deals that cannot be read
test("HubSpot: a contact says how many of its deals could not be read", async () => {
  const associations = { deals: { results: [{ id: "1" }, { id: "2" }, { id: "3" }, { id: "2" }] } };
  const readContact = (results: object[]) =>
    run(
      hubspot,
      "get_contact",
      { contact: "5" },
      [/pipelines/, { results: [] }],
      [/batch/, { status: "COMPLETE", results, numErrors: 1, errors: [{ category: "OBJECT_NOT_FOUND" }] }, 207],
      [/contacts/, { id: "5", properties: { firstname: "ليلى" }, associations }],
    );
  const contact = await readContact([{ id: "1", properties: { dealname: "A" } }]);
  expect(contact.text).toContain("(kay read 1 of 3 deals.)");
  expect(contact.data).toMatchObject({ deals: [{ name: "A" }], deals_total: 3 });
  expect((await readContact([])).text).toMatch(/\n\n\(kay read 0 of 3 deals\.\)$/);
});

// https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions: `deleted`
test("Drive: accounts that were deleted have no access, and a file in the trash says so", async () => {
  const id = "1abcdefghijklmnopqrstuvwxyz0123456789";
  const permissions = [
    { type: "user", role: "writer", emailAddress: "gone@x.test", deleted: true },
    { type: "domain", role: "reader", domain: "x.test", deleted: false },
  ];
  const { text, data } = await run(
    googleDrive,
    "get_file",
    { file: id },
    [/permissions\(/, { trashed: true, permissions }],
    [/files/, { id, name: "F", mimeType: "text/plain", size: "9223372036854775807" }],
  );
  expect(text).toContain("- State: in the trash\n- Size: 9223372036854775807 bytes\n- Open to: x.test (reader)\n");
  expect(data).toMatchObject({ trashed: true, shared_with: ["x.test (reader)"] });
});

// https://github.com/SpinlockLabs/github.dart/pull/383, https://github.com/desktop/desktop/pull/3022
test("GitHub: each review of a deleted account counts", async () => {
  const reviews = ["APPROVED", "CHANGES_REQUESTED", "APPROVED"].map((state) => ({ user: null, state }));
  const pull = {
    number: 1,
    title: "T",
    state: "open",
    user: null,
    head: { ref: "f", repo: null },
    html_url: "https://x.test",
  };
  const input = { repository: "a/b", number: 1 };
  const { text, data } = await run(github, "get_pull_request", input, [/reviews/, reviews], [/pulls/, pull]);
  expect(data).toMatchObject({ approved_by: ["someone", "someone"], changes_requested_by: ["someone"] });
  expect(text).toContain("- Author: someone\n");
});

test("Notion: a page in the trash says so", async () => {
  const page = { object: "page", id: "11111111-1111-1111-1111-111111111111", in_trash: true, properties: {} };
  const routes: Route[] = [
    [/children/, { results: [] }],
    [/pages/, page],
  ];
  const { text, data } = await run(notion, "get_page", { page: page.id }, ...routes);
  expect(text).toMatch(/^\*\*Untitled\*\*, in the trash\n/);
  expect(data).toMatchObject({ in_trash: true });
});

test.each([
  [
    "<!DOCTYPE html><title>\u202eProxy\n sign-in</title>",
    "the body is not JSON but a web page (“U+202EProxy sign-in”)",
  ],
  ["\n<html><body>Blocked</body></html>", "the body is not JSON but a web page"],
  ["[truncated", "the body is not JSON"],
])("a body of 200 that is not JSON is named: %j", async (body, reason) => {
  await expect(run(slack, "list_channels", {}, [/./, body])).rejects.toMatchObject({
    message: `Slack returned an unexpected response: ${reason}.`,
  });
});
