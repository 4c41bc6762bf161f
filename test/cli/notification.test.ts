import { expect, test } from "vitest";
import { formatNotification } from "#cli/terminal/known-terminals";

test.for([
  [{ TERM_PROGRAM: "iTerm.app" }, "\x07\x1b]9;jira.delete needs you, now.\x1b\\"],
  [{ TERM: "xterm-ghostty" }, "\x07\x1b]777;notify;kay;jira.delete needs you, now.\x1b\\"],
  [{ TERM: "xterm-256color" }, "\x07"],
  [{ TERM_PROGRAM: "iTerm.app", TMUX: "/tmp/tmux" }, "\x07"],
] as const)("in %j a notification is the bell, plus what the terminal supports", ([env, sequence]) => {
  expect(formatNotification(env, "jira.delete\x1b]0;x\x07 needs you; now.")).toBe(sequence);
});
