import { createCloudClient, isAuthError, isNotFoundError, isRateLimitError, isScopeError } from "jira.js";
import { expect, test } from "vitest";
import { DANA, paragraph, SAM } from "../stand-in.ts";
import { catchFailure, serveSandbox } from "./served.ts";

const ALL = "read:jira-work write:jira-work read:jira-user";

/** jira.js checks every answer against Atlassian's own description of the API, and fails here on a mismatch. */
async function createClient(scope = ALL) {
  const world = await serveSandbox("atlassian");
  const { token, cloudId } = await world.signIn("atlassian", scope);
  const host = `${world.url}/ex/jira/${cloudId}`;
  const as = (bearer: string) =>
    createCloudClient({ host, auth: { type: "bearer", token: bearer }, onSchemaMismatch: "throw" });
  return { world, as, jira: as(token), api: `${host}/rest/api/3` };
}

const task = (fields: object) => ({ fields: { project: { key: "KAY" }, issuetype: { name: "Task" }, ...fields } });

test("jira.js reads issues by token, projects and comments by number, and counts", async () => {
  const { jira } = await createClient();
  const jql = "project = KAY ORDER BY key ASC";
  const keys: string[][] = [];
  let nextPageToken: string | undefined;
  do {
    const page = await jira.issueSearch.searchAndReconsileIssuesUsingJqlPost({
      jql,
      maxResults: 5,
      fields: ["summary"],
      ...(nextPageToken ? { nextPageToken } : {}),
    });
    keys.push((page.issues ?? []).map(({ key }) => key ?? ""));
    nextPageToken = page.nextPageToken ?? undefined;
  } while (nextPageToken);
  const numbered = Array.from({ length: 12 }, (_, index) => `KAY-${index + 1}`);
  expect(keys).toEqual([numbered.slice(0, 5), numbered.slice(5, 10), numbered.slice(10)]);
  expect(await jira.issueSearch.countIssues({ jql })).toEqual({ count: 12 });
  const first = await jira.projects.searchProjects({ maxResults: 1 });
  const second = await jira.projects.searchProjects({ maxResults: 1, startAt: 1 });
  const pages = [first, second].map(({ isLast, total, values = [] }) => [isLast, total, values.map(({ key }) => key)]);
  expect(pages).toEqual([
    [false, 2, ["KAY"]],
    [true, 2, ["OPS"]],
  ]);
  const project = await jira.projects.getProject({ projectIdOrKey: "KAY" });
  expect([project.name, project.lead?.displayName, project.issueTypes?.map(({ name }) => name)]).toEqual([
    "Kay",
    "Dana Demo",
    ["Epic", "Story", "Task", "Bug"],
  ]);
});

test("jira.js creates an issue, edits it, moves it, assigns it and deletes it", async () => {
  const { jira, api } = await createClient();
  const issue = await jira.issues.createIssue(task({ summary: "Colours", description: paragraph("Blue?") }));
  expect(issue).toEqual({ id: "10017", key: "KAY-13", self: `${api}/issue/10017` });
  const issueIdOrKey = issue.key ?? "";
  expect(
    await jira.issues.getIssue({ issueIdOrKey, fields: ["summary", "description", "labels"], expand: "names" }),
  ).toEqual({
    expand: expect.any(String),
    id: "10017",
    key: "KAY-13",
    self: `${api}/issue/10017`,
    fields: { summary: "Colours", description: paragraph("Blue?"), labels: [] },
    names: { summary: "Summary", description: "Description", labels: "Labels" },
  });
  const edited = await jira.issues.editIssue({
    issueIdOrKey,
    returnIssue: true,
    fields: { summary: "All colours" },
    update: { labels: [{ add: "paint" }] },
  });
  expect(edited).toMatchObject({ key: "KAY-13", fields: { summary: "All colours", labels: ["paint"] } });
  const { transitions = [] } = await jira.issues.getTransitions({ issueIdOrKey });
  expect(transitions.map(({ name, to }) => [name, to?.name])).toEqual([
    ["Start work", "In Progress"],
    ["Done", "Done"],
  ]);
  await jira.issues.doTransition({ issueIdOrKey, transition: { id: transitions[0]?.id } });
  await jira.issues.assignIssue({ issueIdOrKey, accountId: SAM });
  const fields = async () => (await jira.issues.getIssue({ issueIdOrKey, fields: ["status,assignee"] })).fields;
  expect(await fields()).toMatchObject({ status: { name: "In Progress" }, assignee: { accountId: SAM } });
  await jira.issues.assignIssue({ issueIdOrKey, accountId: "-1" });
  expect((await fields())?.assignee).toBeNull();
  await jira.issues.deleteIssue({ issueIdOrKey });
  expect(isNotFoundError(await catchFailure(jira.issues.getIssue({ issueIdOrKey })))).toBe(true);
});

test("jira.js writes a comment, changes it and deletes it", async () => {
  const { jira, api } = await createClient();
  const issueIdOrKey = "KAY-1";
  const comments = await jira.issueComments.getComments({ issueIdOrKey, maxResults: 1 });
  expect([comments.total, comments.comments?.map(({ id }) => id)]).toEqual([2, ["20000"]]);
  const comment = await jira.issueComments.addComment({ issueIdOrKey, body: paragraph("Blue?") });
  const id = comment.id ?? "";
  const dana = { accountId: DANA, displayName: "Dana Demo", active: true };
  expect(comment).toMatchObject({
    self: `${api}/issue/10001/comment/${id}`,
    author: dana,
    updateAuthor: dana,
    body: paragraph("Blue?"),
  });
  const updated = await jira.issueComments.updateComment({ issueIdOrKey, id, body: { body: paragraph("Green.") } });
  expect(updated).toEqual({ ...comment, body: paragraph("Green.") });
  expect(await jira.issueComments.getComment({ issueIdOrKey, id })).toEqual(updated);
  await jira.issueComments.deleteComment({ issueIdOrKey, id });
  expect(await catchFailure(jira.issueComments.getComment({ issueIdOrKey, id }))).toMatchObject({
    status: 404,
    body: { errorMessages: [`Can not find a comment for the id: ${id}.`], errors: {} },
  });
});

test("text that jira.js sends by version 2 is read as a document", async () => {
  const { jira } = await createClient();
  const issue = await jira.issues.createIssue(task({ summary: "Colours", description: "Blue?\n\nOr green?" }));
  const issueIdOrKey = issue.key ?? "";
  const two = {
    ...paragraph("Blue?"),
    content: [paragraph("Blue?"), paragraph("Or green?")].flatMap((node) => node.content),
  };
  expect((await jira.issues.getIssue({ issueIdOrKey })).fields?.description).toEqual(two);
  const comment = await jira.issueComments.addComment({ issueIdOrKey, body: "Green." });
  expect(comment.body).toEqual(paragraph("Green."));
  const id = comment.id ?? "";
  expect((await jira.issueComments.updateComment({ issueIdOrKey, id, body: { body: "Blue." } })).body).toEqual(
    paragraph("Blue."),
  );
});

test("jira.js finds people, and the fields of issues", async () => {
  const { jira } = await createClient();
  expect(await jira.myself.getCurrentUser()).toMatchObject({ accountId: DANA, emailAddress: "dana@example.com" });
  const [sam] = await jira.userSearch.findUsers({ query: "sam" });
  expect(sam).toMatchObject({ accountId: SAM, displayName: "Sam Sample" });
  expect(await jira.users.getUser({ accountId: SAM })).toEqual(sam);
  expect(await jira.userSearch.findAssignableUsers({ project: "KAY", query: "sam" })).toEqual([sam]);
  const { issueTypes = [] } = await jira.issues.getCreateIssueMetaIssueTypes({ projectIdOrKey: "KAY" });
  expect(issueTypes.map(({ name }) => name)).toEqual(["Epic", "Story", "Task", "Bug"]);
  const { values = [] } = await jira.issuePriorities.searchPriorities({});
  expect(values.map(({ name }) => name)).toEqual(["Highest", "High", "Medium", "Low", "Lowest"]);
});

test("jira.js reports missing objects, invalid input, a missing scope, an expired token and too many requests", async () => {
  const { world, jira, as } = await createClient("read:jira-work");
  const missingIssue = await catchFailure(jira.issues.getIssue({ issueIdOrKey: "KAY-999" }));
  expect(isNotFoundError(missingIssue)).toBe(true);
  expect(missingIssue).toMatchObject({
    status: 404,
    body: { errorMessages: ["Issue does not exist or you do not have permission to see it."], errors: {} },
  });
  const unscoped = await catchFailure(jira.issues.createIssue(task({ summary: "x" })));
  expect(isScopeError(unscoped)).toBe(true);
  expect(unscoped).toMatchObject({ status: 401, body: { code: 401, message: "Unauthorized; scope does not match" } });
  const { token } = await world.signIn("atlassian", ALL);
  const writer = as(token);
  const refused = await catchFailure(writer.issues.createIssue(task({ summary: "", priority: { name: "Loud" } })));
  expect(refused).toMatchObject({
    status: 400,
    body: {
      errorMessages: [],
      errors: { summary: "You must specify a summary of the issue.", priority: "Priority name 'Loud' is not valid." },
    },
  });
  expect(await catchFailure(writer.issues.assignIssue({ issueIdOrKey: "KAY-1", accountId: "nobody" }))).toMatchObject({
    status: 400,
    body: { errorMessages: [], errors: { assignee: "User 'nobody' cannot be assigned issues." } },
  });
  expect(isAuthError(await catchFailure(as("dead").myself.getCurrentUser()))).toBe(true);
  const fault = { status: 429, headers: { "retry-after": "7" }, body: { errorMessages: ["Rate limit exceeded."] } };
  await world.ask("atlassian", "/_sandbox/faults", { method: "PUT", json: fault });
  const limited = await catchFailure(jira.issues.getIssue({ issueIdOrKey: "KAY-1" }));
  expect(isRateLimitError(limited)).toBe(true);
  expect(limited).toMatchObject({ status: 429, retryAfterMs: 7000 });
});
