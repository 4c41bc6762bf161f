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
