import type { JSONSchema7 } from "ai";
import { expect, test } from "vitest";
import { adaptInput } from "#agent/calls/adapt-input";
import { getInputSchema } from "#agent/calls/input";
import { configureServices } from "#connectors/catalogue";

const tools = configureServices({ clients: {} }).flatMap(({ service }) => service.tools);

const fields = tools.flatMap(({ name, input }) =>
  Object.entries(getInputSchema(input).properties ?? {}).map(([field, schema]) => ({
    name: `${name}.${field}`,
    schema: schema as JSONSchema7,
  })),
);

test("a field with fixed values lists them in its schema, not in its description", () => {
  // "open" (default), "closed" or "all".
  const listed = fields.filter(
    ({ schema }) =>
      schema.enum === undefined &&
      /^(?:[^".]*: )?"[^"]+"(?: \([^)]*\))?(?:,? (?:or )?"[^"]+")+\./.test(schema.description ?? ""),
  );
  expect(listed.map(({ name }) => name)).toEqual([]);
});

/** A value that a model may send, and what the tool gets. */
function adapt(name: string, input: object): unknown {
  const tool = tools.find((tool) => tool.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool.input.parse(adaptInput(getInputSchema(tool.input), input));
}

test.each([
  ["github.list_pull_requests", { state: "Merged" }, { state: "merged" }],
  ["github.list_pull_requests", { state: "declined" }, { state: "closed" }],
  ["github.list_issues", { state: "any" }, { state: "all" }],
  ["github.search", { text: "x", type: "PULL_REQUEST" }, { text: "x", type: "pull request" }],
  ["github.search", { text: "x", type: "repos" }, { text: "x", type: "repository" }],
  ["bitbucket.list_pull_requests", { state: "OPEN" }, { state: "open" }],
  ["notion.search", { type: "Databases" }, { type: "database" }],
  ["google-drive.share_file", { file: "x", person: "y", role: "Reader" }, { role: "reader" }],
  ["google-drive.share_file", { file: "x", person: "y", role: "view" }, { role: "read" }],
  ["jira.search", { order: "Oldest" }, { order: "oldest" }],
])("%s accepts %j as %j", (name, input, expected) => {
  expect(adapt(name, input)).toMatchObject(expected);
});

test("a value outside the set is refused with the accepted values", () => {
  expect(() => adapt("github.list_issues", { state: "reopened" })).toThrow(/open/);
});
