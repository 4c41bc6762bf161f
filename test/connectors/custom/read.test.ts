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

/** The example with one piece of it replaced, which must be there. */
function changed(piece: string, by: string): string {
  if (!TASKS.includes(piece)) throw new Error(`the example has no ${piece}`);
  return TASKS.replace(piece, by);
}

test("the example of the documents is a description, as YAML and as JSON", () => {
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
  ["title: Tasks", "titel: Tasks", "titel is not known; did you mean title (line 2)?"],
  [
    "title: Tasks",
    "title: Tasks\nowner: me",
    "owner is not known; known here are name, title, base_url, auth, identify, tools (line 3).",
  ],
  ["access: read", "acess: read", "tools[0].acess is not known; did you mean access (line 15)?"],
  ["access: read", "access: reed", "tools[0].access must be one of read, write, destructive (line 15)."],
  ["  header: X-Api-Key", "  headr: X-Api-Key", "auth.headr is not known; did you mean header (line 6)?"],
  ["type: api_key", "type: apikey", "auth.type must be one of oauth2, bearer, api_key, basic, none (line 5)."],
  ["  header: X-Api-Key", "  header: X-Api-Key\n  query: key", "auth must have one of header and query (line 4)."],
  ["X-Api-Key", "Cookie", "auth.header is a header that kay sets itself (line 6)."],
  ["name: tasks\n", "name: jira\n", "name is taken: jira is a service that kay has (line 1)."],
  ["name: tasks\n", "name: atlassian\n", "name is taken: atlassian is a provider that kay knows (line 1)."],
  ["name: tasks\n", "name: Tasks\n", "name must be 2 to 31 of a-z, 0-9 and -, and begin with a letter (line 1)."],
  [
    "name: tasks.list_tasks",
    "name: list_tasks",
    "tools[0].name must be tasks.verb_object, such as tasks.list_things (line 13).",
  ],
  ["name: tasks.add_task", "name: tasks.list_tasks", "tools[1].name is there twice: tasks.list_tasks (line 41)."],
  [
    "base_url: https",
    "base_url: http",
    "base_url must begin with https://; http:// is only for this machine (line 3).",
  ],
  [
    "https://tasks.example.com/api/v1",
    "https://{who}.example.com",
    "base_url must be an address that begins with https:// and has no {slots} (line 3).",
  ],
  [
    "https://tasks.example.com/api/v1",
    "https://a:b@tasks.example.com",
    "base_url must not have a user or password in it (line 3).",
  ],
  [
    "https://tasks.example.com/api/v1",
    "https://tasks.example.com/a/../b",
    "base_url must not have . or .. steps (line 3).",
  ],
  ["path: /me", "path: /me/{id}", "identify.path must be a plain path without {slots}, # or .. steps (line 8)."],
  [
    "account: id",
    "account: id[*]",
    "identify.account must be a place in the answer, such as data.tasks or $ (line 9).",
  ],
  ["method: GET", "method: DELETE", "tools[0].access cannot be read with DELETE: that changes something (line 15)."],
  ["access: read", "access: write", "tools[0].method cannot be GET for what is no read (line 16)."],
  ["path: /tasks/{task}", "path: /tasks/../{task}", "tools[2].path must not have . or .. steps (line 75)."],
  ["path: /tasks/{task}", "path: //evil.test/{task}", "tools[2].path must begin with one / (line 75)."],
  ["path: /tasks/{task}", "path: '@evil.test/{task}'", "tools[2].path must begin with one / (line 75)."],
  [
    "path: /tasks/{task}",
    "path: /tasks/{id}",
    "tools[2].path names the field {id}, which input does not have (line 75).",
  ],
  ["      required: [task]\n", "", "tools[2].input.properties.task is in the path, so it must be required (line 78)."],
  [
    '        priority: "{priority}"\n',
    "",
    "tools[1].input.properties.priority is in no path, query, headers or body (line 55).",
  ],
  [
    "required: [title]",
    "required: [titel]",
    "tools[1].input.required names titel, which properties does not have (line 61).",
  ],
  ["minimum: 1", "minLength: 1", "tools[1].input.properties.priority.minLength goes with string only (line 58)."],
  [
    "type: integer",
    "type: int",
    "tools[1].input.properties.priority.type must be one of string, integer, number, boolean, array (line 57).",
  ],
  [
    "      - show my tasks",
    "      - show {what}",
    "tools[0].examples[0] names the field {what}, which input does not have (line 28).",
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
    "tools[0].headers.X-A must have plain characters on one line (ASCII) (line 18).",
  ],
  [
    "    query:",
    "    headers: { Authorization: x }\n    query:",
    "tools[0].headers.Authorization is a header that kay sets itself (line 18).",
  ],
  [
    "    query:",
    '    headers: { "X:Y": x }\n    query:',
    "tools[0].headers.X:Y must be the name of a header: letters, digits and - (line 18).",
  ],
  ["title: Tasks", 'title: "Ta\\e[31msks"', "title has control characters or invisible ones (line 2)."],
  ["title: Tasks", 'title: "Ta\\u202esks"', "title has control characters or invisible ones (line 2)."],
  ["title: Tasks", "title: Ta\u001b[31msks", "The description has a control character (line 2)."],
  ["title: Tasks", "title: [Tasks]", "title must be a text (line 2)."],
  [
    "        source: kay",
    "        __proto__: { admin: true }",
    "tools[1].body.task.__proto__ is a name that no key may have (line 50).",
  ],
  [
    "        source: kay",
    "        constructor: x",
    "tools[1].body.task.constructor is a name that no key may have (line 50).",
  ],
  [
    "        status:\n",
    "        prototype:\n",
    "tools[0].input.properties.prototype is a name that no key may have (line 23).",
  ],
  [
    "title: Tasks",
    "title: &t Tasks\nname: *t",
    "The description is no YAML or JSON: Map keys must be unique (line 3).",
  ],
  [
    "title: Tasks",
    "title: !!js/function x",
    "The description is no YAML or JSON: Unresolved tag: tag:yaml.org,2002:js/function (line 2).",
  ],
])("%s → %s is told in one sentence", ([piece = "", by = "", sentence]) => {
  expect(faults(changed(piece, by))[0]).toBe(sentence);
});

test("what is no description at all is one sentence too", () => {
  expect(faults("- 1")).toEqual(["the description must be a map with name, title, base_url, auth and tools (line 1)."]);
  expect(faults("a: &x 1\nb: *x")).toEqual(["An alias (*) is not taken; write it out (line 2)."]);
  expect(faults(`a: ${"[".repeat(100_000)}`)[0]).toMatch(
    /^The description is (no YAML or JSON: .*|nested too deeply) \(line 1\)\.$/,
  );
  expect(faults(`a: ${"x".repeat(300_000)}`)).toEqual(["The description is larger than 256 KiB."]);
  expect(faults("name: tasks\n---\nname: other")[0]).toMatch(/^The description is no YAML or JSON: /);
});
