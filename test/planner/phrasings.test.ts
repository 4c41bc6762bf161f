import { expect, test } from "vitest";
import { bitbucket } from "#connectors/bitbucket/bitbucket";
import { confluence } from "#connectors/confluence/confluence";
import { jira } from "#connectors/jira/jira";
import { expectCalls, modelTools, type Phrasing, plannerTalk } from "#test/planner";

const tools = modelTools([jira, confluence, bitbucket]);

const UNDERSTOOD: Phrasing[] = [
  // reading lists
  ["what is open in project KAY?", ["jira.search", { project: "KAY", status: "open" }]],
  ["what's open in KAY", ["jira.search", { project: "KAY", status: "open" }]],
  ["hey kay, could you show me what's open in OPS please", ["jira.search", { project: "OPS", status: "open" }]],
  ["show my open bugs in KAY", ["jira.search", { project: "KAY", status: "open", assignee: "me", type: "Bug" }]],
  ["list all bugs in KAY", ["jira.search", { project: "KAY", type: "Bug" }]],
  ["which bugs are open in KAY?", ["jira.search", { project: "KAY", status: "open", type: "Bug" }]],
  ["show me the open issues in OPS", ["jira.search", { project: "OPS", status: "open" }]],
  ["show me all the tickets that are in progress in KAY", ["jira.search", { project: "KAY", status: "In Progress" }]],
  ["what is assigned to me?", ["jira.search", { assignee: "me" }]],
  ["my open issues", ["jira.search", { status: "open", assignee: "me" }]],
  ["what am I working on?", ["jira.search", { assignee: "me" }]],
  ["unassigned tasks in KAY", ["jira.search", { project: "KAY", assignee: "nobody", type: "Task" }]],
  ["what is not done in KAY?", ["jira.search", { project: "KAY", status: "open" }]],
  ["list closed bugs in KAY", ["jira.search", { project: "KAY", status: "done", type: "Bug" }]],
  ["all epics in OPS", ["jira.search", { project: "OPS", type: "Epic" }]],
  ["what is Mia working on in KAY?", ["jira.search", { project: "KAY", assignee: "Mia" }]],
  ["tickets assigned to Mia Chen in KAY", ["jira.search", { project: "KAY", assignee: "Mia Chen" }]],
  ["find issues about login", ["jira.search", { text: "login" }]],
  ['search for "SSO loop" in KAY', ["jira.search", { text: "SSO loop", project: "KAY" }]],
  ["show 5 bugs in KAY", ["jira.search", { project: "KAY", type: "Bug", limit: 5 }]],
  // reading one thing
  ["show KAY-3", ["jira.get_issue", { issue: "KAY-3" }]],
  ["KAY-3", ["jira.get_issue", { issue: "KAY-3" }]],
  ["open kay-3", ["jira.get_issue", { issue: "KAY-3" }]],
  ["what is the status of KAY-3?", ["jira.get_issue", { issue: "KAY-3" }]],
  ["who works on KAY-3", ["jira.get_issue", { issue: "KAY-3" }]],
  ["tell me about kay-3", ["jira.get_issue", { issue: "KAY-3" }]],
  ["summarise KAY-3", ["jira.get_issue", { issue: "KAY-3" }]],
  ["is KAY-3 done?", ["jira.get_issue", { issue: "KAY-3" }]],
  ["did Mia close KAY-3?", ["jira.get_issue", { issue: "KAY-3" }]],
  ["should I close KAY-3?", ["jira.get_issue", { issue: "KAY-3" }]],
  ["show the comments on KAY-3", ["jira.get_issue", { issue: "KAY-3" }]],
  // changing
  ["kay bugs, assigned to priya", ["jira.search", { project: "KAY", type: "Bug", assignee: "priya" }]],
  ["what's left in OPS", ["jira.search", { project: "OPS", status: "open" }]],
  ["make KAY-3 low priority", ["jira.edit_issue", { issue: "KAY-3", priority: "Low" }]],
  ["reply to KAY-8 with “on monday”", ["jira.add_comment", { issue: "KAY-8", text: "on monday" }]],
  [
    "Ideas records in airtable where Stage is Draft",
    ["airtable.list_records", { table: "Ideas", field: "Stage", value: "Draft" }],
  ],
  ["which files did lena share with me", ["google-drive.search", { owner: "lena", sharedWithMe: true }]],
  [
    "add a row to Costs with 17, Paper, 30",
    ["google-sheets.append_rows", { spreadsheet: "Costs", text: "17, Paper, 30" }],
  ],
  ["close KAY-3", ["jira.transition_issue", { issue: "KAY-3", status: "close" }]],
  ["can you close KAY-3 please?", ["jira.transition_issue", { issue: "KAY-3", status: "close" }]],
  ["resolve kay-3", ["jira.transition_issue", { issue: "KAY-3", status: "close" }]],
  ["I'd like you to reopen KAY-3", ["jira.transition_issue", { issue: "KAY-3", status: "reopen" }]],
  ["start KAY-2", ["jira.transition_issue", { issue: "KAY-2", status: "start" }]],
  ["move KAY-2 to in progress", ["jira.transition_issue", { issue: "KAY-2", status: "In Progress" }]],
  ["mark KAY-2 as done", ["jira.transition_issue", { issue: "KAY-2", status: "done" }]],
  ["assign KAY-3 to me", ["jira.assign_issue", { issue: "KAY-3", assignee: "me" }]],
  ["assign KAY-3 to Mia Chen", ["jira.assign_issue", { issue: "KAY-3", assignee: "Mia Chen" }]],
  ["give KAY-4 to nobody", ["jira.assign_issue", { issue: "KAY-4", assignee: "nobody" }]],
  ["unassign KAY-3", ["jira.assign_issue", { issue: "KAY-3", assignee: "nobody" }]],
  ["comment on KAY-3: looks good", ["jira.add_comment", { issue: "KAY-3", text: "looks good" }]],
  [
    "add a comment to KAY-3 saying I will look at it tomorrow",
    ["jira.add_comment", { issue: "KAY-3", text: "I will look at it tomorrow" }],
  ],
  ["tell KAY-3 that it is fixed in 2.1", ["jira.add_comment", { issue: "KAY-3", text: "it is fixed in 2.1" }]],
  // creating
  [
    "create a bug in KAY: Login fails on Safari",
    ["jira.create_issue", { project: "KAY", type: "Bug", summary: "Login fails on Safari" }],
  ],
  [
    "create a task in OPS: rotate keys and restart the servers",
    ["jira.create_issue", { project: "OPS", type: "Task", summary: "rotate keys and restart the servers" }],
  ],
  [
    'new bug in KAY: "Crash on start"',
    ["jira.create_issue", { project: "KAY", type: "Bug", summary: "Crash on start" }],
  ],
  [
    "file a high priority bug in KAY called Payment page is blank",
    ["jira.create_issue", { project: "KAY", type: "Bug", priority: "High", summary: "Payment page is blank" }],
  ],
  [
    "create a high priority bug in KAY for Mia Chen: Payment page blank",
    [
      "jira.create_issue",
      { project: "KAY", type: "Bug", priority: "High", assignee: "Mia Chen", summary: "Payment page blank" },
    ],
  ],
  ["open a ticket in KAY about slow search", ["jira.create_issue", { project: "KAY", summary: "slow search" }]],
  [
    'please create a new story in KAY titled "Dark mode"',
    ["jira.create_issue", { project: "KAY", type: "Story", summary: "Dark mode" }],
  ],
  // other services
  ["find pages about onboarding", ["confluence.search", { text: "onboarding", type: "page" }]],
  ["search confluence for release notes", ["confluence.search", { text: "release notes" }]],
  ["show the page Onboarding", ["confluence.get_page", { page: "Onboarding" }]],
  ['read the page "Release checklist"', ["confluence.get_page", { page: "Release checklist" }]],
  ["open pull requests in kay-cli", ["bitbucket.list_pull_requests", { repository: "kay-cli", state: "open" }]],
  ["show open PRs in kay-cli", ["bitbucket.list_pull_requests", { repository: "kay-cli", state: "open" }]],
  ["which pull requests are open?", ["bitbucket.list_pull_requests", { state: "open" }]],
  ["show pull request 12 in kay-cli", ["bitbucket.get_pull_request", { repository: "kay-cli", id: 12 }]],
  [
    "create a confluence page called Plan in KAY saying hello there",
    ["confluence.create_page", { title: "Plan", space: "KAY", text: "hello there" }],
  ],
  [
    "append to the confluence page Plan: and more",
    ["confluence.update_page", { page: "Plan", text: "and more", mode: "append" }],
  ],
  [
    "add to the confluence page Plan: replace the filter weekly",
    ["confluence.update_page", { page: "Plan", text: "replace the filter weekly" }],
  ],
  ["comment on the confluence page Plan: looks good", ["confluence.add_comment", { page: "Plan", text: "looks good" }]],
  ["show the comments on the confluence page Plan", ["confluence.list_comments", { page: "Plan" }]],
  ["which spaces are there in confluence?", ["confluence.list_spaces", {}]],
  ["merge pull request 7 in web", ["bitbucket.merge_pull_request", { id: 7, repository: "web" }]],
  ["approve PR 7 in web", ["bitbucket.approve_pull_request", { id: 7, repository: "web" }]],
  ["decline pull request 7 in web", ["bitbucket.decline_pull_request", { id: 7, repository: "web" }]],
  ["list bitbucket repositories", ["bitbucket.list_repositories", {}]],
  ["list my github repositories", ["github.list_repositories", {}]],
  ["list jira projects", ["jira.list_projects", {}]],
  ["list open issues in github", ["github.list_issues", { state: "open" }]],
  ["list all bugs in OPS", ["jira.search", { project: "OPS", type: "Bug" }]],
  ["show the page Release plan", ["confluence.get_page", { page: "Release plan" }]],
  ["list the pages in space DOCS", ["confluence.search", { space: "DOCS", type: "page" }]],
  ["read #general", ["slack.read_channel", { channel: "#general" }]],
  ["show my pull requests", ["github.list_pull_requests", { author: "me" }]],
  [
    "send an email to sam@example.com saying the build is green",
    ["gmail.send_message", { to: "sam@example.com", body: "the build is green" }],
  ],
  ["cancel Standup", ["google-calendar.delete_event", { event: "Standup" }]],
  ["read the document Minutes", ["google-docs.read_document", { document: "Minutes" }]],
  [
    'add a row to the spreadsheet "Budget 2026": Rent, 900',
    ["google-sheets.append_rows", { spreadsheet: "Budget 2026", text: "Rent, 900" }],
  ],
  ["post on linkedin: kay 1.0 is out", ["linkedin.create_post", { text: "kay 1.0 is out" }]],
  ["show the open bugs in KAY", ["jira.search", { project: "KAY", status: "open", type: "Bug" }]],
  ["move KAY-2 to In Review", ["jira.transition_issue", { issue: "KAY-2", status: "In Review" }]],
  ["create a bug in KAY: Login fails", ["jira.create_issue", { project: "KAY", type: "Bug", summary: "Login fails" }]],
  // several at once
  [
    "what is new in #general and what is open in KAY",
    ["slack.read_channel", { channel: "#general" }],
    ["jira.search", { project: "KAY", status: "open" }],
  ],
  [
    "close KAY-1 and KAY-2, then add Dentist to my calendar on Friday at 9am",
    ["jira.transition_issue", { issue: "KAY-1", status: "close" }],
    ["jira.transition_issue", { issue: "KAY-2", status: "close" }],
    ["google-calendar.create_event", { title: "Dentist", start: "2026-12-04T09:00:00" }],
  ],
  [
    "close KAY-1, KAY-2 and KAY-4",
    ["jira.transition_issue", { issue: "KAY-1", status: "close" }],
    ["jira.transition_issue", { issue: "KAY-2", status: "close" }],
    ["jira.transition_issue", { issue: "KAY-4", status: "close" }],
  ],
  [
    "close KAY-3 and create a task in OPS: rotate keys",
    ["jira.transition_issue", { issue: "KAY-3", status: "close" }],
    ["jira.create_issue", { project: "OPS", type: "Task", summary: "rotate keys" }],
  ],
  [
    "show KAY-3 and comment on it: looks good",
    ["jira.get_issue", { issue: "KAY-3" }],
    ["jira.add_comment", { issue: "KAY-3", text: "looks good" }],
  ],
  [
    "close KAY-3, then move KAY-2 to in progress and comment on KAY-2: taking it",
    ["jira.transition_issue", { issue: "KAY-3", status: "close" }],
    ["jira.transition_issue", { issue: "KAY-2", status: "In Progress" }],
    ["jira.add_comment", { issue: "KAY-2", text: "taking it" }],
  ],
];

test.each(UNDERSTOOD)("“%s” is understood", expectCalls);

const WORDS: [request: string, words: RegExp][] = [
  ["hello", /^Hello! I can work on Jira, Confluence and Bitbucket\./],
  ["thanks!", /^You are welcome\.$/],
  ["What can you help me with?", /^I can help you with Jira, Confluence and Bitbucket\./],
  ["I need help with Jira", /^I can help you with Jira\./],
  ["create a bug in KAY", /I need the summary\. \(Summary of the issue/],
  ["create a ticket for my latest commit", /\*\*project\*\*[\s\S]*\*\*summary\*\*/],
  ["close it", /I need the issue\. \(Key of the issue, such as KAY-3\.\)/],
  ["don't close KAY-3", /^I did nothing, since you said “don't close KAY-3”\.$/],
  ["do not close KAY-3", /^I did nothing/],
  ["how do I close KAY-3?", /The nearest thing that I can do is “close KAY-3” \(Jira\)\./],
  ["order a pizza", /^I do not know how to do “order a pizza”/],
  ["delete KAY-3", /^I do not know how to do “delete KAY-3”/],
  ["Delete all tickets in project PROJ", /^I do not know how to do/],
  ["deploy KAY to production", /^I do not know how to do/],
  ["send the open bugs to #general", /^I do not know how to do/],
  ["list my deployments", /^I do not know how to do/],
  ["what's the weather", /^I do not know how to do/],
];

test.each(WORDS)("“%s” is answered in words, and nothing is called", async (request, words) => {
  const reply = await plannerTalk(tools).say(request);
  expect(reply.calls).toEqual([]);
  expect(reply.text).toMatch(words);
});
