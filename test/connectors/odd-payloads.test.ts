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

const ID = "11111111-1111-1111-1111-111111111111";
const FILE = "1abcdefghijklmnopqrstuvwxyz0123456789";
const MAIL = "18c2f0a1b2c3d4e5";
const GENERAL: Route = [/conversations.list/, { ok: true, channels: [{ id: "C1", name: "general" }] }];
const say = (elements: object[]) => [{ type: "rich_text", elements: [{ type: "rich_text_section", elements }] }];
const history = (message: object): Route[] => [
  GENERAL,
  [/history/, { ok: true, messages: [{ ts: "1736467204.000100", username: "Bot", ...message }] }],
];
const encode = (text: string) => ({ size: text.length, data: Buffer.from(text).toString("base64url") });
const mail = (payload: object, labelIds?: string[]): Route => [
  /messages/,
  { id: MAIL, threadId: "t", labelIds, payload: { headers: [], ...payload } },
];
const event = (start: object, end: object): Route => [/events/, { items: [{ id: "1", summary: "E", start, end }] }];
const blocks = (rich_text: unknown[]): Route[] => [
  [/children/, { results: [{ id: "b", type: "paragraph", paragraph: { rich_text } }], has_more: false }],
  [/pages/, { object: "page", id: ID, properties: { Name: { type: "title", title: null }, Gone: null } }],
];
const storage = (value: string, status = "current"): Route => [
  /pages/,
  { id: 1, title: "T", status, body: { storage: { value } } },
];
const shortcut = (id: string, targetId: string) => ({
  id,
  name: id,
  mimeType: "application/vnd.google-apps.shortcut",
  shortcutDetails: { targetId, targetMimeType: "application/vnd.google-apps.shortcut" },
});
const TABLE = {
  id: "tblAAAAAAAAAAAAAA",
  name: "T",
  primaryFieldId: "Name",
  fields: ["Name", "Share:percent", "Took:duration", "Data"].map((definition) => {
    const [name = "", type = "x"] = definition.split(":");
    return { id: name, name, type };
  }),
};
const record = (fields: object): Route[] => [
  [/meta\/bases$/, { bases: [{ id: "appAAAAAAAAAAAAAA", name: "B" }] }],
  [/tables/, { tables: [TABLE] }],
  [/rec/, { id: "recAAAAAAAAAAAAAA", fields }],
];
const STAGES: Route = [
  /pipelines/,
  { results: [{ id: "p", label: "Sales", stages: [{ id: "s1", label: null, metadata: null }] }] },
];
const deal = (properties: object): Route => [/search|batch/, { total: 1, results: [{ id: 1, properties }] }];
const PULL = { id: 1, title: null, state: null, author: null, source: null, destination: {}, links: null };

test.each<[string, Service, string, Record<string, unknown>, Route[], string]>([
  // A single object may lack what an item of a list may lack: https://github.com/anthropics/claude-code/issues/44364 for another API
  [
    "a pull request without a title",
    bitbucket,
    "get_pull_request",
    { repository: "web", id: 1 },
    [[/./, PULL]],
    "**#1** \n",
  ],
  [
    "an issue without a title",
    github,
    "get_issue",
    { repository: "a/b", number: 1 },
    [[/./, { number: 1, title: null, state: "open", html_url: "https://github.com/a/b/issues/1" }]],
    "- State: open",
  ],
  ["null for a list", slack, "list_channels", {}, [[/./, { ok: true, channels: null }]], "No channels"],
  [
    "a channel that is an ID alone",
    slack,
    "search_messages",
    { text: "x" },
    [[/./, { ok: true, messages: { total: 1, matches: [{ ts: "1.2", channel: "C1", text: "found" }] } }]],
    "found",
  ],
  [
    "null for an association of no interest",
    hubspot,
    "get_contact",
    { contact: "5" },
    [[/contacts/, { id: 5, properties: { email: "a@x.test" }, associations: { custom: { results: null } } }]],
    "No deals.",
  ],
  // Slack. https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
  [
    "dates without a fallback, and elements of new kinds",
    slack,
    "read_channel",
    { channel: "general" },
    history({
      blocks: say([{ type: "date", timestamp: 1720710212 }, { type: "text", text: ", " }, { type: "canvas" }]),
    }),
    "2024-07-11 15:03, (canvas)",
  ],
  [
    "a reply that its author also sent to the channel",
    slack,
    "read_channel",
    { channel: "general" },
    history({ text: "done", subtype: "thread_broadcast", thread_ts: "1.1" }),
    "done\n\n(reply in a thread)",
  ],
  [
    "warnings of a search",
    jira,
    "search",
    { project: "KAY" },
    [[/./, { issues: [], isLast: true, warningMessages: ["The value 'KAY' does not exist."] }]],
    "No issues in KAY.\n\nJira warns: The value 'KAY' does not exist.",
  ],
  [
    "a page in the trash",
    confluence,
    "get_page",
    { page: "1" },
    [storage("<p>x</p>", "trashed")],
    "**T**, in the trash\n",
  ],
  [
    "macros and images by what they show",
    confluence,
    "get_page",
    { page: "1" },
    [
      storage(
        '<p><ac:structured-macro ac:name="jira"><ac:parameter ac:name="jqlQuery">project = KAY</ac:parameter></ac:structured-macro> ' +
          '<ac:structured-macro ac:name="status"><ac:parameter ac:name="colour">Red</ac:parameter></ac:structured-macro></p>' +
          '<ac:image><ri:url ri:value="https://x.test/a.png" /></ac:image>',
      ),
    ],
    "(jira: project = KAY) [Red]\n\n[image](https://x.test/a.png)",
  ],
  // Calendar. https://developers.google.com/workspace/calendar/api/v3/reference/events: no offset is needed beside a zone
  [
    "a time without an offset in its own zone",
    googleCalendar,
    "list_events",
    {},
    [
      event(
        { dateTime: "2026-12-01T10:00:00", timeZone: "America/New_York" },
        { dateTime: "2026-12-01T11:00:00-05:00" },
      ),
    ],
    "Tue Dec 1, 16:00 - 17:00",
  ],
  [
    "an offset without a colon",
    googleCalendar,
    "list_events",
    {},
    [event({ dateTime: "2026-12-01T10:00:00+0545" }, { dateTime: "nonsense" })],
    "Tue Dec 1, 05:15 |",
  ],
  [
    "a calendar with an event whose start cannot be read",
    googleCalendar,
    "list_events",
    {},
    [event({ dateTime: "soon" }, {})],
    "No events",
  ],
  [
    "a shortcut to a shortcut",
    googleDrive,
    "get_file",
    { file: FILE },
    [
      [/permissions/, {}],
      [/second/, shortcut("second", "third")],
      [/third/, { id: "third", name: "Real", mimeType: "text/plain" }],
      [/./, shortcut(FILE, "second")],
    ],
    "**Real**",
  ],
  [
    "rules, formulas and links to other files",
    googleDocs,
    "read_document",
    { document: FILE },
    [
      [/drive/, { id: FILE, name: "D", mimeType: "application/vnd.google-apps.document" }],
      [
        /documents/,
        {
          documentId: FILE,
          body: {
            content: [
              { paragraph: { elements: [{ horizontalRule: {} }] } },
              {
                paragraph: {
                  elements: [
                    { equation: {} },
                    { textRun: { content: " in " } },
                    { richLink: { richLinkProperties: { title: "Plan", uri: "https://d.test" } } },
                  ],
                },
              },
            ],
          },
        },
      ],
    ],
    "---\n\n[equation] in Plan (https://d.test)",
  ],
  [
    "other text than plain and HTML",
    gmail,
    "read_message",
    { message: MAIL },
    [mail({ mimeType: "text/enriched", body: encode("<bold>words</bold>") })],
    "words",
  ],
  [
    "encrypted mail",
    gmail,
    "read_message",
    { message: MAIL },
    [mail({ mimeType: "multipart/encrypted", parts: [] }, ["SPAM"])],
    "- State: in spam\n\nThe message is encrypted",
  ],
  // Notion. https://github.com/makenotion/notion-sdk-js/issues: null among pieces, and pieces without plain_text
  [
    "pieces of text in other forms, and a property that is null",
    notion,
    "get_page",
    { page: ID },
    blocks([null, { plain_text: "A" }, { type: "text", text: { content: "B" } }, { equation: { expression: "c^2" } }]),
    "ABc^2",
  ],
  [
    "percentages and durations as Airtable shows them, and values of new kinds",
    airtable,
    "get_record",
    { table: "T", record: "recAAAAAAAAAAAAAA" },
    record({ Name: "R", Share: 0.07, Took: 3723, Data: { a: { b: 1 } } }),
    '- Share: 7%\n- Took: 1:02:03\n- Data: {"a":{"b":1}}',
  ],
  [
    "deals in their own currency, and stages without a name",
    hubspot,
    "list_deals",
    { stage: "all" },
    [STAGES, deal({ dealname: "D", amount: "5", deal_currency_code: "USD", dealstage: "s1", pipeline: "p" })],
    "1 deal, together 5 USD:\n\n| ID | Deal | Amount | Stage | Pipeline | Closes |\n| --- | --- | --- | --- | --- | --- |\n| 1 | D | 5 USD | s1 | Sales |",
  ],
  [
    "a contact with more deals than HubSpot lists",
    hubspot,
    "get_contact",
    { contact: "5" },
    [
      STAGES,
      deal({ dealname: "D" }),
      [
        /contacts/,
        { id: 5, properties: {}, associations: { deals: { results: [{ id: 1 }], paging: { next: { after: "1" } } } } },
      ],
    ],
    "(kay read 1 of more than 1 deals.)",
  ],
  ["a name in parts", linkedin, "me", {}, [[/./, { sub: "s", given_name: "Ann", family_name: "Lee" }]], "**Ann Lee**"],
])("%s is read", async (_, service, name, input, routes, text) => {
  expect((await run(service, name, input, ...routes)).text).toContain(text);
});

test("Gmail: AMP is another form of the text, not a file", async () => {
  const forms = ["text/plain", "text/x-amp-html", "text/html"].map((mimeType) => ({
    mimeType,
    body: encode("<p>hi</p>"),
  }));
  const routes = [mail({ mimeType: "multipart/alternative", parts: forms })];
  expect((await run(gmail, "read_message", { message: MAIL }, ...routes)).data).toMatchObject({ attachments: [] });
});

const HTML = (title: string) => `<!DOCTYPE html><html><head><title>${title}</title></head></html>`;
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

test.each<[Service, string, Record<string, unknown>, number, unknown, string, string]>([
  // Web pages of proxies, firewalls and gateways
  [
    github,
    "list_repositories",
    {},
    502,
    HTML("502 Bad\n Gateway"),
    "GitHub failed (HTTP 502). Its response is the web page “502 Bad Gateway”.",
    "Check the status page of GitHub, then try again.",
  ],
  [
    slack,
    "list_channels",
    {},
    403,
    HTML("Blocked by ACME"),
    "Slack does not allow this account to do that. Its response is the web page “Blocked by ACME”.",
    "A proxy or firewall may have answered instead of Slack. Run `kay doctor slack` to check the connection.",
  ],
  [
    bitbucket,
    "list_repositories",
    {},
    404,
    HTML("Page not found"),
    "Bitbucket could not find it, or this account may not see it. Its response is the web page “Page not found”.",
    "Check the name, and that you can open it in Bitbucket.",
  ],
  // https://github.com/orgs/community/discussions: 410 is not only for what was deleted
  [
    github,
    "list_issues",
    { repository: "a/b" },
    410,
    { message: "Issues has been disabled in this repository." },
    "GitHub: Issues has been disabled in this repository.",
    "Turn on issues in the settings of the repository, or use another one.",
  ],
  // https://github.com/sooperset/mcp-atlassian/issues/1295
  [
    jira,
    "list_projects",
    {},
    410,
    { errorMessages: ["The requested API has been removed. Please migrate to the new one."] },
    "Jira: The requested API has been removed. Please migrate to the new one.",
    "This version of kay uses an old version of Jira's API. Install a newer release of kay.",
  ],
  [
    github,
    "list_repositories",
    {},
    403,
    { message: "Repository was archived so is read-only." },
    "GitHub: Repository was archived so is read-only.",
    "Use another one, or ask for it to be unarchived.",
  ],
  [
    github,
    "list_repositories",
    {},
    403,
    { message: "the `acme` organization has enabled OAuth App access restrictions" },
    "GitHub: the `acme` organization has enabled OAuth App access restrictions.",
    "Ask an owner of the organization to approve kay, then try again.",
  ],
  [
    github,
    "list_repositories",
    {},
    403,
    { message: "the `acme` organization has an IP allow list enabled" },
    "GitHub: the `acme` organization has an IP allow list enabled.",
    "Use a network that the organization allows.",
  ],
  [
    hubspot,
    "search_contacts",
    { text: "x" },
    477,
    { message: "This Hub is being migrated" },
    "HubSpot: This Hub is being migrated.",
    "Try again in a moment.",
  ],
  [
    gmail,
    "search",
    {},
    400,
    { error: { message: "Mail service not enabled" } },
    "Gmail: Mail service not enabled.",
    "Use another account, or ask an administrator to turn on Gmail for this one.",
  ],
  [
    googleCalendar,
    "list_events",
    {},
    403,
    { error: { message: "Only the organizer can do that." } },
    "Google Calendar: Only the organizer can do that.",
    "Ask the organizer to change it.",
  ],
  [
    googleDrive,
    "search",
    {},
    403,
    { error: { message: "exceeded your sharing quota", errors: [{ reason: "sharingRateLimitExceeded" }] } },
    "Google Drive is receiving too many requests: exceeded your sharing quota.",
    "Try again in a moment.",
  ],
  [
    github,
    "list_repositories",
    {},
    403,
    { message: "API rate limit exceeded for user ID 1." },
    "GitHub is receiving too many requests: API rate limit exceeded for user ID 1.",
    "Try again in 60 s.",
  ],
  [
    airtable,
    "list_bases",
    {},
    429,
    { errors: [{ error: "X", message: "API billing plan limit exceeded" }] },
    "Airtable is receiving too many requests: API billing plan limit exceeded.",
    "Wait until Airtable resets the limit, or ask an administrator to raise it.",
  ],
  [
    airtable,
    "list_bases",
    {},
    422,
    { error: "LIST_RECORDS_ITERATOR_NOT_AVAILABLE" },
    "Airtable refused the request (HTTP 422, LIST_RECORDS_ITERATOR_NOT_AVAILABLE).",
    "Change the request and try again.",
  ],
  [
    bitbucket,
    "list_repositories",
    {},
    400,
    { error: { message: "Bad request", fields: { reviewers: { "0": "is the author" } } } },
    "Bitbucket: Bad request; reviewers: is the author.",
    "Change the request and try again.",
  ],
  [
    jira,
    "list_projects",
    {},
    404,
    { error: "Not Found", message: "No message available" },
    "Jira: Not Found.",
    "Check the name, and that you can open it in Jira.",
  ],
  // Slack's codes: https://docs.slack.dev/reference/methods/conversations.list
  [
    slack,
    "list_channels",
    {},
    429,
    { ok: false, error: "ratelimited" },
    "Slack is receiving too many requests.",
    "Try again in a moment.",
  ],
  [
    slack,
    "list_channels",
    {},
    200,
    { ok: false, error: "team_added_to_org" },
    "Slack: the workspace is being moved to an Enterprise organization.",
    "Try again in a moment.",
  ],
  [
    slack,
    "list_channels",
    {},
    200,
    { ok: false, error: "method_deprecated" },
    "Slack: Slack no longer offers that method.",
    "This version of kay uses an old version of Slack's API. Install a newer release of kay.",
  ],
  [
    slack,
    "list_channels",
    {},
    200,
    { ok: false, error: "invalid_arguments", response_metadata: { messages: ["[ERROR] missing field: x"] } },
    "Slack: missing field: x; invalid_arguments.",
    "Change the request and try again.",
  ],
  [
    googleDocs,
    "read_document",
    { document: FILE },
    200,
    { id: FILE, name: "D", mimeType: WORD },
    `“D” is not a document but of the type ${WORD}.`,
    "Save it as a Google document in Google Drive, or specify another one.",
  ],
])("%# an error says what it is and what to do", async (service, name, input, status, body, message, hint) => {
  await expect(run(service, name, input, [/./, body, status])).rejects.toMatchObject({ message, hint });
});

test("a failed write says the service's reason", async () => {
  const result = run(jira, "add_comment", { issue: "KAY-1", text: "x" }, [
    /./,
    { errorMessages: ["Index is locked"] },
    500,
  ]);
  await expect(result).rejects.toMatchObject({
    code: "OUTCOME_UNKNOWN",
    message:
      "Jira failed while processing the request (HTTP 500): Index is locked. The request may have been processed.",
  });
});
