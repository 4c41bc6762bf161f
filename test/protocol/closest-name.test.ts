import { expect, test } from "vitest";
import { findClosestName, suggestName } from "#protocol/closest-name";

const TOOLS = ["jira.create_issue", "jira.search_issues", "slack.send_message", "google-docs.append_text"];

test.each([
  ["jira.create_isue", "jira.create_issue"],
  ["create_issue", "jira.create_issue"],
  ["Slack.Send_Message", "slack.send_message"],
  ["slack-send-message", "slack.send_message"],
  ["  send-message ", "slack.send_message"],
  ["google-docs.append", "google-docs.append_text"],
])("%s is corrected to %s", (word, name) => {
  expect(findClosestName(word, TOOLS)).toBe(name);
});

test.each(["", "   ", "delete everything", "x".repeat(100_000)])("nothing is near %.20s", (word) => {
  expect(findClosestName(word, TOOLS)).toBeUndefined();
  expect(suggestName(word, TOOLS)).toBe("");
});

test("without names there is nothing to suggest", () => {
  expect(findClosestName("jira", [])).toBeUndefined();
});

test("the question shows the name in the caller's format", () => {
  expect(suggestName("slak", ["slack"])).toBe("Did you mean slack?");
  expect(suggestName("sesions", ["sessions"], (name) => `/${name}`)).toBe("Did you mean /sessions?");
});
