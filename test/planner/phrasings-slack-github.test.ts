import { expect, test } from "vitest";
import { bitbucket } from "#connectors/bitbucket/bitbucket";
import { confluence } from "#connectors/confluence/confluence";
import { github } from "#connectors/github/github";
import { jira } from "#connectors/jira/jira";
import { slack } from "#connectors/slack/slack";
import { expectCalls, modelTools, type Phrasing, plannerTalk } from "#test/planner";

const tools = modelTools([jira, confluence, bitbucket, slack, github]);

const UNDERSTOOD: Phrasing[] = [
  // Slack
  ["list slack channels", ["slack.list_channels", {}]],
  ["which channels are there in slack?", ["slack.list_channels", {}]],
  ["what is new in #general?", ["slack.read_channel", { channel: "#general" }]],
  ["read #engineering", ["slack.read_channel", { channel: "#engineering" }]],
  ["show the latest messages in #general", ["slack.read_channel", { channel: "#general" }]],
  ["summarise #general", ["slack.read_channel", { channel: "#general" }]],
  ["what did people say in #general", ["slack.read_channel", { channel: "#general" }]],
  ["search slack for nightly build", ["slack.search_messages", { text: "nightly build" }]],
  ["find messages about the release in #general", ["slack.search_messages", { text: "release", channel: "#general" }]],
  ["send hello to #general", ["slack.send_message", { channel: "#general", text: "hello" }]],
  [
    "send a message to #general: Build is green",
    ["slack.send_message", { channel: "#general", text: "Build is green" }],
  ],
  ['post "lunch?" in #random', ["slack.send_message", { channel: "#random", text: "lunch?" }]],
  ["post in #general: we ship at 5", ["slack.send_message", { channel: "#general", text: "we ship at 5" }]],
  ["tell @sam that the build is green", ["slack.send_message", { channel: "@sam", text: "the build is green" }]],
  ["message @sam: can you review KAY-1?", ["slack.send_message", { channel: "@sam", text: "can you review KAY-1?" }]],
  ["send Sam Sample a message: hi there", ["slack.send_message", { channel: "Sam Sample", text: "hi there" }]],
  ["reply in #general: on it", ["slack.reply", { channel: "#general", text: "on it" }]],
  ["react with eyes in #general", ["slack.add_reaction", { channel: "#general", emoji: "eyes" }]],
  ["who is Mia in slack?", ["slack.list_users", { name: "Mia" }]],
  ["list people in slack", ["slack.list_users", {}]],
  // GitHub
  ["list github issues in kay-docs", ["github.list_issues", { repository: "kay-docs" }]],
  [
    "show open github issues in kay-demo/kay-docs",
    ["github.list_issues", { repository: "kay-demo/kay-docs", state: "open" }],
  ],
  ["list my github issues", ["github.list_issues", { assignee: "me" }]],
  ["show github issue 3 in kay-docs", ["github.get_issue", { repository: "kay-docs", number: 3 }]],
  ["show issue 3 in kay-docs", ["github.get_issue", { repository: "kay-docs", number: 3 }]],
  ["close issue 3 in kay-docs", ["github.close_issue", { repository: "kay-docs", number: 3 }]],
  [
    "comment on issue 3 in kay-docs: looks good",
    ["github.comment", { repository: "kay-docs", number: 3, text: "looks good" }],
  ],
  [
    "create a github issue in kay-docs: Dead link",
    ["github.create_issue", { repository: "kay-docs", title: "Dead link" }],
  ],
  [
    "show open github pull requests in kay-docs",
    ["github.list_pull_requests", { repository: "kay-docs", state: "open" }],
  ],
  ["show github pull request 5 in kay-docs", ["github.get_pull_request", { repository: "kay-docs", number: 5 }]],
  ["search github for login", ["github.search", { text: "login" }]],
];

test.each(UNDERSTOOD)("“%s” is understood", expectCalls);

test("a request without a channel asks for one, and nothing is sent", async () => {
  const talk = plannerTalk(tools);
  const reply = await talk.say("send a message on slack: hello");
  expect(reply.calls).toEqual([]);
});

test.each([
  ["post a summary to #eng", "Slack"],
  ["translate KAY-3 to German", "Jira"],
])("“%s” is not understood, and what is named says which tool is nearest", async (request, service) => {
  const reply = await plannerTalk(tools).say(request);
  expect(reply).toMatchObject({ calls: [], text: expect.stringMatching(`The nearest thing .*\\(${service}\\)`) });
});
