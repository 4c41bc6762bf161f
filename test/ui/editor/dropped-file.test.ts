import { expect, test } from "vitest";
import type { Key } from "#ui/keys/key";
import { NO_MODIFIERS } from "#ui/keys/key";
import { mentionDroppedFile } from "#ui/session/composer";

const pasteText = (text: string, name: Key["name"] = "paste") =>
  mentionDroppedFile({ name, text, ...NO_MODIFIERS, at: 0 }).text;

test.each([
  ["/home/sam/shot.png", "@/home/sam/shot.png "],
  ["/Users/sam/My\\ Shot\\ (1).PNG ", '@"/Users/sam/My Shot (1).PNG" '],
  ["'/home/sam/my report.pdf' ", '@"/home/sam/my report.pdf" '],
  ["file:///home/sam/my%20report.pdf\n", '@"/home/sam/my report.pdf" '],
  ['"C:\\Users\\sam\\shot.jpg"', "@C:\\Users\\sam\\shot.jpg "],
])("the path of a dropped file becomes a mention: %s", (text, mention) => {
  expect(pasteText(text)).toBe(mention);
});

test.each([
  "shot.png",
  "/home/sam/notes.md",
  "see /home/sam/shot.png",
  "/etc/hosts and /home/sam/shot.png",
  "/home/sam/a.png\n/home/sam/b.png",
  "https://example.test/shot.png",
  "file:///home/%zz.png",
])("every other paste is unchanged: %s", (text) => {
  expect(pasteText(text)).toBe(text);
});

test("typed text is not a dropped file", () => {
  expect(pasteText("/home/sam/shot.png", "text")).toBe("/home/sam/shot.png");
});
