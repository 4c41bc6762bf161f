import { expect, test } from "vitest";
import { loadLanguage } from "#planner/language";

test.each([
  ["write file /tmp/docs/a.txt hello", ["write", "file", "/tmp/docs/a.txt", "hello"]],
  ["read src/main.ts, please", ["read", "src/main.ts", ",", "please"]],
  ["look into docs/notes. Then stop", ["look", "into", "docs/notes", ".", "Then", "stop"]],
  ["send it to #general.", ["send", "it", "to", "#general", "."]],
])("%s is read as its words, including file names", async (text, words) => {
  expect((await loadLanguage()).read(text).map((word) => word.text)).toEqual(words);
});
