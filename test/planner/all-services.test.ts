import { expect, test } from "vitest";
import { configureServices } from "#connectors/catalogue";
import { modelTools, plannerTalk, type Reply } from "#test/planner";

const tools = modelTools(configureServices({ clients: {} }).map(({ service }) => service));

/** Requests that fit several services. */
const UNDERSTOOD: [request: string, ...calls: Reply["calls"]][] = [
  ["what is open in project KAY?", ["jira.search", { project: "KAY", status: "open" }]],
  ["what is not done in KAY?", ["jira.search", { project: "KAY", status: "open" }]],
  ['search for "SSO loop" in KAY', ["jira.search", { project: "KAY", text: "SSO loop" }]],
  ["open a ticket in KAY about slow search", ["jira.create_issue", { project: "KAY", summary: "slow search" }]],
  ["close KAY-3", ["jira.transition_issue", { issue: "KAY-3", status: "close" }]],
  ["comment on KAY-3: looks good", ["jira.add_comment", { issue: "KAY-3", text: "looks good" }]],
  ["find pages about onboarding", ["confluence.search", { text: "onboarding", type: "page" }]],
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
  ["which spaces are there in confluence?", ["confluence.list_spaces", {}]],
  ["merge pull request 7 in web", ["bitbucket.merge_pull_request", { id: 7, repository: "web" }]],
  ["approve PR 7 in web", ["bitbucket.approve_pull_request", { id: 7, repository: "web" }]],
  ["decline pull request 7 in web", ["bitbucket.decline_pull_request", { id: 7, repository: "web" }]],
  ["list bitbucket repositories", ["bitbucket.list_repositories", {}]],
  ["list my github repositories", ["github.list_repositories", {}]],
  ["list jira projects", ["jira.list_projects", {}]],
  ["list open issues in github", ["github.list_issues", { state: "open" }]],
  ["what is new in #general?", ["slack.read_channel", { channel: "#general" }]],
  ["search notion for onboarding", ["notion.search", { text: "onboarding" }]],
  [
    "mark the contact Leo Costa as customer",
    ["hubspot.update_contact", { contact: "Leo Costa", lifecycle_stage: "customer" }],
  ],
  ["mark the deal Fabrikam as lost", ["hubspot.move_deal", { deal: "Fabrikam", stage: "lost" }]],
  // one after the other, every service
  ["list all bugs in OPS", ["jira.search", { project: "OPS", type: "Bug" }]],
  ["show the page Release plan", ["confluence.get_page", { page: "Release plan" }]],
  ["list the pages in space DOCS", ["confluence.search", { space: "DOCS", type: "page" }]],
  ["show open PRs in kay-cli", ["bitbucket.list_pull_requests", { repository: "kay-cli", state: "open" }]],
  ["list slack channels", ["slack.list_channels", {}]],
  ["read #general", ["slack.read_channel", { channel: "#general" }]],
  ["who is Mia in slack?", ["slack.list_users", { name: "Mia" }]],
  ["react with eyes in #general", ["slack.add_reaction", { channel: "#general", emoji: "eyes" }]],
  ["list my github issues", ["github.list_issues", { assignee: "me" }]],
  ["show my pull requests", ["github.list_pull_requests", { author: "me" }]],
  ["show github pull request 5 in kay-docs", ["github.get_pull_request", { repository: "kay-docs", number: 5 }]],
  ["search github for login", ["github.search", { text: "login" }]],
  ["show my unread emails", ["gmail.search", { state: "unread" }]],
  ['reply to the email "Release 1.4": Yes', ["gmail.reply", { message: "Release 1.4", body: "Yes" }]],
  ['mark the email "Nightly jobs" as read', ["gmail.label", { message: "Nightly jobs", label: "read" }]],
  [
    "send an email to sam@example.com saying the build is green",
    ["gmail.send_message", { to: "sam@example.com", body: "the build is green" }],
  ],
  ["what's on my calendar tomorrow?", ["google-calendar.list_events", { start: "2026-11-28" }]],
  ["schedule Dentist on 2026-12-24", ["google-calendar.create_event", { title: "Dentist", start: "2026-12-24" }]],
  ["cancel Standup", ["google-calendar.delete_event", { event: "Standup" }]],
  ["read the document Minutes", ["google-docs.read_document", { document: "Minutes" }]],
  ['show the spreadsheet "Budget 2026"', ["google-sheets.read_range", { spreadsheet: "Budget 2026" }]],
  [
    'add a row to the spreadsheet "Budget 2026": Rent, 900',
    ["google-sheets.append_rows", { spreadsheet: "Budget 2026", text: "Rent, 900" }],
  ],
  ["find files about offers", ["google-drive.search", { text: "offers" }]],
  ["create a folder Plans in Kay", ["google-drive.create_folder", { title: "Plans", parent: "Kay" }]],
  [
    'share the file "Budget 2026" with sam@example.com',
    ["google-drive.share_file", { file: "Budget 2026", person: "sam@example.com" }],
  ],
  ['show the notion page "Release plan 1.0"', ["notion.get_page", { page: "Release plan 1.0" }]],
  ["list my airtable bases", ["airtable.list_bases", {}]],
  ["show my deals", ["hubspot.list_deals", { owner: "me" }]],
  ["create a contact Ann Lee at Acme", ["hubspot.create_contact", { name: "Ann Lee", company: "Acme" }]],
  ["post on linkedin: kay 1.0 is out", ["linkedin.create_post", { text: "kay 1.0 is out" }]],
  ["who am I on LinkedIn?", ["linkedin.me", {}]],
  // several in one sentence
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
];

test.each(UNDERSTOOD)("among all services “%s” is understood", async (request, ...calls) => {
  const reply = await plannerTalk(tools).say(request);
  expect({ text: reply.text, calls: reply.calls }).toEqual({ text: undefined, calls });
});
