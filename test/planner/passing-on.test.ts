import { expect, test } from "vitest";
import { FOUND, MARKDOWN, type Phrasing, PLAIN, plannerTalk, type Reply } from "#test/planner";

const CELLS = '"KAY-7 Loop https://jira.test/browse/KAY-7"\n"KAY-9 Crash https://jira.test/browse/KAY-9"';

/** First the read, then the write made from it. */
const PASSED: [request: string, reads: Reply["calls"], ...writes: Reply["calls"]][] = [
  [
    "send the open bugs to #general",
    [["jira.search", { status: "open", type: "Bug" }]],
    ["slack.send_message", { channel: "#general", text: MARKDOWN }],
  ],
  [
    "what's open in KAY, and send the bugs to #general",
    [
      ["jira.search", { project: "KAY", status: "open" }],
      ["jira.search", { project: "KAY", status: "open", type: "Bug" }],
    ],
    ["slack.send_message", { channel: "#general", text: MARKDOWN }],
  ],
  [
    "post my open PRs to #dev",
    [["github.list_pull_requests", { state: "open", author: "me" }]],
    ["slack.send_message", { channel: "#dev", text: MARKDOWN }],
  ],
  [
    "create a notion page in DOCS with the open issues of KAY",
    [["jira.search", { project: "KAY", status: "open" }]],
    ["notion.create_page", { parent: "DOCS", title: "Open issues of KAY", text: MARKDOWN }],
  ],
  [
    "email the list of open bugs to sam@example.com",
    [["jira.search", { status: "open", type: "Bug" }]],
    ["gmail.send_message", { to: "sam@example.com", subject: "Open bugs", body: PLAIN }],
  ],
  [
    "send #general the open bugs",
    [["jira.search", { status: "open", type: "Bug" }]],
    ["slack.send_message", { channel: "#general", text: MARKDOWN }],
  ],
  [
    "tell @sam what is open in KAY",
    [["jira.search", { project: "KAY", status: "open" }]],
    ["slack.send_message", { channel: "@sam", text: MARKDOWN }],
  ],
  [
    "send the bugs that are open in KAY to Sam Sample",
    [["jira.search", { project: "KAY", status: "open", type: "Bug" }]],
    ["slack.send_message", { channel: "Sam Sample", text: MARKDOWN }],
  ],
  [
    "send KAY-7 to #general",
    [["jira.get_issue", { issue: "KAY-7" }]],
    ["slack.send_message", { channel: "#general", text: MARKDOWN }],
  ],
  [
    "send the page Onboarding to #general",
    [["confluence.get_page", { page: "Onboarding" }]],
    ["slack.send_message", { channel: "#general", text: MARKDOWN }],
  ],
  [
    "append the open issues of KAY to the document Minutes",
    [["jira.search", { project: "KAY", status: "open" }]],
    ["google-docs.append_text", { document: "Minutes", text: PLAIN }],
  ],
  [
    "create a google doc called Bugs with the open bugs in KAY",
    [["jira.search", { project: "KAY", status: "open", type: "Bug" }]],
    ["google-docs.create_document", { title: "Bugs", text: PLAIN }],
  ],
  [
    "add the open deals to the spreadsheet Budget",
    [["hubspot.list_deals", { stage: "open" }]],
    ["google-sheets.append_rows", { spreadsheet: "Budget", text: CELLS }],
  ],
  [
    "post the open deals in #sales",
    [["hubspot.list_deals", { stage: "open" }]],
    ["slack.send_message", { channel: "#sales", text: MARKDOWN }],
  ],
  [
    "send the contacts at Contoso to sam@example.com",
    [["hubspot.search_contacts", { company: "Contoso" }]],
    ["gmail.send_message", { to: "sam@example.com", subject: "Contacts at Contoso", body: PLAIN }],
  ],
  [
    "send my unread emails to #general",
    [["gmail.search", { state: "unread" }]],
    ["slack.send_message", { channel: "#general", text: MARKDOWN }],
  ],
  [
    "send my meetings of tomorrow to #general",
    [["google-calendar.list_events", { start: "2026-11-28" }]],
    ["slack.send_message", { channel: "#general", text: MARKDOWN }],
  ],
  [
    "send the messages of #general to sam@example.com",
    [["slack.read_channel", { channel: "#general" }]],
    ["gmail.send_message", { to: "sam@example.com", subject: "Messages of #general", body: PLAIN }],
  ],
  [
    "comment on KAY-3 with the list of open pull requests",
    [["github.list_pull_requests", { state: "open" }]],
    ["jira.add_comment", { issue: "KAY-3", text: MARKDOWN }],
  ],
  [
    "draft an email to sam@example.com with the unread emails",
    [["gmail.search", { state: "unread" }]],
    ["gmail.create_draft", { to: "sam@example.com", subject: "Unread emails", body: PLAIN }],
  ],
  [
    "post the records of the airtable table Tasks in #general",
    [["airtable.list_records", { table: "Tasks" }]],
    ["slack.send_message", { channel: "#general", text: MARKDOWN }],
  ],
  [
    "send the rows of the notion database Road map to #general",
    [["notion.query_database", { database: "Road map" }]],
    ["slack.send_message", { channel: "#general", text: MARKDOWN }],
  ],
  [
    "reply in #general with the open bugs",
    [["jira.search", { status: "open", type: "Bug" }]],
    ["slack.reply", { channel: "#general", text: MARKDOWN }],
  ],
  [
    "find pages about onboarding and post them in #general",
    [["confluence.search", { text: "onboarding", type: "page" }]],
    ["slack.send_message", { channel: "#general", text: MARKDOWN }],
  ],
  [
    "list open bugs in KAY and email them to sam@example.com",
    [["jira.search", { project: "KAY", status: "open", type: "Bug" }]],
    ["gmail.send_message", { to: "sam@example.com", subject: "2 open bugs in KAY", body: PLAIN }],
  ],
];

test.each(PASSED)("“%s” reads, and passes on what was found", async (request, reads, ...writes) => {
  const talk = plannerTalk();
  expect((await talk.say(request)).calls).toEqual(reads);
  expect((await talk.results(...reads.map(() => FOUND))).calls).toEqual(writes);
});

test("a list that is asked for again begins at its start", async () => {
  for (const [request, input] of [
    ["send the bugs to #general", { project: "KAY", status: "open", type: "Bug" }],
    ["only the bugs", { project: "KAY", status: "open", type: "Bug" }],
  ] as const) {
    const talk = plannerTalk();
    const { message } = await talk.say("the open issues in KAY");
    const [call] = message.role === "assistant" ? message.content : [];
    if (typeof call === "object" && call.type === "tool-call") Object.assign(call.input as object, { cursor: "2" });
    await talk.results(FOUND);
    expect((await talk.say(request)).calls).toEqual([["jira.search", input]]);
  }
});

/** Somebody's own words stay theirs. */
const LITERAL: Phrasing[] = [
  ['send "the open bugs" to #general', ["slack.send_message", { channel: "#general", text: "the open bugs" }]],
  ["post in #general: the open bugs", ["slack.send_message", { channel: "#general", text: "the open bugs" }]],
  ["send the build is green to #general", ["slack.send_message", { channel: "#general", text: "the build is green" }]],
  [
    "tell #general that the open bugs are fixed",
    ["slack.send_message", { channel: "#general", text: "the open bugs are fixed" }],
  ],
  ["post on linkedin: the open bugs", ["linkedin.create_post", { text: "the open bugs" }]],
  ["send hello to sam@example.com", ["gmail.send_message", { to: "sam@example.com", body: "hello" }]],
  ["tell #general: thanks @priya.nair", ["slack.send_message", { channel: "#general", text: "thanks @priya.nair" }]],
  ["tell #general: see @notes.md", ["slack.send_message", { channel: "#general", text: "see @notes.md" }]],
  ["send hello to @sam", ["slack.send_message", { channel: "@sam", text: "hello" }]],
];

test.each(LITERAL)("“%s” sends exactly these words", async (request, ...calls) => {
  expect((await plannerTalk().say(request)).calls).toEqual(calls);
});

test.each([
  ["comment on KAY-3 that it works", ["jira.add_comment", { issue: "KAY-3", text: "it works" }]],
  ["tell #general that it is done", ["slack.send_message", { channel: "#general", text: "it is done" }]],
] as const)("“%s” after another request says this, and passes nothing on", async (request, call) => {
  const talk = plannerTalk();
  await talk.say("close KAY-5");
  await talk.results({ text: "KAY-5 is now Done.", data: { key: "KAY-5", url: "https://jira.test/browse/KAY-5" } });
  expect((await talk.say(request)).calls).toEqual([call]);
});
