import type { JSONValue, ModelMessage } from "ai";
import { expect, test } from "vitest";
import { fitJson, fitText } from "#agent/steps/fit-json";
import { toWireMessages } from "#agent/steps/wire-results";
import { notes } from "#test/notes-tools";

const tools = notes(() => {});

function send(toolName: string, value: Record<string, JSONValue>, limit?: number) {
  const output = { type: "json" as const, value };
  const message: ModelMessage = { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName, output }] };
  const [sent] = toWireMessages([message], tools, limit);
  const part = sent?.role === "tool" ? sent.content[0] : undefined;
  return part?.type === "tool-result" && part.output.type === "json" ? part.output.value : undefined;
}

test("the result of a read is sent once, as data without empty fields", () => {
  const data = { issues: [{ key: "KAY-1", assignee: null, labels: [], url: "https://x.test/KAY-1" }], more: false };
  expect(send("notes__read", { data_from: "jira", text: "| Key |\n| KAY-1 |", data, url: "https://x.test" })).toEqual({
    data_from: "jira",
    data: { issues: [{ key: "KAY-1", labels: [], url: "https://x.test/KAY-1" }], more: false },
  });
});

test("the result of a write is sent once, as its sentence and its link", () => {
  const value = { data_from: "jira", text: "Created KAY-9.", data: { key: "KAY-9" }, url: "https://x.test/KAY-9" };
  expect(send("notes__write", value)).toEqual({
    data_from: "jira",
    text: "Created KAY-9.",
    url: "https://x.test/KAY-9",
  });
});

test.each([null, {}, { cut: true }, ""])("a read whose data is %j is sent as text", (data) => {
  expect(send("notes__read", { data_from: "notes", text: "note 1", data })).toEqual({
    data_from: "notes",
    text: "note 1",
  });
});

test("the user's changes stay in the result", () => {
  const value = { data_from: "jira", arguments_changed_by_the_person: { issue: "KAY-2" }, text: "Done.", data: null };
  expect(send("notes__write", value)).toMatchObject({ arguments_changed_by_the_person: { issue: "KAY-2" } });
});

test("a long list loses whole entries at its end, and says how many and how to get them", () => {
  const issues = Array.from({ length: 500 }, (_, index) => ({ key: `KAY-${index}`, summary: "x".repeat(100) }));
  const sent = send(
    "notes__read",
    { data_from: "jira", text: "", data: { issues, more: true, next_cursor: "after all" } },
    5_000,
  ) as {
    data: { issues: object[]; more: boolean };
    left_out: string;
  };
  const { length } = sent.data.issues;
  expect(sent.data.issues).toEqual(issues.slice(0, length));
  expect(sent.data).toMatchObject({ more: true });
  expect(sent.data).not.toHaveProperty("next_cursor");
  expect(JSON.stringify(sent).length).toBeLessThan(5_400);
  expect(length).toBeGreaterThan(20);
  expect(sent.left_out).toBe(
    `Left out: ${500 - length} of 500 issues. Call again with a narrower filter, or a smaller limit and then its next_cursor, to see it.`,
  );
});

test.each<[string, JSONValue]>([
  ["one long text", { body: "word ".repeat(50_000) }],
  ["a long text in a list", [{ body: "x".repeat(100_000) }, { body: "short" }]],
  ["nested lists", { a: Array.from({ length: 300 }, () => ({ b: Array.from({ length: 30 }, () => "some text") })) }],
  [
    "many short texts in an object",
    Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, "y".repeat(150)])),
  ],
  ["emoji", { body: "😀".repeat(20_000) }],
])("%s is shortened to valid JSON", (_, value) => {
  const { value: fitted, leftOut } = fitJson(value, 4_000);
  expect(JSON.parse(JSON.stringify(fitted))).toEqual(fitted);
  if (JSON.stringify(fitted).length > 4_600) expect(JSON.stringify(value).length).toBeLessThan(20_000);
  else expect(leftOut).toMatch(/^Left out: /);
  expect(JSON.stringify(fitted)).not.toMatch(/\\ud83d(?!\\ude)/i);
});

test("a value that fits is unchanged", () => {
  const value = { a: [1, 2, 3] };
  expect(fitJson(value, 100)).toEqual({ value });
});

test("a text is cut at a line end", () => {
  expect(fitText("one\ntwo\nthree", 9)).toBe("one\ntwo\n… (6 more characters)");
});

function fail(error: Record<string, JSONValue>) {
  const output = { type: "error-json" as const, value: { error } };
  const part = { type: "tool-result" as const, toolCallId: "c", toolName: "notes__read", output };
  const [message] = toWireMessages([{ role: "tool", content: [part] }], tools);
  const result = message?.role === "tool" ? message.content[0] : undefined;
  return result?.type === "tool-result" && result.output.type === "error-json" ? result.output.value : undefined;
}

test.each([
  ["INVALID_REQUEST", "Run `kay help` to see how the command is used.", "hint", /^Call notes\.read again/],
  ["NOT_FOUND", "Run `kay tools list` to list all tools.", "hint", /^Call a tool that lists or searches/],
  ["AUTH_REQUIRED", "Run `kay connect jira`, then ask again.", "hint", /^Call connect_service with jira/],
  ["OUTCOME_UNKNOWN", "Check whether it took effect before you retry.", "hint", /^Do not call it again/],
  ["SERVICE_FAILED", "Check the name, and that you can open it in Jira.", "hint", /^Check the name/],
  ["SERVICE_FAILED", "Run `kay connect jira`, and allow the permission.", "for_the_user", /^Run `kay connect jira`/],
])("the error %s tells a model what to call instead, not %j", (code, hint, field, advice) => {
  const integration: Record<string, JSONValue> = code === "AUTH_REQUIRED" ? { integration: "jira" } : {};
  expect(fail({ code, ...integration, message: "It failed.", hint })).toEqual({
    error: { code, ...integration, message: "It failed.", [field]: expect.stringMatching(advice) },
  });
});
