import { expect, test } from "vitest";
import { getDescriptionSchema } from "#connectors/custom/description";
import { parseDescription } from "#connectors/custom/read";
import { Problem } from "#protocol/errors";
import { read } from "#test/documents";
import { TASKS } from "#test/tasks-service";

const TAKEN = { services: ["jira"], providers: ["atlassian"] };

/** Every sentence about a description. */
function faults(source: string): string[] {
  try {
    parseDescription(source, TAKEN);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const problems = (error.details.problems ?? [{ message: error.message }]) as { message: string }[];
    return problems.map(({ message }) => message);
  }
}

/** The example with one piece replaced, which must exist. */
function replacePiece(piece: string, by: string): string {
  if (!TASKS.includes(piece)) throw new Error(`the example has no ${piece}`);
  return TASKS.replace(piece, by);
}

test("the documented example is a description, as YAML and as JSON", () => {
  const description = parseDescription(TASKS, TAKEN);
  expect(description.tools.map(({ name }) => name)).toEqual([
    "tasks.list_tasks",
    "tasks.add_task",
    "tasks.delete_task",
  ]);
  expect(parseDescription(JSON.stringify(description), TAKEN)).toEqual(description);
});

test("the published JSON Schema is that of the source", () => {
  expect(JSON.parse(read("docs/services.schema.json").text)).toEqual(getDescriptionSchema());
});

test.for([
  ["title: Tasks", "titel: Tasks", "titel is unknown (line 2). Did you mean title?"],
  [
    "title: Tasks",
    "title: Tasks\nowner: me",
    "owner is unknown; valid keys are name, title, base_url, auth, identify, tools (line 3).",
  ],
  ["access: read", "acess: read", "tools[0].acess is unknown (line 15). Did you mean access?"],
  ["access: read", "access: reed", "tools[0].access must be one of read, write, destructive (line 15)."],
  ["  header: X-Api-Key", "  headr: X-Api-Key", "auth.headr is unknown (line 6). Did you mean header?"],
  ["type: api_key", "type: apikey", "auth.type must be one of oauth2, bearer, api_key, basic, none (line 5)."],
  ["  header: X-Api-Key", "  header: X-Api-Key\n  query: key", "auth must have either header or query (line 4)."],
  ["X-Api-Key", "Cookie", "auth.header is a header that kay sets itself (line 6)."],
  ["name: tasks\n", "name: jira\n", "name is taken: jira is a built-in service (line 1)."],
  ["name: tasks\n", "name: atlassian\n", "name is taken: atlassian is a built-in provider (line 1)."],
  [
    "name: tasks\n",
    "name: Tasks\n",
    "name must be 2 to 31 characters of a-z, 0-9 and -, and begin with a letter (line 1).",
  ],
  [
    "name: tasks.list_tasks",
    "name: list_tasks",
    "tools[0].name must be tasks.verb_object, such as tasks.list_things (line 13).",
  ],
  ["name: tasks.add_task", "name: tasks.list_tasks", "tools[1].name is used twice: tasks.list_tasks (line 41)."],
  [
    "base_url: https",
    "base_url: http",
    "base_url must begin with https://; http:// is allowed only for this machine (line 3).",
  ],
  [
    "https://tasks.example.com/api/v1",
    "https://{who}.example.com",
    "base_url must be a URL that begins with https:// and has no {slots} (line 3).",
  ],
  [
    "https://tasks.example.com/api/v1",
    "https://a:b@tasks.example.com",
    "base_url must not contain a user name or password (line 3).",
  ],
  [
    "https://tasks.example.com/api/v1",
    "https://tasks.example.com/a/../b",
    "base_url must not contain . or .. segments (line 3).",
  ],
  ["path: /me", "path: /me/{id}", "identify.path must be a plain path without {slots}, # or .. segments (line 8)."],
  [
    "account: id",
    "account: id[*]",
    "identify.account must be a place in the response, such as data.tasks or $ (line 9).",
  ],
  ["method: GET", "method: DELETE", "tools[0].access cannot be read with DELETE, which changes data (line 15)."],
  ["access: read", "access: write", "tools[0].method cannot be GET unless access is read (line 16)."],
  ["path: /tasks/{task}", "path: /tasks/../{task}", "tools[2].path must not contain . or .. segments (line 75)."],
  ["path: /tasks/{task}", "path: //evil.test/{task}", "tools[2].path must begin with one / (line 75)."],
  ["path: /tasks/{task}", "path: '@evil.test/{task}'", "tools[2].path must begin with one / (line 75)."],
  ["path: /tasks/{task}", "path: /tasks/{id}", "tools[2].path uses {id}, which is not a field of input (line 75)."],
  ["      required: [task]\n", "", "tools[2].input.properties.task is in the path, so it must be required (line 78)."],
  [
    '        priority: "{priority}"\n',
    "",
    "tools[1].input.properties.priority is not used in path, query, headers or body (line 55).",
  ],
  [
    "required: [title]",
    "required: [titel]",
    "tools[1].input.required names titel, which is not in properties (line 61).",
  ],
  [
    "minimum: 1",
    "minLength: 1",
    "tools[1].input.properties.priority.minLength can be used only with string (line 58).",
  ],
  [
    "type: integer",
    "type: int",
    "tools[1].input.properties.priority.type must be one of string, integer, number, boolean, array (line 57).",
  ],
  [
    "      - show my tasks",
    "      - show {what}",
    "tools[0].examples[0] uses {what}, which is not a field of input (line 28).",
  ],
  ["- show my tasks", '- ""', "tools[0].examples[0] must not be empty (line 28)."],
  [
    "https://tasks.example.com/t/{id}",
    "https://{host}/t/{id}",
    "tools[0].result.url must be one {place}, or begin with https:// and a host without {places} (line 38).",
  ],
  [
    "https://tasks.example.com/t/{id}",
    "javascript:alert({id})",
    "tools[0].result.url must be one {place}, or begin with https:// and a host without {places} (line 38).",
  ],
  [
    "    query:",
    '    headers: { "X-A": "a\\r\\nX-B: b" }\n    query:',
    "tools[0].headers.X-A must be one line of printable ASCII characters (line 18).",
  ],
  [
    "    query:",
    "    headers: { Authorization: x }\n    query:",
    "tools[0].headers.Authorization is a header that kay sets itself (line 18).",
  ],
  [
    "    query:",
    '    headers: { "X:Y": x }\n    query:',
    "tools[0].headers.X:Y must be a header name: letters, digits and - (line 18).",
  ],
  ["title: Tasks", 'title: "Ta\\e[31msks"', "title must not contain control or invisible characters (line 2)."],
  ["title: Tasks", 'title: "Ta\\u202esks"', "title must not contain control or invisible characters (line 2)."],
  ["title: Tasks", "title: Ta\u001b[31msks", "The description has a control character (line 2)."],
  ["title: Tasks", "title: [Tasks]", "title must be a text (line 2)."],
  [
    "        source: kay",
    "        __proto__: { admin: true }",
    "tools[1].body.task.__proto__ is not allowed as a key (line 50).",
  ],
  [
    "        source: kay",
    "        constructor: x",
    "tools[1].body.task.constructor is not allowed as a key (line 50).",
  ],
  [
    "        status:\n",
    "        prototype:\n",
    "tools[0].input.properties.prototype is not allowed as a key (line 23).",
  ],
  [
    "title: Tasks",
    "title: &t Tasks\nname: *t",
    "The description is not valid YAML or JSON: Map keys must be unique (line 3).",
  ],
  [
    "title: Tasks",
    "title: !!js/function x",
    "The description is not valid YAML or JSON: Unresolved tag: tag:yaml.org,2002:js/function (line 2).",
  ],
])("%s → %s is reported in one sentence", ([piece = "", by = "", sentence]) => {
  expect(faults(replacePiece(piece, by))[0]).toBe(sentence);
});

test("an invalid description is one sentence too", () => {
  expect(faults("- 1")).toEqual(["the description must be a map with name, title, base_url, auth and tools (line 1)."]);
  expect(faults("a: &x 1\nb: *x")).toEqual(["Aliases (*) are not allowed; write the value out (line 2)."]);
  expect(faults(`a: ${"[".repeat(100_000)}`)[0]).toMatch(
    /^The description is (not valid YAML or JSON: .*|nested too deeply) \(line 1\)\.$/,
  );
  expect(faults(`a: ${"x".repeat(300_000)}`)).toEqual(["The description is larger than 256 KiB."]);
  expect(faults("name: tasks\n---\nname: other")[0]).toMatch(/^The description is not valid YAML or JSON: /);
});
