import { expect, test } from "vitest";
import { ALL_SCOPES, ATLASSIAN, DANA, paragraph, SAM, sandbox } from "./stand-in.ts";

const signIn = (scope = ALL_SCOPES) => sandbox().signIn("atlassian", scope);
const NOT_ADF = "Operation value must be an Atlassian Document (see the Atlassian Document Format)";

test("an issue is created, read, edited, moved, commented on and deleted with Jira's own answers", async () => {
  const { jira, cloudId } = await signIn();
  const fields = {
    project: { key: "KAY" },
    issuetype: { name: "Bug" },
    summary: "Printer on fire",
    description: paragraph("It burns."),
    priority: { name: "High" },
    assignee: { id: SAM },
    labels: ["fire"],
  };
  const created = await jira("/issue", { method: "POST", json: { fields } });
  expect(created).toMatchObject({ status: 201 });
  expect(created.body).toEqual({
    id: "10017",
    key: "KAY-13",
    self: `${ATLASSIAN}/ex/jira/${cloudId}/rest/api/3/issue/10017`,
  });
  const issue = (await jira("/issue/KAY-13")).body;
  expect(Object.keys(issue)).toEqual(["expand", "id", "self", "key", "fields"]);
  expect(issue.fields).toMatchObject({
    summary: "Printer on fire",
    description: paragraph("It burns."),
    status: { name: "To Do", statusCategory: { id: 2, key: "new", colorName: "blue-gray", name: "To Do" } },
    priority: { name: "High", id: "2" },
    assignee: { accountId: SAM, displayName: "Sam Sample", accountType: "atlassian", active: true },
    reporter: { accountId: DANA },
    labels: ["fire"],
    created: "2026-11-20T09:00:00.000+0000",
    resolution: null,
    comment: { total: 0 },
  });
  const edit = {
    fields: { summary: "Printer smokes", assignee: null },
    update: { labels: [{ add: "smoke" }, { remove: "fire" }] },
  };
  expect(await jira("/issue/KAY-13", { method: "PUT", json: edit })).toMatchObject({ status: 204, text: "" });
  const after = (await jira("/issue/KAY-13?fields=summary,assignee,labels")).body.fields;
  expect(after).toEqual({ summary: "Printer smokes", assignee: null, labels: ["smoke"] });
  const comment = await jira("/issue/KAY-13/comment", { method: "POST", json: { body: paragraph("Out now.") } });
  expect([comment.status, comment.body.author.accountId, comment.body.body]).toEqual([
    201,
    DANA,
    paragraph("Out now."),
  ]);
  expect((await jira("/issue/KAY-13/comment")).body).toMatchObject({ startAt: 0, maxResults: 100, total: 1 });
  expect(await jira("/issue/KAY-13", { method: "DELETE" })).toMatchObject({ status: 204, text: "" });
  expect(await jira("/issue/KAY-13")).toMatchObject({
    status: 404,
    body: { errorMessages: ["Issue does not exist or you do not have permission to see it."], errors: {} },
  });
});

test("V09 a transition returns 204 without a body, and only those of the workflow are valid", async () => {
  const { jira } = await signIn();
  const names = async () =>
    (await jira("/issue/KAY-3/transitions")).body.transitions.map(({ name }: { name: string }) => name);
  expect(await names()).toEqual(["Start work", "Done"]);
  const { transitions } = (await jira("/issue/KAY-3/transitions")).body;
  const doneTransition = transitions.find(({ to }: { to: { name: string } }) => to.name === "Done");
  expect(
    await jira("/issue/KAY-3/transitions", { method: "POST", json: { transition: { id: doneTransition.id } } }),
  ).toMatchObject({ status: 204, text: "" });
  expect((await jira("/issue/KAY-3?fields=status,resolution")).body.fields).toMatchObject({
    status: { name: "Done" },
    resolution: { name: "Done" },
  });
  expect(await names()).toEqual(["Reopen"]);
  expect(
    await jira("/issue/KAY-3/transitions", { method: "POST", json: { transition: { id: doneTransition.id } } }),
  ).toMatchObject({
    status: 400,
    body: { errorMessages: [`Transition id '${doneTransition.id}' is not valid for this issue.`], errors: {} },
  });
});

test.each([
  ["a plain string", "Line 1"],
  ["no document", { type: "paragraph" }],
  ["another version", { ...paragraph("x"), version: 2 }],
  ["a newline in a text node", paragraph("Line 1\nLine 2")],
  ["an empty text node", paragraph("")],
])("V01 a description that is %s is refused with its field", async (_, description) => {
  const { jira } = await signIn();
  const fields = { project: { key: "KAY" }, issuetype: { name: "Task" }, summary: "x", description };
  expect(await jira("/issue", { method: "POST", json: { fields } })).toMatchObject({
    status: 400,
    body: { errorMessages: [], errors: { description: NOT_ADF } },
  });
  expect((await jira("/issue/KAY-1", { method: "PUT", json: { fields: { description } } })).body.errors).toEqual({
    description: NOT_ADF,
  });
});

test("V01 a description may have 32,767 characters and no more", async () => {
  const { jira } = await signIn();
  const set = (length: number) =>
    jira("/issue/KAY-1", { method: "PUT", json: { fields: { description: paragraph("x".repeat(length)) } } });
  expect((await set(32_767)).status).toBe(204);
  expect((await set(32_768)).body).toEqual({
    errorMessages: [],
    errors: { description: "The entered text is too long. It exceeds the allowed limit of 32,767 characters." },
  });
});

test("V02 errors have Jira's three shapes", async () => {
  const { jira } = await signIn();
  const unknownNode = { type: "doc", version: 1, content: [{ type: "foo", content: [] }] };
  expect((await jira("/issue/KAY-1/comment", { method: "POST", json: { body: unknownNode } })).body).toEqual({
    errorMessages: ["INVALID_INPUT"],
    errors: {},
  });
  const fields = { project: { key: "KAY" }, issuetype: { name: "Task" } };
  expect((await jira("/issue", { method: "POST", json: { fields } })).body.errors).toEqual({
    summary: "You must specify a summary of the issue.",
  });
  const reader = await signIn("read:jira-work");
  expect(await reader.jira("/issue", { method: "POST", json: { fields } })).toMatchObject({
    status: 401,
    body: { code: 401, message: "Unauthorized; scope does not match" },
  });
});

test("every invalid field is named, in Jira's words", async () => {
  const { jira } = await signIn();
  const post = async (fields: unknown) => (await jira("/issue", { method: "POST", json: { fields } })).body;
  expect(await post({ summary: "x" })).toEqual({
    errorMessages: [],
    errors: { project: "Specify a valid project ID or key", issuetype: "Specify an issue type" },
  });
  expect((await post({ project: { key: "KAY" }, issuetype: { name: "Poem" } })).errors).toEqual({
    issuetype: "Specify a valid issue type",
  });
  const invalidFields = {
    project: { id: "10000" },
    issuetype: { id: "10002" },
    summary: "a\nb",
    priority: { name: "Urgent" },
    assignee: { id: "nobody" },
    labels: ["two words"],
    duedate: "tomorrow",
    customfield_10099: 1,
  };
  expect((await post(invalidFields)).errors).toEqual({
    summary: "The summary is invalid because it contains newline characters.",
    priority: "Priority name 'Urgent' is not valid.",
    assignee: "User 'nobody' cannot be assigned issues.",
    labels: "The label 'two words' contains spaces which is invalid.",
    duedate: "Error parsing date string: tomorrow",
    customfield_10099: "Field 'customfield_10099' cannot be set. It is not on the appropriate screen, or unknown.",
  });
  expect(
    (await post({ project: { key: "KAY" }, issuetype: { name: "Task" }, summary: "x".repeat(256) })).errors,
  ).toEqual({
    summary: "Summary must be less than 255 characters.",
  });
  expect(await jira("/issue", { method: "POST", body: "[" })).toMatchObject({
    status: 400,
    body: {
      errorMessages: ["Invalid request payload. Refer to the REST API documentation and try again."],
      errors: {},
    },
  });
  expect((await jira("/issue/KAY-1/comment", { method: "POST", json: { body: "plain" } })).body.errors).toEqual({
    comment: "Comment body is not valid!",
  });
});

test("projects, people and fields of issues can be listed", async () => {
  const { jira } = await signIn();
  const projects = (await jira("/project/search?maxResults=1")).body;
  expect([projects.total, projects.isLast, projects.values[0].key, projects.nextPage]).toEqual([
    2,
    false,
    "KAY",
    expect.stringContaining("startAt=1"),
  ]);
  expect((await jira("/project/OPS")).body).toMatchObject({
    key: "OPS",
    lead: { accountId: SAM },
    issueTypes: [{ name: "Epic" }, { name: "Story" }, { name: "Task" }, { name: "Bug" }],
  });
  expect((await jira("/project/NOPE")).body).toEqual({
    errorMessages: ["No project could be found with key 'NOPE'."],
    errors: {},
  });
  const listNames = (list: { name: string }[]) => list.map(({ name }) => name);
  expect(listNames((await jira("/issuetype")).body)).toEqual(["Epic", "Story", "Task", "Bug"]);
  expect(listNames((await jira("/priority")).body)).toEqual(["Highest", "High", "Medium", "Low", "Lowest"]);
  expect(listNames((await jira("/issue/createmeta/KAY/issuetypes")).body.issueTypes)).toEqual([
    "Epic",
    "Story",
    "Task",
    "Bug",
  ]);
  expect((await jira("/myself")).body).toMatchObject({
    accountId: DANA,
    emailAddress: "dana@example.com",
    timeZone: "Europe/Berlin",
  });
  expect((await jira("/user/search?query=sam")).body.map(({ accountId }: { accountId: string }) => accountId)).toEqual([
    SAM,
  ]);
  expect((await jira("/nothing")).body).toMatchObject({ status: 404, title: "Not Found" });
});

test("a token that is missing, unknown or for another site is refused at the gateway", async () => {
  const world = sandbox();
  const { jira, call } = await world.signIn("atlassian", ALL_SCOPES);
  const nobody = await world.ask("atlassian", "/ex/jira/x/rest/api/3/myself");
  expect([nobody.status, nobody.body]).toEqual([401, { code: 401, message: "Unauthorized" }]);
  expect((await jira("/myself", { token: "wrong" })).status).toBe(401);
  expect(await call("/ex/jira/no-such-cloud/rest/api/3/myself")).toMatchObject({
    status: 404,
    body: {
      status: 404,
      error: "Not Found",
      message: "No message available",
      path: "/ex/jira/no-such-cloud/rest/api/3/myself",
    },
  });
});

test("V04 two sites are two entries of accessible-resources, each with the scopes it grants", async () => {
  const account = { accountId: "a1", displayName: "Ann", emailAddress: "ann@example.com" };
  const sites = [
    { id: "c-other", name: "other", url: "https://other.example.test", scopes: ["read:jira-work"] },
    { id: "c-main", name: "main", url: "https://main.example.test", projects: [{ key: "PRJ", name: "P" }] },
  ];
  const world = sandbox({ seed: { atlassian: { accounts: [account], sites } } });
  const { call } = await world.signIn("atlassian", "read:jira-work write:jira-work offline_access");
  const resources = (await call("/oauth/token/accessible-resources")).body;
  expect(resources.map(({ avatarUrl, ...rest }: { avatarUrl: string }) => rest)).toEqual([
    { id: "c-other", url: "https://other.example.test", name: "other", scopes: ["read:jira-work"] },
    { id: "c-main", url: "https://main.example.test", name: "main", scopes: ["read:jira-work", "write:jira-work"] },
  ]);
  const json = { fields: { project: { key: "PRJ" }, issuetype: { name: "Task" }, summary: "x" } };
  expect((await call("/ex/jira/c-other/rest/api/3/issue", { method: "POST", json })).status).toBe(401);
  expect((await call("/ex/jira/c-main/rest/api/3/issue", { method: "POST", json })).status).toBe(201);
});

test("the links of a site lead to a page for users", async () => {
  const world = sandbox();
  const { call } = await world.signIn("atlassian", ALL_SCOPES);
  const [site] = (await call("/oauth/token/accessible-resources")).body;
  expect(site.url).toBe(`${ATLASSIAN}/sites/kay-demo`);
  const page = await world.ask("atlassian", `${site.url}/browse/KAY-3`);
  expect([page.status, page.text.includes("Typo in the help of kay ask")]).toEqual([200, true]);
  expect((await world.ask("atlassian", site.avatarUrl)).headers.get("content-type")).toBe("image/svg+xml");
});
