import { expect, test } from "vitest";
import { configureServices } from "#backend/services/catalogue";
import { modelTools, plannerTalk, type Reply } from "#test/planner";

const tools = modelTools(configureServices({ clients: {} }).map(({ service }) => service));

/** Requests that several services could take for theirs. */
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
];

test.each(UNDERSTOOD)("among all services “%s” is understood", async (request, ...calls) => {
  const reply = await plannerTalk(tools).say(request);
  expect({ text: reply.text, calls: reply.calls }).toEqual({ text: undefined, calls });
});
