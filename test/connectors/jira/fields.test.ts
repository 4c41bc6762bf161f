import { expect, test } from "vitest";
import { jira } from "#connectors/jira/jira";
import { buildJql, describeFilter } from "#connectors/jira/jql";
import { createRunner, type Expected, summarize } from "../support/outside.ts";
import { connectService, sandboxServices } from "../support/sandbox.ts";

const SITE = { url: "https://main.atlassian.net", cloud_id: "c-main", site: "main" };
const API = "https://api.atlassian.com/ex/jira/c-main/rest/api/3";
const META = "/issue/createmeta/SHOP/issuetypes";

const run = createRunner(jira, SITE, API);

const field = (fieldId: string, name: string, schema: object, more: object = {}) => ({
  fieldId,
  key: fieldId,
  name,
  schema,
  required: false,
  hasDefaultValue: false,
  ...more,
});
const option = (...names: string[]) => ({
  allowedValues: names.map((value, index) => ({ id: String(index + 1), value })),
});
const FIELDS = [
  field("summary", "Summary", { type: "string", system: "summary" }, { required: true }),
  field("priority", "Priority", { type: "priority" }, { required: true, hasDefaultValue: true }),
  field("customfield_10020", "Team", { type: "option" }, { required: true, ...option("Core", "Web") }),
  field(
    "fixVersions",
    "Fix versions",
    { type: "array", items: "version" },
    {
      required: true,
      allowedValues: [
        { id: "9", name: "1.0" },
        { id: "10", name: "2.0" },
      ],
    },
  ),
  field("customfield_1", "Story Points", { type: "number" }),
  field("customfield_2", "Notes", {
    type: "string",
    custom: "com.atlassian.jira.plugin.system.customfieldtypes:textarea",
  }),
  field("customfield_3", "Owner", { type: "user" }),
  field("customfield_4", "Sprint", { type: "any" }),
  field("customfield_5", "Tags", { type: "array", items: "string" }),
  field("customfield_6", "Code", { type: "string" }),
];
const types: Expected = { request: `GET ${META}`, json: { issueTypes: [{ id: "1", name: "Task" }] } };
const fields: Expected = { request: `GET ${META}/1?maxResults=100`, json: { fields: FIELDS, total: FIELDS.length } };
const issue = (more: object) => ({ project: { key: "SHOP" }, issuetype: { name: "Task" }, summary: "x", ...more });

test("B233 required custom fields are given by name, and become what Jira expects", async () => {
  const input = {
    project: "SHOP",
    summary: "x",
    due: "2026-12-01",
    labels: "a, b",
    parent: "shop-1",
    fields: {
      team: "web",
      "Fix versions": "1.0, 2.0",
      customfield_1: "5",
      Notes: "2*3*4",
      Owner: "me",
      Sprint: "12",
      Tags: ["x", "y"],
      Code: "007",
      customfield_9999: undefined,
    },
  };
  const { customfield_9999: _, ...known } = input.fields;
  const body = issue({
    duedate: "2026-12-01",
    labels: ["a", "b"],
    parent: { key: "SHOP-1" },
    customfield_10020: { id: "2" },
    fixVersions: [{ id: "9" }, { id: "10" }],
    customfield_1: 5,
    customfield_2: {
      type: "doc",
      version: 1,
      content: [{ type: "paragraph", content: [{ type: "text", text: "2*3*4" }] }],
    },
    customfield_3: { accountId: "a1" },
    customfield_4: 12,
    customfield_5: ["x", "y"],
    customfield_6: "007",
  });
  const { data } = await run(
    "jira.create_issue",
    { ...input, fields: known },
    types,
    fields,
    { request: "GET /myself", json: { accountId: "a1", displayName: "Ann" } },
    { request: "POST /issue", body: { fields: body }, status: 201, json: { id: "1", key: "SHOP-2" } },
  );
  expect(data).toMatchObject({ key: "SHOP-2" });
});

test("B233 a rejection names the required fields and their values", async () => {
  const json = {
    errorMessages: [],
    errors: { customfield_10020: "Team is required.", fixVersions: "Fix versions is required." },
  };
  const rejected = run(
    "jira.create_issue",
    { project: "SHOP", summary: "x" },
    { request: "POST /issue", body: { fields: issue({}) }, status: 400, json },
    types,
    fields,
  );
  await expect(rejected).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "Jira: customfield_10020: Team is required; fixVersions: Fix versions is required.",
    hint: "Add these to “fields”: Team (Core, Web); Fix versions (1.0, 2.0).",
    details: { required_fields: ["Team", "Fix versions"] },
  });
  const unknown = run(
    "jira.create_issue",
    { project: "SHOP", summary: "x" },
    { request: "POST /issue", status: 400, json },
    { request: `GET ${META}`, status: 404, json: {} },
  );
  await expect(unknown).rejects.toMatchObject({ code: "SERVICE_FAILED", details: { field: "customfield_10020" } });
});

test.each([
  [{ Team: "Moon" }, "Invalid value for the field Team: “Moon” is not one of its values (Core, Web)."],
  [{ "Story Points": "many" }, "Invalid value for the field Story Points: “many” is not a number."],
  [{ Teem: "Core" }, "The issue has no field “Teem”."],
])("an invalid field is refused before anything is sent: %j", async (values, message) => {
  const rejected = run("jira.create_issue", { project: "SHOP", summary: "x", fields: values }, types, fields);
  await expect(rejected).rejects.toMatchObject({ code: "INVALID_REQUEST", message });
});

test("the approval shows every field", () => {
  const summary = (name: string, input: Record<string, unknown>) => summarize(jira, name, input);
  const given = { project: "KAY", summary: "x", due: "2026-12-01", labels: "a", fields: { Team: "Core", Points: 5 } };
  expect(summary("jira.create_issue", given)).toBe(
    "Create a Task in KAY: “x” (due 2026-12-01, labels a, Team: Core, Points: 5)",
  );
  expect(summary("jira.edit_issue", { issue: "kay-3", summary: "a *b*", due: "none", fields: { Team: null } })).toBe(
    "Change KAY-3: summary “a *b*”, due none, Team: null",
  );
});

test("an issue is edited in the sandbox: summary, priority, due date, labels, parent and description", async () => {
  const { run: call } = await connectService(sandboxServices(), "jira");
  const edit = (input: Record<string, unknown>) => call("jira.edit_issue", { issue: "KAY-3", ...input });
  await edit({ summary: "New  name", priority: "high", due: "2026-12-24", labels: "one, two", parent: "KAY-1" });
  await edit({ addLabels: "three", removeLabels: "one", description: "**new**", fields: { Reporter: "Sam Sample" } });
  expect((await call("jira.get_issue", { issue: "KAY-3" })).data).toMatchObject({
    summary: "New name",
    priority: "High",
    due: "2026-12-24",
    parent: "KAY-1",
    labels: ["two", "three"],
    description: "**new**",
    reporter: "Sam Sample",
  });
  await edit({ due: "none", labels: "none", parent: "none" });
  expect((await call("jira.get_issue", { issue: "KAY-3" })).data).toMatchObject({
    due: null,
    parent: null,
    labels: [],
  });
  await expect(edit({})).rejects.toMatchObject({ message: "A change to the issue is required." });
  await expect(edit({ labels: "two words" })).rejects.toMatchObject({ details: { field: "labels" } });
  await expect(edit({ labels: "a", addLabels: "b" })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await expect(edit({ due: "soon" })).rejects.toMatchObject({ message: "“soon” is not a day." });
});

test.each([
  ["current", "sprint in openSprints()", "issues in the current sprint", ["KAY-6", "KAY-1"]],
  ["the active sprint", "sprint in openSprints()", "issues in the current sprint", ["KAY-6", "KAY-1"]],
  ["next", "sprint in futureSprints()", "issues in a future sprint", ["KAY-4"]],
  ["Sprint 7", 'sprint = "Sprint 7"', "issues in Sprint 7", ["KAY-6", "KAY-1"]],
])("issues of a sprint are found by %s", async (sprint, clause, words, keys) => {
  expect(buildJql({ sprint })).toBe(`${clause} ORDER BY updated DESC`);
  expect(describeFilter({ sprint })).toBe(words);
  const { run: call } = await connectService(sandboxServices(), "jira");
  expect((await call("jira.search", { sprint })).data).toMatchObject({ issues: keys.map((key) => ({ key })) });
});

test("issues are searched by reporter, priority, labels and dates", async () => {
  expect(
    buildJql(
      {
        reporter: "Ann",
        priority: "High",
        labels: ["a b", "c"],
        updatedSince: "-7d",
        dueBefore: "2026-12-01",
        order: "due",
      },
      { reporter: "a1" },
    ),
  ).toBe(
    'reporter = "a1" AND priority = "High" AND labels = "a b" AND labels = "c" AND updated >= "-7d" AND due <= "2026-12-01" ORDER BY due ASC',
  );
  expect(describeFilter({ reporter: "me", priority: "High", labels: ["x"], dueBefore: "2026-12-01" })).toBe(
    "issues reported by you of priority High labelled x due by 2026-12-01",
  );
  const { run: call } = await connectService(sandboxServices(), "jira");
  await call("jira.edit_issue", { issue: "KAY-3", priority: "Highest", labels: "odd", due: "2026-12-24" });
  const keys = async (input: Record<string, unknown>) =>
    ((await call("jira.search", input)).data as { issues: { key: string }[] }).issues.map(({ key }) => key);
  expect(await keys({ labels: "odd", priority: "highest", dueAfter: "2026-12-01", dueBefore: "2026-12-24" })).toEqual([
    "KAY-3",
  ]);
  expect(await keys({ labels: "odd", dueBefore: "2026-12-23" })).toEqual([]);
  expect(await keys({ labels: "odd", reporter: "Sam Sample", updatedSince: "2026-11-01" })).toEqual(
    (await keys({ labels: "odd", reporter: "me" })).length > 0 ? [] : ["KAY-3"],
  );
  await expect(keys({ updatedSince: "last week" })).rejects.toMatchObject({ message: "“last week” is not a day." });
});
