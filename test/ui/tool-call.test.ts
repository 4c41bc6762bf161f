import { expect, test } from "vitest";
import { formatToolCall } from "#ui/text/tool-call";
import type { ToolItem } from "#ui/view/view";

const LOOK = { width: 60, paint: (_: string, text: string) => text };
const call = (change: Partial<ToolItem>): ToolItem => ({
  kind: "tool",
  call: "c1",
  name: "jira.search",
  state: "done",
  log: [],
  ...change,
});

test("N49 a call is formatted for reading: names, lists, and texts as Markdown instead of JSON", () => {
  const output = {
    data: "| KEY | TITLE |\n|---|---|\n| KAY-1 | Login |",
    count: 1,
    labels: ["a", "b"],
    none: [],
    user: { name: "Ann" },
  };
  expect(formatToolCall(call({ input: { jql: "project = KAY" }, output, log: ["one\nline"] }), LOOK)).toBe(
    `⏺ jira.search
  input
    jql: project = KAY
  log
    one line
  output
    data:
      KEY    TITLE
      KAY-1  Login
    count: 1
    labels:
      - a
      - b
    none: []
    user:
      name: Ann`,
  );
});

test("nothing raw appears, a long result is counted, and a deep one is JSON", () => {
  const evil = "a\x1b]0;x\x07\x1b[2J";
  const output = formatToolCall(call({ input: { [evil]: evil }, output: Array(500).fill(evil), error: evil }), LOOK);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not come through
  expect(output).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  expect(output).toContain("… 300 more lines");
  const deep = { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } };
  expect(formatToolCall(call({ output: deep }), LOOK)).toContain('{"g":1}');
});
