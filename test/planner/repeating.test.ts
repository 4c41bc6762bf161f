import { expect, test } from "vitest";
import { plannerTalk } from "#test/planner";

const REPEATED: [first: string, again: string, tool: string, input: object][] = [
  ['comment "wait" on KAY-8', "same for KAY-5", "jira.add_comment", { issue: "KAY-5", text: "wait" }],
  ['post "hi" in #general', "the same in #random", "slack.send_message", { channel: "#random", text: "hi" }],
  ['dm tom "hi"', "no, I meant Priya", "slack.send_message", { channel: "@Priya", text: "hi" }],
  ["assign KAY-3 to sam", "sorry, i meant mia", "jira.assign_issue", { issue: "KAY-3", assignee: "mia" }],
  ["close KAY-9", "no, KAY-3", "jira.transition_issue", { issue: "KAY-3", status: "close" }],
];

test.each(REPEATED)("after “%s”, “%s” makes the change for another thing", async (first, again, tool, input) => {
  const talk = plannerTalk();
  await talk.say(first);
  await talk.results({ text: "Done.", data: { id: "1" } });
  expect((await talk.say(again)).calls).toEqual([[tool, input]]);
});

const NOT_REPEATED: [first: string, again: string][] = [
  ["create a bug in KAY: it fails", "no, OPS"],
  ["merge PR 1 in kay-backend", "same for kay-cli"],
  ['dm tom "hi"', "no, thanks"],
  ["close KAY-9", "no"],
];

test.each(NOT_REPEATED)("after “%s”, “%s” changes nothing", async (first, again) => {
  const talk = plannerTalk();
  await talk.say(first);
  await talk.results({ text: "Done.", data: { id: "1" } });
  expect((await talk.say(again)).calls).toEqual([]);
});
