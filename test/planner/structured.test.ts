import { expect, test } from "vitest";
import { buildValue } from "#planner/value";

const ISSUES = {
  jql: "project = KAY",
  issues: [
    {
      key: "KAY-1",
      summary: "Login loops",
      status: "In Progress",
      type: "Bug",
      assignee: { name: "Dana Demo", email: "dana@example.com" },
      updated: "2026-11-24T10:00:00.000+0000",
      labels: ["sso"],
    },
    { key: "KAY-2", summary: "Dark mode", status: "Done", type: "Story", assignee: null, updated: null, labels: [] },
  ],
  more: false,
};
const found = (data: object, text = "2 issues") => [
  { id: "call_0_a", tool: "jira__search", input: {}, result: { data, text } },
];
const value = (schema: object, data: object = ISSUES) =>
  buildValue(schema as Record<string, unknown>, found(data))?.value;
const list = (properties: object, required = Object.keys(properties)) => ({
  type: "array",
  items: { type: "object", properties, required },
});
const string = { type: "string" };

test("a list of things and how many they are", () => {
  const schema = {
    type: "object",
    properties: { issues: list({ key: string, summary: string }), count: { type: "integer" } },
    required: ["issues", "count"],
  };
  expect(value(schema)).toEqual({
    issues: [
      { key: "KAY-1", summary: "Login loops" },
      { key: "KAY-2", summary: "Dark mode" },
    ],
    count: 2,
  });
});

test.each([
  [
    "other names for the same",
    list({ id: string, title: string }),
    [
      { id: "KAY-1", title: "Login loops" },
      { id: "KAY-2", title: "Dark mode" },
    ],
  ],
  [
    "names in other letters",
    list({ issueKey: string, ISSUE_TYPE: string }),
    [
      { issueKey: "KAY-1", ISSUE_TYPE: "Bug" },
      { issueKey: "KAY-2", ISSUE_TYPE: "Story" },
    ],
  ],
  [
    "one of some values",
    list({ status: { enum: ["in_progress", "done"] } }),
    [{ status: "in_progress" }, { status: "done" }],
  ],
  [
    "days, and what may be missing",
    list({ updated: { type: ["string", "null"], format: "date" } }),
    [{ updated: "2026-11-24" }, { updated: null }],
  ],
  [
    "moments, left out where there is none",
    list({ updated: { type: "string", format: "date-time" } }, []),
    [{ updated: "2026-11-24T10:00:00.000Z" }, {}],
  ],
  [
    "people by their names and addresses",
    list({ assignee: string, assigneeEmail: string }, []),
    [{ assignee: "Dana Demo", assigneeEmail: "dana@example.com" }, {}],
  ],
  ["lists in things", list({ tags: { type: "array", items: string } }), [{ tags: ["sso"] }, { tags: [] }]],
  [
    "a list of plain values",
    { type: "object", properties: { keys: { type: "array", items: string } } },
    {
      keys: ["KAY-1", "KAY-2"],
    },
  ],
  ["a number", { type: "integer" }, 2],
  ["whether there is any", { type: "boolean" }, true],
  [
    "words",
    { type: "object", properties: { summary: string, found: { type: "boolean" } } },
    {
      summary: "2 issues",
      found: true,
    },
  ],
  [
    "references and several forms",
    {
      $defs: { issue: { type: "object", properties: { key: string }, required: ["key"] } },
      anyOf: [
        { type: "object", properties: { nonsense: string }, required: ["nonsense"] },
        { type: "array", items: { $ref: "#/$defs/issue" } },
      ],
    },
    [{ key: "KAY-1" }, { key: "KAY-2" }],
  ],
  [
    "constants and defaults",
    { properties: { kind: { const: "issues" }, page: { type: "integer", default: 1 } } },
    {
      kind: "issues",
      page: 1,
    },
  ],
])("%s", (_, schema, expected) => expect(value(schema)).toEqual(expected));

test("the result of a call that changed something", () => {
  const schema = { type: "object", properties: { key: string, url: string, ok: { type: "boolean" } } };
  expect(value(schema, { key: "KAY-9", url: "https://x.test/KAY-9" })).toEqual({
    key: "KAY-9",
    url: "https://x.test/KAY-9",
    ok: true,
  });
});

test.each([
  ["what nothing is called", list({ severity: string })],
  ["a value that is none of those wanted", list({ type: { enum: ["Bug", "Task"] } })],
  ["a number that is none", list({ summary: { type: "integer" } })],
  ["itself without end", { $ref: "#" }],
])("nothing is invented: %s", (_, schema) => expect(value(schema)).toBeUndefined());

test("a result that was too long to be read in full has no value", () => {
  const results = [{ id: "call_0_a", tool: "jira__search", input: {}, result: { data: null, truncated: true } }];
  expect(buildValue({ type: "array" }, results)).toBeUndefined();
});

test("a count is not given if there are more than were read", () => {
  const schema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
  expect(value(schema, { ...ISSUES, more: true })).toBeUndefined();
  expect(value(schema, { ...ISSUES, more: true, total: 40 })).toEqual({ count: 40 });
});
