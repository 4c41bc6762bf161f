import { expect, test } from "vitest";
import { ALL_TOOLS, type Phrasing, plannerTalk } from "#test/planner";

test.each(["send an email to sam@example.com: @notes.md", "email sam@example.com saying @notes.md"])(
  "“%s” is no mail with the name of a file as its text",
  async (request) => {
    expect((await plannerTalk().say(request)).calls).toEqual([]);
  },
);

/** One word of each changes the request, and no field accepts it. */
const SILENT = [
  "all KAY issues except bugs",
  "show the issues in KAY that are not assigned to me",
  "the 2 biggest issues in KAY",
  "deals above 5000 closing before christmas",
  "emails from Sam that are not about the release",
  "compare the pages Plan and Roadmap",
  "book me a flight to berlin",
  "send a private message to Sara on LinkedIn: hi",
  "close all bugs in KAY",
  "call marco on his mobile",
  "unsend the mail I sent to sara yesterday",
  "restart the prod server, it is hanging again",
  "what do I have the week after next?",
  "close the other one",
  "who's assigned?",
  "what's on my plate?",
  "schedule Lunch at noon or so tomorrow afternoon",
  "send my latest invoice to #general",
  "did not KAY",
  "which files did I open today",
  "cancel my 3pm",
  "move the Design review by one hour",
  "make the Design review longer by 30 minutes",
  "when KAY-3 is done, tell #general",
  "close KAY-3 if KAY-4 is closed",
  "KAY issues without an assignee",
  "meetings on friday after 2pm",
  "find messages about the outage outside #general",
  "pages about security or privacy in confluence",
  "what is in row 3 of Budget 2026",
  "make KAY-3 a subtask of KAY-1",
  "make KAY-3 a task",
  "set KAY-2 to tom",
  "rename the doc Q4 plan to Q5 plan",
  "deal Northwind amount to 9000",
  "notion tasks due tomorrow",
  "take KAY-7 off my plate",
  "who viewed my linkedin profile",
  "how do I close KAY-3",
  "what did tom change this week in drive",
  "send the open bugs and the open deals to #general",
  "mentions of me in slack",
  'post privately on linkedin: "hello network"',
  "make the Q4 plan doc public",
  'create a subtask of KAY-3: "write tests"',
  "delete row 5 in Budget 2026",
  "reply to tom's last mail: thanks",
  "email @notes.md to sam@example.com",
  "comment on KAY-3: @docs/plan.md",
  "dm @sam: @notes.md",
  "post @post.md on linkedin",
  "send the draft to tom",
  "star the mail from tom",
  "schedule Lunch every friday at noon",
  "move Dentist one hour later",
  "remove tom from the Design review",
  "tell me a joke",
  "all of the open bugs but not those in OPS",
  "make KAY-5 urgent",
  "link KAY-4 to KAY-5 and KAY-6",
  "files I changed this week",
  "issues in kay-cli updated since monday",
  "log 2h on KAY-4 yesterday",
  "who is in #general",
  "who wrote PR 4 in kay-cli",
  "summarize @notes.md",
  'trash the mail "Newsletter"',
  "create a deal Acme renewal for 12,500 closing 31 december",
  "find a slot for me and Sam tomorrow",
  "show me slack",
  "clone KAY-3",
  "who is online in slack",
  "delete issue 3 in kay-docs",
  "new issues in KAY",
  "cancel",
  "create a channel #incident",
  "set up a daily standup at 9",
  "connect with sara on linkedin",
  "the 3 most recently updated issues in KAY",
  'update the record "Dark mode" in Feedback: Status Done',
  "deals over 10000 in stage closed won",
  "list prs for me",
  "next page",
  "what's in Budget 2026 A1:C5",
  "upload report.pdf to drive",
];

test.each(SILENT)("“%s” is not understood, and nothing is called", async (request) => {
  const { calls, text } = await plannerTalk().say(request);
  expect(calls).toEqual([]);
  expect(text).toMatch(/^I do not know how to do “[^\n]+`kay model list`[^\n]*$/);
});

const SURE: Phrasing[] = [
  ['find tickets about "dark mode" reported by tom', ["jira.search", { text: "dark mode", reporter: "tom" }]],
  [
    "all issues in KAY updated between monday and wednesday",
    ["jira.search", { project: "KAY", updatedSince: "2026-11-23", updatedBefore: "2026-11-26" }],
  ],
  ["can you close KAY-2 for me? thx", ["jira.transition_issue", { issue: "KAY-2", status: "close" }]],
  ["mails to sara from last month", ["gmail.search", { recipient: "sara", after: "2026-10-01", before: "2026-11-01" }]],
  [
    "deals under 10k closing next month",
    ["hubspot.list_deals", { maxAmount: 10_000, closesAfter: "2026-12-01", closesBefore: "2026-12-31" }],
  ],
  [
    'add the row "Pens, 12, 3.50" to Budget 2026',
    ["google-sheets.append_rows", { text: "Pens, 12, 3.50", spreadsheet: "Budget 2026" }],
  ],
  [
    "move the deal Northwind renewal to closed won",
    ["hubspot.move_deal", { deal: "Northwind renewal", stage: "Closed won" }],
  ],
  ["reopen issue 3 in kay-cli", ["github.edit_issue", { number: 3, repository: "kay-cli", reopen: true }]],
  [
    "approve PR 5 in kay-docs on github",
    ["github.review_pull_request", { number: 5, repository: "kay-docs", verdict: "approve" }],
  ],
  ["tickets I reported", ["jira.search", { reporter: "me" }]],
  ["show the table Feedback in airtable", ["airtable.list_records", { table: "Feedback" }]],
  ["log a bug in KAY: crash", ["jira.create_issue", { project: "KAY", type: "Bug", summary: "crash" }]],
  ["fields of the table Feedback in airtable", ["airtable.describe_base", { table: "Feedback" }]],
  ["was github PR 5 in kay-docs merged?", ["github.get_pull_request", { number: 5, repository: "kay-docs" }]],
  ["merge github PR 5 in kay-docs", ["github.merge_pull_request", { number: 5, repository: "kay-docs" }]],
  ["show the diff of PR 5 in kay-docs", ["github.get_pull_request", { number: 5, repository: "kay-docs", diff: true }]],
  ["log 2h on KAY-4", ["jira.log_work", { issue: "KAY-4", time: "2h" }]],
  ["link KAY-4 to KAY-5 as blocks", ["jira.link_issues", { issue: "KAY-4", other: "KAY-5", relation: "blocks" }]],
  ["did the checks of PR 5 in kay-docs pass?", ["github.list_checks", { number: 5, repository: "kay-docs" }]],
  ["set KAY-2 to Critical", ["jira.edit_issue", { issue: "KAY-2", priority: "Critical" }]],
  ["set KAY-2 to In Review", ["jira.transition_issue", { issue: "KAY-2", status: "In Review" }]],
  ["what's in the current sprint?", ["jira.search", { sprint: "current" }]],
  ["my issues in this sprint", ["jira.search", { assignee: "me", sprint: "current" }]],
  ["bugs in the sprint of KAY", ["jira.search", { type: "Bug", project: "KAY", sprint: "current" }]],
  [
    "open bugs in the next sprint of KAY",
    ["jira.search", { status: "open", type: "Bug", sprint: "next", project: "KAY" }],
  ],
  ["high priority bugs in KAY", ["jira.search", { priority: "High", project: "KAY", type: "Bug" }]],
  ["what's the priority of KAY-5?", ["jira.get_issue", { issue: "KAY-5" }]],
  ["assign KAY-6 to priya", ["jira.assign_issue", { issue: "KAY-6", assignee: "priya" }]],
  ["emails sent by marco", ["gmail.search", { sender: "marco" }]],
  ["in slack, who is tom?", ["slack.list_users", { name: "tom" }]],
  ["tell #general it works now", ["slack.send_message", { channel: "#general", text: "it works now" }]],
  [
    "create a bug in KAY called Login fails with priority High assigned to tom",
    ["jira.create_issue", { type: "Bug", project: "KAY", summary: "Login fails", priority: "High", assignee: "tom" }],
  ],
  [
    "what meetings do I have between 9 and 12 tomorrow?",
    ["google-calendar.list_events", { start: "2026-11-28T09:00:00", end: "2026-11-28T12:00:00" }],
  ],
  ["files changed since yesterday in drive", ["google-drive.search", { changedSince: "2026-11-26" }]],
  ["confluence pages changed since monday", ["confluence.search", { changedSince: "2026-11-23", type: "page" }]],
  ['rename KAY-8 to "Login loop"', ["jira.edit_issue", { issue: "KAY-8", summary: "Login loop" }]],
  [
    "create contact anna@acme.example Anna Berg",
    ["hubspot.create_contact", { email: "anna@acme.example", name: "Anna Berg" }],
  ],
  [
    "open issues in kay-cli labeled bug",
    ["github.list_issues", { state: "open", repository: "kay-cli", label: "bug" }],
  ],
  [
    "draft an email to sara@kay.example: subject Offer, body: please find it attached",
    ["gmail.create_draft", { to: "sara@kay.example", subject: "Offer", body: "please find it attached" }],
  ],
  [
    "close KAY-1, KAY-2, and KAY-3",
    ["jira.transition_issue", { issue: "KAY-1", status: "close" }],
    ["jira.transition_issue", { issue: "KAY-2", status: "close" }],
    ["jira.transition_issue", { issue: "KAY-3", status: "close" }],
  ],
  [
    "Which KAY issues with priority High have changed since Monday?",
    ["jira.search", { project: "KAY", priority: "High", updatedSince: "2026-11-23" }],
  ],
  ["my calendar from monday to wednesday", ["google-calendar.list_events", { start: "2026-11-30", end: "2026-12-02" }]],
  ["mail from last week", ["gmail.search", { after: "2026-11-16", before: "2026-11-23" }]],
  [
    "shwo me the open PRs on kay-backend",
    ["bitbucket.list_pull_requests", { repository: "kay-backend", state: "open" }],
  ],
  ['create an issue in kay-cli: "Bug"', ["github.create_issue", { repository: "kay-cli", title: "Bug" }]],
  ["create a deal called Acme renewal worth 5000", ["hubspot.create_deal", { name: "Acme renewal", amount: 5000 }]],
  [
    "list the bugs in KAY updated in the last 3 days",
    ["jira.search", { project: "KAY", type: "Bug", updatedSince: "2026-11-24" }],
  ],
  ['search jira for "sso login"', ["jira.search", { text: "sso login" }]],
  ["look up sara lindqvist in hubspot", ["hubspot.search_contacts", { text: "sara lindqvist" }]],
  ["the 2 oldest issues in KAY", ["jira.search", { project: "KAY", limit: 2, order: "oldest" }]],
  ["starred mails older than 30 days ⭐", ["gmail.search", { state: "starred", before: "2026-10-28" }]],
  ["KAY bugs that are not done", ["jira.search", { project: "KAY", type: "Bug", status: "open" }]],
  ["what hasnt been finished in KAY yet?", ["jira.search", { project: "KAY", status: "open" }]],
  [
    "am I free on tuesday at 3pm?",
    ["google-calendar.free_busy", { person: "me", start: "2026-12-01T15:00:00", end: "2026-12-01T16:00:00" }],
  ],
  [
    "B2:D10 from the Q4 tab of Budget 2026 please",
    ["google-sheets.read_range", { range: "B2:D10", sheet: "Q4", spreadsheet: "Budget 2026" }],
  ],
  [
    "Airtable, Feedback table, only rows where Status = New",
    ["airtable.list_records", { table: "Feedback", field: "Status", value: "New" }],
  ],
  ["which deals are above 5000?", ["hubspot.list_deals", { minAmount: 5000 }]],
  ["comment on KAY-3 that it works now", ["jira.add_comment", { issue: "KAY-3", text: "it works now" }]],
  ["reply to the last message in #general: thanks", ["slack.reply", { channel: "#general", text: "thanks" }]],
  ["set the due date of KAY-3 to monday", ["jira.edit_issue", { issue: "KAY-3", due: "2026-11-30" }]],
  ["what's in A1 of Budget 2026", ["google-sheets.read_range", { range: "A1", spreadsheet: "Budget 2026" }]],
  ["merged PRs in kay-cli on github", ["github.list_pull_requests", { state: "merged", repository: "kay-cli" }]],
  ["closed issues in kay-cli", ["github.list_issues", { state: "closed", repository: "kay-cli" }]],
  ["my drafts", ["gmail.search", { place: "drafts" }]],
  ["the open bugs in KAY now", ["jira.search", { status: "open", project: "KAY", type: "Bug" }]],
  ["deals closing this month", ["hubspot.list_deals", { closesAfter: "2026-11-01", closesBefore: "2026-11-30" }]],
  [
    "which bugs in KAY are not assigned to anyone?",
    ["jira.search", { project: "KAY", assignee: "nobody", type: "Bug" }],
  ],
  ["KAY issues due before 10 december", ["jira.search", { project: "KAY", dueBefore: "2026-12-09" }]],
  ["mails from tom in october", ["gmail.search", { sender: "tom", after: "2026-10-01", before: "2026-11-01" }]],
  ["my latest unread mail", ["gmail.search", { limit: 1, state: "unread" }]],
  ["files shared with me in drive", ["google-drive.search", { sharedWithMe: true }]],
  ["files owned by marco", ["google-drive.search", { owner: "marco" }]],
  [
    "what changed on main of kay-cli since monday",
    ["github.list_commits", { branch: "main", repository: "kay-cli", since: "2026-11-23" }],
  ],
  [
    "am I free tomorrow between 2 and 4pm?",
    ["google-calendar.free_busy", { person: "me", start: "2026-11-28T14:00:00", end: "2026-11-28T16:00:00" }],
  ],
  [
    "search for onboarding in confluence and notion",
    ["confluence.search", { text: "onboarding" }],
    ["notion.search", { text: "onboarding" }],
  ],
  ["put a :tada: on the last message in #random", ["slack.add_reaction", { emoji: ":tada:", channel: "#random" }]],
  ["KAY-9 is finished, mark it done", ["jira.transition_issue", { issue: "KAY-9", status: "done" }]],
  [
    'KAY-6 is fixed: comment "fixed in 1.4.2" on it and close it',
    ["jira.add_comment", { issue: "KAY-6", text: "fixed in 1.4.2" }],
    ["jira.transition_issue", { issue: "KAY-6", status: "close" }],
  ],
  [
    "tell #general the deploy is done 🎉",
    ["slack.send_message", { channel: "#general", text: "the deploy is done 🎉" }],
  ],
  ['dm tom "lunch?"', ["slack.send_message", { channel: "@tom", text: "lunch?" }]],
  [
    "draft (dont send!) a mail to a@kay.example, cc b@kay.example, subject Offsite, text: Does it work?",
    ["gmail.create_draft", { to: "a@kay.example", cc: "b@kay.example", subject: "Offsite", body: "Does it work?" }],
  ],
  [
    "put 'Pricing call' in my calendar on tuesday 3pm for 30 min and invite marco@kay.example",
    [
      "google-calendar.create_event",
      {
        title: "Pricing call",
        start: "2026-12-01T15:00:00",
        end: "2026-12-01T15:30:00",
        guests: "marco@kay.example",
      },
    ],
  ],
  [
    "push tomorrow's Design review to 4pm",
    ["google-calendar.update_event", { day: "2026-11-28", event: "Design review", start: "2026-11-28T16:00:00" }],
  ],
  [
    'append "Action: book the room" to the Meeting notes doc',
    ["google-docs.append_text", { text: "Action: book the room", document: "Meeting notes" }],
  ],
  [
    'add "Renew TLS cert" to the Tasks database in notion, Due 15 jan 2027',
    ["notion.add_row", { title: "Renew TLS cert", database: "Tasks", values: { Due: "2027-01-15" } }],
  ],
  [
    "new hubspot contact: Jonas Weber, jonas@acme.example, company Acme",
    ["hubspot.create_contact", { name: "Jonas Weber", email: "jonas@acme.example", company: "Acme" }],
  ],
  ["summarize #eng for me", ["slack.read_channel", { channel: "#eng" }]],
  ["close KAY-3 for me", ["jira.transition_issue", { issue: "KAY-3", status: "close" }]],
  ["can u tell sam the release is out", ["slack.send_message", { channel: "@sam", text: "the release is out" }]],
  ["anything in my inbox from Sam?", ["gmail.search", { place: "inbox", sender: "Sam" }]],
  ["next week's meetings", ["google-calendar.list_events", { start: "2026-11-30", end: "2026-12-06" }]],
  ["cancel the design review", ["google-calendar.delete_event", { event: "design review" }]],
  [
    "add event dentist on dec 3 at 10",
    ["google-calendar.create_event", { title: "dentist", start: "2026-12-03T10:00:00" }],
  ],
  ["shwo my opne tickets", ["jira.search", { assignee: "me", status: "open" }]],
  ["gimme all open issues in KAY", ["jira.search", { project: "KAY", status: "open" }]],
  ["bugs with high priority in KAY", ["jira.search", { project: "KAY", type: "Bug", priority: "High" }]],
  [
    'create issue "x" in KAY assigned to me with high priority',
    ["jira.create_issue", { project: "KAY", summary: "x", assignee: "me", priority: "High" }],
  ],
  ["i'd like to know what's open in KAY", ["jira.search", { project: "KAY", status: "open" }]],
  ["reassign KAY-7 to sam", ["jira.assign_issue", { issue: "KAY-7", assignee: "sam" }]],
  ["who is assigned to KAY-7?", ["jira.get_issue", { issue: "KAY-7" }]],
  ["the newest bug in KAY", ["jira.search", { project: "KAY", type: "Bug", order: "newest", limit: 1 }]],
  ["the latest 10 issues in KAY", ["jira.search", { project: "KAY", order: "newest", limit: 10 }]],
  ["KAY issues sorted by due date", ["jira.search", { project: "KAY", order: "due" }]],
  [
    "issues resolved in KAY since monday",
    ["jira.search", { project: "KAY", status: "done", resolvedSince: "2026-11-23" }],
  ],
  [
    "bugs reported by priya last week",
    ["jira.search", { type: "Bug", reporter: "priya", createdSince: "2026-11-16", createdBefore: "2026-11-23" }],
  ],
  [
    "report a bug in KAY: login is slow",
    ["jira.create_issue", { project: "KAY", type: "Bug", summary: "login is slow" }],
  ],
  [
    "what's on tomorrow afternoon?",
    ["google-calendar.list_events", { start: "2026-11-28T12:00:00", end: "2026-11-28T18:00:00" }],
  ],
  ["mails from this morning", ["gmail.search", { after: "2026-11-27T06:00:00", before: "2026-11-27T12:00:00" }]],
  ["when is the next Design review?", ["google-calendar.list_events", { text: "Design review" }]],
  ["who has to review pr 4 in kay-backend?", ["bitbucket.get_pull_request", { repository: "kay-backend", id: 4 }]],
  [
    "messages from tom in #random since yesterday",
    ["slack.search_messages", { from: "tom", channel: "#random", since: "2026-11-26", text: "" }],
  ],
  ["what did tom say in #general?", ["slack.search_messages", { from: "tom", channel: "#general", text: "" }]],
  [
    'create a task in KAY "Write notes" and post its key in #general',
    ["jira.create_issue", { project: "KAY", type: "Task", summary: "Write notes" }],
  ],
  ["list the pdfs in my drive", ["google-drive.search", { kind: "pdf", owner: "me" }]],
  ["which slides are in google drive?", ["google-drive.search", { kind: "presentation" }]],
  ["what changed in KAY since yesterday?", ["jira.search", { project: "KAY", updatedSince: "2026-11-26" }]],
  ["what's still left to do in KAY?", ["jira.search", { project: "KAY", status: "open" }]],
  [
    "medium prio bugs in KAY created since monday",
    ["jira.search", { priority: "Medium", project: "KAY", createdSince: "2026-11-23", type: "Bug" }],
  ],
  ["my meetings the day after tomorrow", ["google-calendar.list_events", { start: "2026-11-29" }]],
  ["open pull reqs in kay-backend", ["bitbucket.list_pull_requests", { repository: "kay-backend", state: "open" }]],
  ["open github prs by tom", ["github.list_pull_requests", { author: "tom", state: "open" }]],
  ["which deals does priya own?", ["hubspot.list_deals", { owner: "priya" }]],
  [
    "change the phone of Sara Lindqvist to +46 70 123",
    ["hubspot.update_contact", { contact: "Sara Lindqvist", phone: "+46 70 123" }],
  ],
  [
    "add a note to sara lindqvist in hubspot: no answer",
    ["hubspot.add_note", { contact: "sara lindqvist", text: "no answer" }],
  ],
  [
    "move my Design review on saturday to 3pm",
    ["google-calendar.update_event", { event: "Design review", day: "2026-11-28", start: "2026-11-28T15:00:00" }],
  ],
  ["cancel tomorrow's design review", ["google-calendar.delete_event", { event: "design review", day: "2026-11-28" }]],
  [
    "set the status of Renew TLS cert in notion to Done",
    ["notion.set_property", { property: "status", page: "Renew TLS cert", value: "Done" }],
  ],
  ["issues in Sprint 7", ["jira.search", { sprint: "Sprint 7" }]],
  ["whats in the Release checklist page on confluence", ["confluence.get_page", { page: "Release checklist" }]],
  ["confluence: Release checklist", ["confluence.get_page", { page: "Release checklist" }]],
  ["search notion: team handbook", ["notion.search", { text: "team handbook" }]],
  ["new page in ENG: Runbook", ["confluence.create_page", { space: "ENG", title: "Runbook" }]],
  ['any jira ticket mentioning "rate limit"?', ["jira.search", { text: "rate limit" }]],
  [
    "did anyone in #general mention the deploy yesterday?",
    ["slack.search_messages", { channel: "#general", text: "deploy", since: "2026-11-26", before: "2026-11-27" }],
  ],
  ["where is the email about invoice 2041?", ["gmail.search", { text: "invoice 2041" }]],
  ["who committed to kay-cli this week?", ["github.list_commits", { repository: "kay-cli", since: "2026-11-23" }]],
  ["which files did priya share with me?", ["google-drive.search", { owner: "priya", sharedWithMe: true }]],
  [
    "do i have time tomorrow between 10 and 12",
    ["google-calendar.free_busy", { person: "me", start: "2026-11-28T10:00:00", end: "2026-11-28T12:00:00" }],
  ],
  ['linkedin post "Hello world"', ["linkedin.create_post", { text: "Hello world" }]],
  [
    "add a page Ideas under Team handbook in notion",
    ["notion.create_page", { title: "Ideas", parent: "Team handbook" }],
  ],
  [
    "let everyone in #general know that the deploy is done",
    ["slack.send_message", { channel: "#general", text: "the deploy is done" }],
  ],
  [
    "create a task in KAY: turn it off and on",
    ["jira.create_issue", { type: "Task", project: "KAY", summary: "turn it off and on" }],
  ],
  [
    "post in #general: fix it, assign it to me",
    ["slack.send_message", { channel: "#general", text: "fix it, assign it to me" }],
  ],
  [
    "post A2:B4 of the Hiring tracker sheet in #general",
    ["google-sheets.read_range", { range: "A2:B4", spreadsheet: "Hiring tracker" }],
  ],
  ['KAY-8: comment "see log"', ["jira.add_comment", { issue: "KAY-8", text: "see log" }]],
  [
    "KAY-6: set priority to high, assign to me and move it to in progress",
    ["jira.edit_issue", { issue: "KAY-6", priority: "high" }],
    ["jira.assign_issue", { issue: "KAY-6", assignee: "me" }],
    ["jira.transition_issue", { issue: "KAY-6", status: "In Progress" }],
  ],
  [
    'close KAY-6 with the comment "fixed in 1.4.2"',
    ["jira.transition_issue", { issue: "KAY-6", status: "close" }],
    ["jira.add_comment", { issue: "KAY-6", text: "fixed in 1.4.2" }],
  ],
  [
    'post "We are live" on linkedin and in #general',
    ["linkedin.create_post", { text: "We are live" }],
    ["slack.send_message", { text: "We are live", channel: "#general" }],
  ],
  [
    "create a story in KAY called Dark mode, high prio, due friday",
    ["jira.create_issue", { type: "Story", project: "KAY", summary: "Dark mode", priority: "High", due: "2026-11-27" }],
  ],
];

test.each(SURE)("“%s” is understood to its last word", async (request, ...calls) => {
  expect((await plannerTalk().say(request)).calls).toEqual(calls);
});

test("an answer about one thing names the words it left out", async () => {
  const talk = plannerTalk();
  expect((await talk.say("what does the doc 'Q4 plan' say about hiring?")).calls).toEqual([
    ["google-docs.read_document", { document: "Q4 plan" }],
  ]);
  expect((await talk.results({ text: "# Q4 plan", data: {} })).text).toBe(
    "I left out “about hiring”, which I do not understand.\n\n# Q4 plan",
  );
});

test("a thing that one service lacks is searched in the next", async () => {
  const talk = plannerTalk();
  const first = await talk.say("show me the open PRs in kay-backend");
  expect(first.calls.map(([tool]) => tool)).toEqual(["bitbucket.list_pull_requests"]);
  const next = await talk.results({ code: "NOT_FOUND" });
  expect(next.calls).toEqual([["github.list_pull_requests", { repository: "kay-backend", state: "open" }]]);
  expect((await talk.results({ text: "1 pull request:", data: {} })).text).toBe("1 pull request:");
});

const CONNECTED: [connected: string[], request: string, ...tools: string[]][] = [
  [["github"], "which pull requests are open?", "github.list_pull_requests"],
  [
    ["bitbucket", "github"],
    "which pull requests are open?",
    "bitbucket.list_pull_requests",
    "github.list_pull_requests",
  ],
  [["github"], "which pull requests are open on bitbucket?", "bitbucket.list_pull_requests"],
  [["gmail"], "which pull requests are open?", "bitbucket.list_pull_requests"],
  [["notion"], 'comment on the page Plan: "nice"', "notion.comment"],
];

test.each(CONNECTED)("with %j connected, “%s” is for them", async (connected, request, ...expected) => {
  const { calls } = await plannerTalk(ALL_TOOLS, { connected }).say(request);
  expect(calls.map(([tool]) => tool)).toEqual(expected);
});

test.each([
  ["delete the email from tom", undefined],
  ["forward the mail from tom to priya", "forward the email <message> to sam@example.com"],
  ["star the repo acme/web", "star the email <message>"],
  ["archive the mail from tom", "archive the email <message>"],
  ["who viewed pr 12 in acme/web", "show open PRs"],
])("the nearest to “%s” is not another deed: %s", async (request, nearest) => {
  const { calls, text = "" } = await plannerTalk().say(request);
  expect([calls, /The nearest thing that I can do is “(.*?)”/.exec(text)?.[1]]).toEqual([[], nearest]);
});

test.each(["page Plan", "Plan page"])("a write on the %s, which fits two services, asks the user", async (page) => {
  const { calls, text } = await plannerTalk().say(`comment on the ${page}: "nice"`);
  expect([calls, text]).toEqual([
    [],
    expect.stringMatching(/^Both Notion and Confluence can do that\. Name the service/),
  ]);
});

test("a record fits Airtable in its own word, and a spreadsheet in a wider sense", async () => {
  const { calls, text } = await plannerTalk().say("add a record to Feedback: Name Foo, Status New");
  expect([calls, text]).toEqual([[], expect.stringMatching(/^Both Google Sheets and Airtable can do that/)]);
});

test("“it” is never a thing of another service", async () => {
  const talk = plannerTalk();
  await talk.say("show KAY-3");
  await talk.results({ text: "KAY-3", data: { key: "KAY-3" } });
  expect((await talk.say("trash it")).calls).toEqual([]);
});

const AGAIN: [first: string, change: string, input: object][] = [
  ["open bugs in KAY", "same but for OPS", { status: "open", project: "OPS", type: "Bug" }],
  ["the open issues in KAY", "only the bugs", { project: "KAY", status: "open", type: "Bug" }],
  ["unread mails from priya", "and from tom?", { state: "unread", sender: "tom" }],
  ["events this week", "same for next week", { start: "2026-11-30", end: "2026-12-06" }],
  ["show my PRs on github", "and the closed ones?", { author: "me", state: "closed" }],
  ["my meetings today", "tomorrow?", { start: "2026-11-28" }],
  ["my meetings today", "and next week", { start: "2026-11-30", end: "2026-12-06" }],
  ["what is new in #general today", "and #eng?", { channel: "#eng", since: "2026-11-27" }],
  ["open bugs in KAY", "OPS", { status: "open", project: "OPS", type: "Bug" }],
  ["show KAY-7", "no, KAY-8", { issue: "KAY-8" }],
  ["open bugs in KAY", "how many are there?", { status: "open", project: "KAY", type: "Bug" }],
  ["what did sam write this week", "and priya?", { from: "priya", since: "2026-11-23", text: "" }],
  ["show KAY-7", "sorry i meant KAY-8", { issue: "KAY-8" }],
];

test.each(AGAIN)("after “%s”, “%s” looks again with other values", async (first, change, input) => {
  const talk = plannerTalk();
  const [[tool] = []] = (await talk.say(first)).calls;
  await talk.results({ text: "2 entries:", data: { items: [{ id: "a" }, { id: "b" }] } });
  expect((await talk.say(change)).calls).toEqual([[tool, input]]);
  await talk.results({ text: "2 entries:", data: { items: [{ id: "a" }, { id: "b" }] } });
  expect((await talk.say("only the purple ones")).calls).toEqual([]);
});

test.each([
  ["what does the newest mail from tom say?", { message: "m1" }],
  ["read my latest email", { message: "m1" }],
  ["reply to the latest mail from priya saying thanks", { message: "m1", body: "thanks" }],
])("“%s” finds one mail and is about it", async (request, input) => {
  const talk = plannerTalk();
  expect((await talk.say(request)).calls).toMatchObject([["gmail.search", { limit: 1 }]]);
  const { calls } = await talk.results({ text: "1 email:", data: { messages: [{ id: "m1", subject: "S" }] } });
  expect(calls.map((call) => call[1])).toEqual([input]);
});

test.each([
  ["star it", { message: "m1", label: "starred" }],
  ["star the newest mail from tom", { message: "m1", label: "starred" }],
])("after a mail, “%s” stars it", async (request, input) => {
  const talk = plannerTalk();
  const found = { text: "1 email:", data: { messages: [{ id: "m1", subject: "S" }] } };
  await talk.say("show my newest mail");
  await talk.results(found);
  const { calls } = await talk.say(request);
  expect(request === "star it" ? calls : (await talk.results(found)).calls).toEqual([["gmail.label", input]]);
});

test("what is to be done with a new thing is no part of its title", async () => {
  const talk = plannerTalk();
  expect((await talk.say("new task in KAY: update the docs, assign it to me")).calls).toEqual([
    ["jira.create_issue", { type: "Task", project: "KAY", summary: "update the docs" }],
  ]);
  expect((await talk.results({ text: "Created.", data: { key: "KAY-13" } })).calls).toEqual([
    ["jira.assign_issue", { issue: "KAY-13", assignee: "me" }],
  ]);
});

test("news of a repository are looked for in GitHub when no channel has its name", async () => {
  const talk = plannerTalk();
  expect((await talk.say("what's new in kay-cli")).calls).toEqual([["slack.read_channel", { channel: "kay-cli" }]]);
  expect((await talk.results({ code: "NOT_FOUND" })).calls).toEqual([
    ["github.list_commits", { repository: "kay-cli" }],
  ]);
});

test("“both” are the things of the last two looks", async () => {
  const talk = plannerTalk();
  for (const key of ["KAY-3", "KAY-4"]) {
    await talk.say(`show ${key}`);
    await talk.results({ text: key, data: { key } });
  }
  expect((await talk.say("close both")).calls).toEqual([
    ["jira.transition_issue", { issue: "KAY-3", status: "close" }],
    ["jira.transition_issue", { issue: "KAY-4", status: "close" }],
  ]);
});

test("“these commits” that were piped in are not a list of GitHub, and no repository is requested", async () => {
  const { calls, text } = await plannerTalk().say("summarize these commits");
  expect([calls, text]).toEqual([[], expect.stringContaining("language model")]);
});

test("“her” is the only person in the last result", async () => {
  const talk = plannerTalk();
  await talk.say("show KAY-11");
  await talk.results({ text: "KAY-11", data: { key: "KAY-11", reporter: "Priya Nair", assignee: null } });
  expect((await talk.say("assign it to her")).calls).toEqual([
    ["jira.assign_issue", { issue: "KAY-11", assignee: "Priya Nair" }],
  ]);
});

const TALK: [request: string, words: RegExp][] = [
  ["hey kay 👋", /^Hello!/],
  ["thx, thats all for today!", /^You are welcome\.$/],
  ["which model are you?", /^I am kay's offline planner: rules, not a language model\..*`kay model list`/],
  ["how do I use a real model", /`kay model list`/],
  ["connect an openai key", /`kay model list`/],
  ["how are you?", /^All is well/],
  [
    "Welche Termine hab ich übermorgen?",
    /^The offline planner reads English only\. A language model reads any language\./,
  ],
  ["Schließe KAY-3", /^The offline planner reads English only\./],
  ["Montre-moi mes tickets ouverts", /^The offline planner reads English only\./],
  ["¿qué reuniones tengo mañana?", /^The offline planner reads English only\./],
  ["покажи мои задачи", /^The offline planner reads English only\./],
  ["book pizza for José", /^I do not know how to do “book pizza for José”/],
];

test.each(TALK)("“%s” gets a short answer", async (request, words) => {
  const { calls, text } = await plannerTalk().say(request);
  expect([calls, text]).toEqual([[], expect.stringMatching(words)]);
  expect(text?.length).toBeLessThan(300);
});

test("what two services were asked together is asked of both again, and “the first one” of both is neither", async () => {
  const talk = plannerTalk(ALL_TOOLS, { connected: ["jira", "github"] });
  expect((await talk.say("show my open issues")).calls.map(([tool]) => tool)).toEqual([
    "jira.search",
    "github.list_issues",
  ]);
  const results = [
    { text: "1 issue", data: { issues: [{ key: "KAY-1" }] } },
    { text: "1 issue", data: { issues: [{ repository: "acme/web", number: 1 }] } },
  ];
  await talk.results(...results);
  expect((await talk.say("show the first one")).calls).toEqual([]);
  expect((await talk.say("and the closed ones?")).calls).toEqual([
    ["jira.search", { assignee: "me", status: "done" }],
    ["github.list_issues", { assignee: "me", state: "closed" }],
  ]);
});

test.each([
  ["show bugs", "the second one", ["jira.get_issue", { issue: "KAY-2" }]],
  ["show bugs", "open the second one", ["jira.get_issue", { issue: "KAY-2" }]],
  ["my meetings today", "show the first one", undefined],
])("after “%s”, “%s” shows that one, or nothing", async (first, next, call) => {
  const talk = plannerTalk();
  await talk.say(first);
  await talk.results({ text: "2 entries:", data: { items: [{ key: "KAY-1" }, { key: "KAY-2" }] } });
  expect((await talk.say(next)).calls).toEqual(call ? [call] : []);
});
