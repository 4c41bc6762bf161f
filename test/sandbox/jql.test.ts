import { assert, constantFrom, property } from "fast-check";
import { expect, test } from "vitest";
import { ALL_SCOPES, sandbox } from "./stand-in.ts";

const world = sandbox();
const member = world.signIn("atlassian", ALL_SCOPES);

async function search(jql: string, more: Record<string, unknown> = {}) {
  const { jira } = await member;
  return jira("/search/jql", { method: "POST", json: { jql, fields: ["key"], maxResults: 100, ...more } });
}

async function keys(jql: string): Promise<string[]> {
  const { status, body } = await search(jql);
  expect(body).toMatchObject({ isLast: true });
  expect(status).toBe(200);
  return body.issues.map(({ key }: { key: string }) => key);
}

test.each([
  [
    "project = KAY AND statusCategory != Done AND issuetype = Bug ORDER BY priority DESC, key ASC",
    ["KAY-1", "KAY-4", "KAY-12", "KAY-8", "KAY-3"],
  ],
  ['project = "Operations" and status in ("To Do", Done) order by key', ["OPS-1", "OPS-2", "OPS-4"]],
  ["assignee = currentUser() AND status = Done", ["KAY-7"]],
  [
    'assignee = "Sam Sample" AND project = KAY AND resolution = Unresolved ORDER BY key ASC',
    ["KAY-5", "KAY-8", "KAY-12"],
  ],
  ["assignee IS EMPTY ORDER BY key ASC", ["KAY-4", "OPS-4", "KAY-11"]],
  ["labels = docs", ["KAY-3"]],
  [
    "labels not in (docs, login) and labels is not empty and project = KAY order by key",
    ["KAY-4", "KAY-8", "KAY-11", "KAY-12"],
  ],
  ["sprint in openSprints() ORDER BY key", ["KAY-1", "KAY-6"]],
  ["sprint in futureSprints()", ["KAY-4"]],
  ['sprint = "sprint 7" AND sprint not in closedSprints() AND status = "In Review"', ["KAY-6"]],
  ["sprint IS EMPTY AND project = OPS AND assignee IS EMPTY", ["OPS-4"]],
  ['text ~ "lock file"', ["KAY-6"]],
  ['summary ~ "flick*"', ["KAY-8"]],
  ['summary ~ "lick"', []],
  ['text ~ "\\"of kay\\""', ["KAY-3"]],
  ["created >= -3d AND project = KAY", ["KAY-12"]],
  ["updated > startOfDay(-1d) ORDER BY updated DESC", ["KAY-6", "KAY-12", "KAY-1"]],
  ["duedate < 2027-02-01", ["KAY-12"]],
  ["key in (KAY-2, OPS-1) OR key = KAY-9 ORDER BY created ASC", ["KAY-2", "KAY-9", "OPS-1"]],
  ["priority > High AND NOT (project = OPS OR statusCategory = Done)", ["KAY-1"]],
  ["project = KAY AND key > KAY-10 ORDER BY key DESC", ["KAY-12", "KAY-11"]],
])("%s", async (jql, expected) => {
  expect(await keys(jql)).toEqual(expected);
});

test.each([
  ["", "Unbounded JQL queries are not allowed here. Please add a search restriction to your query."],
  ["ORDER BY created", "Unbounded JQL queries are not allowed here. Please add a search restriction to your query."],
  ["project = KAY AND", "Error in the JQL Query: Expecting a field name at the end of the query."],
  ["project =", "Error in JQL Query: Expecting either a value, list or function before the end of the query."],
  [
    "project = KAY AND status = = Done",
    "Error in JQL Query: Expecting either a value, list or function but got '='. You must surround '=' in quotation marks to use it as a value. (line 1, character 28)",
  ],
  [
    "project = KAY status",
    "Error in the JQL Query: Expecting either 'OR' or 'AND' but got 'status'. (line 1, character 15)",
  ],
  ["project = KAY AND (status = Done", "Error in the JQL Query: Expecting ')' before the end of the query."],
  [
    'summary ~ "unclosed',
    "Error in the JQL Query: The quoted string 'unclosed' has not been completed. (line 1, character 11)",
  ],
  [
    "status closed",
    "Error in the JQL Query: Expecting operator but got 'closed'. The valid operators are '=', '!=', '<', '>', '<=', '>=', '~', '!~', 'IN', 'NOT IN', 'IS' and 'IS NOT'. (line 1, character 8)",
  ],
  ["colour = red", "Field 'colour' does not exist or you do not have permission to view it."],
  ['status = "Shipped"', "The value 'Shipped' does not exist for the field 'status'."],
  ["project = NOPE", "The value 'NOPE' does not exist for the field 'project'."],
  ["assignee = nobody", "The value 'nobody' does not exist for the field 'assignee'."],
  ["assignee = noSuch()", "Unable to find JQL function 'noSuch()'."],
  ["status = currentUser()", "A value provided by the function 'currentUser' is invalid for the field 'status'."],
  ['text = "export"', "The operator '=' is not supported by the 'text' field."],
  [
    "updated >= yesterday",
    "Date value 'yesterday' for field 'updated' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.",
  ],
  ["key = KAY-999", "An issue with key 'KAY-999' does not exist for field 'key'."],
  ["project = KAY ORDER BY zz", "Field 'zz' does not exist or you do not have permission to view it."],
])("%s is refused in Jira's words", async (jql, sentence) => {
  const expected = { errorMessages: [sentence], errors: {} };
  expect(await search(jql)).toMatchObject({ status: 400, body: expected });
  const { jira } = await member;
  expect((await jira(`/search/jql?jql=${encodeURIComponent(jql)}`)).body).toEqual(expected);
});

test("pages join to the whole without gaps or duplicates, whatever their size", async () => {
  const { jira } = await member;
  const allKeys = await keys("project in (KAY, OPS) ORDER BY key ASC");
  for (const size of [1, 3, 5, 16, 50]) {
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const path = `/search/jql?jql=${encodeURIComponent("project in (KAY, OPS) ORDER BY key ASC")}&fields=key&maxResults=${size}${token ? `&nextPageToken=${token}` : ""}`;
      const { body } = await jira(path);
      expect(body.isLast).toBe(body.nextPageToken === undefined);
      seen.push(...body.issues.map(({ key }: { key: string }) => key));
      token = body.nextPageToken;
    } while (token);
    expect(seen).toEqual(allKeys);
  }
});

test("a page token is valid only for its own query", async () => {
  const { nextPageToken } = (await search("project = KAY", { maxResults: 2 })).body;
  expect((await search("project = OPS", { nextPageToken })).status).toBe(400);
  expect((await search("project = KAY", { nextPageToken: "made-up" })).status).toBe(400);
});

test("an issue has only its ID unless fields are requested, and at most a hundred have fields", async () => {
  const { jira } = await member;
  const minimal = (await jira("/search/jql?jql=key%3DKAY-3")).body;
  expect(minimal).toEqual({ issues: [{ id: "10003" }], isLast: true });
  const partial = (await jira("/search/jql?jql=key%3DKAY-3&fields=summary,status")).body.issues[0];
  expect([partial.key, Object.keys(partial.fields)]).toEqual(["KAY-3", ["summary", "status"]]);
  const all = (await jira("/search/jql?jql=key%3DKAY-3&fields=*all,-comment")).body.issues[0];
  expect(Object.keys(all.fields)).not.toContain("comment");
  expect((await search("project = KAY", { startAt: 0 })).body.errorMessages).toEqual([
    "Invalid request payload. Refer to the REST API documentation and try again.",
  ]);
  expect((await jira("/search/approximate-count", { method: "POST", json: { jql: "project = KAY" } })).body).toEqual({
    count: 12,
  });
  expect((await jira("/search?jql=project%3DKAY")).status).toBe(410);
});

test("AND, OR, NOT and IN follow the laws of logic", async () => {
  const simple = constantFrom(
    "project = KAY",
    "status = Done",
    "issuetype = Bug",
    "priority >= High",
    "key > KAY-6",
    'text ~ "login"',
  );
  const run = async (jql: string) => (await keys(`${jql} ORDER BY key ASC, project ASC`)).sort();
  const laws: [string, string][] = [];
  assert(
    property(simple, simple, (a, b) => {
      laws.push(
        [`NOT (${a} AND ${b})`, `NOT ${a} OR NOT ${b}`],
        [`${a} OR ${b}`, `${b} OR ${a}`],
        [`${a} AND (${a} OR ${b})`, a],
      );
    }),
    { numRuns: 20 },
  );
  for (const [left, right] of laws) expect(await run(left), `${left} = ${right}`).toEqual(await run(right));
});
