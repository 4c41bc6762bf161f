import { expect, test } from "vitest";
import { jira } from "#connectors/jira/jira";
import { createRunner, type Expected, summarize } from "../support/outside.ts";

const SITE = { url: "https://main.atlassian.net", cloud_id: "c-main", site: "main" };
const API = "https://api.atlassian.com/ex/jira/c-main/rest/api/3";
const ANA = {
  accountId: "557058:ana",
  displayName: "Ana Díaz",
  emailAddress: "ana@x.test",
  accountType: "atlassian",
  active: true,
};
const APP = { accountId: "app", displayName: "Ana Bot", accountType: "app", active: true };

/** Runs a tool against exactly these expected requests to Jira. */
const run = createRunner(jira, SITE, API);

const summary = (name: string, input: Record<string, unknown>) => summarize(jira, name, input);

function status(name: string, key: string) {
  return { id: "1", name, statusCategory: { id: 1, key, name, colorName: "blue" } };
}

const CURRENT = (name: string, key: string): Expected => ({
  request: "GET /issue/KAY-3?fields=status",
  json: { id: "10003", key: "KAY-3", fields: { status: status(name, key) } },
});

/** `GET …/transitions` as returned by Jira. */
const STEPS = (...steps: [id: string, name: string, to: string, key: string][]): Expected => ({
  request: "GET /issue/KAY-3/transitions",
  json: {
    expand: "transitions",
    transitions: steps.map(([id, name, to, key]) => ({
      id,
      name,
      to: status(to, key),
      hasScreen: false,
      isGlobal: true,
      isInitial: false,
      isAvailable: true,
      isConditional: false,
      isLooped: false,
    })),
  },
});

const USUAL = STEPS(
  ["11", "To Do", "To Do", "new"],
  ["21", "Start work", "In Progress", "indeterminate"],
  ["31", "Ship it", "Done", "done"],
  ["41", "Reject", "Won't do", "done"],
);
const POST = (id: string): Expected => ({
  request: "POST /issue/KAY-3/transitions",
  body: { transition: { id } },
  status: 204,
});

const DONE_URL = "https://main.atlassian.net/browse/KAY-3";

test.each([
  ["close", "31", "Done"],
  ["done", "31", "Done"],
  ["Done", "31", "Done"],
  ["closed", "31", "Done"],
  ["ship it", "31", "Done"],
  ["won't do", "41", "Won't do"],
  ["start", "21", "In Progress"],
  ["in_progress", "21", "In Progress"],
  ["doing", "21", "In Progress"],
])(
  "V09 moving an issue to “%s” takes the matching transition, once, and its 204 is a success",
  async (goal, id, to) => {
    const result = await run(
      "jira.transition_issue",
      { issue: "kay-3", status: goal },
      CURRENT("To Do", "new"),
      USUAL,
      POST(id),
    );
    expect(result).toEqual({
      data: { key: "KAY-3", from: "To Do", status: to, changed: true, url: DONE_URL },
      text: `KAY-3 is now ${to} (it was To Do).\n\n${DONE_URL}`,
      url: DONE_URL,
    });
  },
);

test.each([
  ["close", "Won't do", "done"],
  ["done", "Done", "done"],
  ["in progress", "In Progress", "indeterminate"],
  ["start", "In Review", "indeterminate"],
])("requesting “%s” when the issue is already %s changes nothing and says so", async (goal, name, key) => {
  const result = await run("jira.transition_issue", { issue: "KAY-3", status: goal }, CURRENT(name, key));
  expect(result).toEqual({
    data: { key: "KAY-3", status: name, changed: false, url: DONE_URL },
    text: `KAY-3 is already ${name}.`,
    url: DONE_URL,
  });
});

test("an unreachable status is answered with the reachable ones", async () => {
  const answer = run("jira.transition_issue", { issue: "KAY-3", status: "Nirvana" }, CURRENT("To Do", "new"), USUAL);
  await expect(answer).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "KAY-3 cannot move to “Nirvana” now. It can move to: To Do, In Progress, Done, Won't do.",
  });
});

test("a word for several statuses is asked back, and none of them is used", async () => {
  const steps = STEPS(["1", "a", "Shipped", "done"], ["2", "b", "Won't do", "done"]);
  const answer = run("jira.transition_issue", { issue: "KAY-3", status: "close" }, CURRENT("To Do", "new"), steps);
  await expect(answer).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "“close” could mean several statuses of KAY-3: Shipped, Won't do.",
  });
});

test("V01 an issue is created with its description as a document, its assignee as an account ID, and an empty description omitted", async () => {
  const full = {
    project: "kay",
    summary: "Login\nloops",
    type: "bug",
    description: "a\n\n- b & <b>",
    priority: "high",
    assignee: "ana",
  };
  const created = { id: "10013", key: "KAY-13", self: `${API}/issue/10013` };
  const text = (words: string) => ({ type: "paragraph", content: [{ type: "text", text: words }] });
  const list = { type: "bulletList", content: [{ type: "listItem", content: [text("b & <b>")] }] };
  const fields = {
    project: { key: "KAY" },
    issuetype: { name: "Bug" },
    summary: "Login loops",
    description: { type: "doc", version: 1, content: [text("a"), list] },
    priority: { name: "High" },
    assignee: { accountId: "557058:ana" },
  };
  const url = "https://main.atlassian.net/browse/KAY-13";
  expect(
    await run(
      "jira.create_issue",
      full,
      { request: "GET /user/search?query=ana&maxResults=20", json: [APP, ANA] },
      { request: "POST /issue", body: { fields }, status: 201, json: created },
    ),
  ).toEqual({ data: { key: "KAY-13", url }, text: `Created KAY-13: Login loops\n\n${url}`, url });
  const small = { project: { key: "KAY" }, issuetype: { name: "Task" }, summary: "x" };
  await run(
    "jira.create_issue",
    { project: "KAY", summary: " x ", description: "" },
    { request: "POST /issue", body: { fields: small }, status: 201, json: created },
  );
});

test("V01 a description longer than Jira accepts is refused before anything is sent", async () => {
  await expect(
    run("jira.create_issue", { project: "KAY", summary: "x", description: "x".repeat(40_000) }),
  ).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "The description has 40,000 characters; Jira accepts at most 32,767.",
  });
  await expect(run("jira.create_issue", { project: "KAY", summary: "x".repeat(300) })).rejects.toMatchObject({
    message: "The summary has 300 characters; Jira accepts at most 255.",
  });
});

test("V01 an error of a field is shown with the field's name", async () => {
  const message = "Operation value must be an Atlassian Document (see the Atlassian Document Format)";
  const refused = {
    request: "POST /issue",
    status: 400,
    json: { errorMessages: [], errors: { description: message } },
  };
  await expect(run("jira.create_issue", { project: "KAY", summary: "x" }, refused)).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: `Jira: description: ${message}.`,
    details: { service: "jira", service_status: 400, field: "description" },
  });
});

test("a project given by its name is looked up, and an unknown one is not guessed", async () => {
  const project = {
    request: "GET /project/search?query=Kay+platform",
    json: {
      values: [
        { key: "KP", name: "Kay Platform" },
        { key: "K2", name: "Kay platform two" },
      ],
    },
  };
  const create = { request: "POST /issue", status: 201, json: { id: "1", key: "KP-1" } };
  expect(
    (await run("jira.create_issue", { project: "Kay platform", summary: "x" }, project, create)).data,
  ).toMatchObject({ key: "KP-1" });
  const site = {
    request: "GET /project/search?query=Website",
    json: { values: [{ key: "WEB", name: "Website" }] },
  };
  expect((await run("jira.create_issue", { project: "Website", summary: "x" }, site, create)).text).toMatch(/^Created/);
  const near = {
    request: "GET /project/search?query=Kay+plat",
    json: { values: [{ key: "KP", name: "Kay Platform" }] },
  };
  await expect(run("jira.create_issue", { project: "Kay plat", summary: "x" }, near)).rejects.toMatchObject({
    message: "No project in Jira is called “Kay plat”.",
    hint: "Projects with a similar name: KP.",
  });
});

test("V09 a comment is sent as a document and its link leads to it", async () => {
  const body = {
    body: { type: "doc", version: 1, content: [{ type: "paragraph", content: [{ type: "text", text: "Done" }] }] },
  };
  const url = "https://main.atlassian.net/browse/KAY-3?focusedCommentId=501";
  expect(
    await run(
      "jira.add_comment",
      { issue: "https://main.atlassian.net/browse/KAY-3?x=1", text: "Done" },
      { request: "POST /issue/KAY-3/comment", body, status: 201, json: { id: "501" } },
    ),
  ).toEqual({ data: { key: "KAY-3", comment: "501", url }, text: `Commented on KAY-3.\n\n${url}`, url });
  await expect(run("jira.add_comment", { issue: "KAY-3", text: " " })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
  });
});

test("V09 an issue is assigned to me, to one person, or to nobody", async () => {
  const put = (assignee: unknown): Expected => ({
    request: "PUT /issue/KAY-3",
    body: { fields: { assignee } },
    status: 204,
  });
  const ana = { accountId: "557058:ana" };
  const me = await run(
    "jira.assign_issue",
    { issue: "KAY-3", assignee: "me" },
    { request: "GET /myself", json: ANA },
    put(ana),
  );
  expect(me.text).toBe(`KAY-3 is assigned to Ana Díaz.\n\n${DONE_URL}`);
  const people = {
    request: "GET /user/search?query=Ana+Díaz&maxResults=20",
    json: [{ ...ANA, accountId: "2", displayName: "Ana Díaz López" }, ANA],
  };
  await run("jira.assign_issue", { issue: "KAY-3", assignee: "Ana Díaz" }, people, put(ana));
  expect((await run("jira.assign_issue", { issue: "KAY-3", assignee: "nobody" }, put(null))).data).toMatchObject({
    assignee: null,
  });
});

test("several people with one name are asked back", async () => {
  const people = {
    request: "GET /user/search?query=Ana&maxResults=20",
    json: [ANA, { ...ANA, accountId: "2", emailAddress: "ana2@x.test" }],
  };
  await expect(run("jira.assign_issue", { issue: "KAY-3", assignee: "Ana" }, people)).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "Several people in Jira match “Ana”: Ana Díaz (ana@x.test), Ana Díaz (ana2@x.test).",
  });
});

test.each([
  ["jira.search", { project: "kay", status: "open", type: "bugs" }, "Search Jira for open bugs in KAY"],
  ["jira.search", { jql: "project = X" }, "Search Jira for issues matching project = X"],
  ["jira.get_issue", { issue: "kay-3" }, "Read KAY-3"],
  ["jira.transition_issue", { issue: "kay-3", status: "Done" }, "Move KAY-3 to Done"],
  [
    "jira.transition_issue",
    { issue: "kay-3", status: "close" },
    "Close KAY-3 (move it to a status that counts as done)",
  ],
  [
    "jira.create_issue",
    { project: "kay", summary: "x", type: "bug", assignee: "me" },
    "Create a Bug in KAY: “x” (assigned to me)",
  ],
  ["jira.add_comment", { issue: "kay-3", text: "a\nb" }, "Comment on KAY-3: “a b”"],
  ["jira.assign_issue", { issue: "kay-3", assignee: "me" }, "Assign KAY-3 to you"],
  ["jira.assign_issue", { issue: "?", assignee: "nobody" }, "Assign ? to nobody"],
])("%s %j says what it does in one line", (name, input, line) => {
  expect(summary(name, input)).toBe(line);
});

test("V02 an issue is read with its description and newest comments as text", async () => {
  const doc = (words: string) => ({
    type: "doc",
    version: 1,
    content: [{ type: "paragraph", content: [{ type: "text", text: words }] }],
  });
  const issue = {
    key: "KAY-3",
    fields: {
      summary: "Typo",
      issuetype: { name: "Bug" },
      status: status("To Do", "new"),
      priority: null,
      assignee: null,
      reporter: ANA,
      labels: ["docs"],
      created: "2026-11-01T10:00:00.000+0000",
      updated: "2026-11-02T10:00:00.000+0000",
      description: doc("Say confirm."),
      comment: { comments: [{ author: ANA, created: "2026-11-02T10:00:00.000+0000", body: doc("Yes.") }], total: 1 },
    },
  };
  const fields =
    "summary,issuetype,status,priority,assignee,updated,reporter,created,labels,duedate,parent,timespent,issuelinks,description,comment";
  const request = `GET /issue/KAY-3?fields=${fields.replaceAll(",", "%2C")}`;
  expect(await run("jira.get_issue", { issue: "KAY-3" }, { request, json: issue })).toEqual({
    data: {
      key: "KAY-3",
      summary: "Typo",
      type: "Bug",
      status: "To Do",
      status_category: "new",
      priority: undefined,
      assignee: null,
      updated: "2026-11-02T10:00:00.000+0000",
      url: DONE_URL,
      reporter: "Ana Díaz",
      created: "2026-11-01T10:00:00.000+0000",
      labels: ["docs"],
      due: null,
      parent: null,
      description: "Say confirm.",
      comments: [{ author: "Ana Díaz", created: "2026-11-02T10:00:00.000+0000", text: "Yes." }],
      comments_total: 1,
    },
    text: [
      "**KAY-3** Typo",
      "- Type: Bug\n- Status: To Do\n- Assignee: nobody\n- Reporter: Ana Díaz\n- Labels: docs\n- Updated: 2026-11-02",
      "Say confirm.",
      "**Ana Díaz**, 2026-11-02:",
      "Yes.",
    ].join("\n\n"),
    url: DONE_URL,
  });
});

test.each(["", "KAY", "3", "KAY-", "KAY-3; DROP", "../KAY-3x"])(
  "“%s” is not an issue key and nothing is requested",
  async (issue) => {
    await expect(run("jira.get_issue", { issue })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  },
);

test("projects are a table with their keys", async () => {
  const values = [{ key: "KAY", name: "Kay", projectTypeKey: "software" }];
  const url = "https://main.atlassian.net/browse/KAY";
  expect(
    await run(
      "jira.list_projects",
      { name: "ka", limit: 1 },
      { request: `GET ${API}/project/search?query=ka&orderBy=name&maxResults=1`, json: { values, total: 2 } },
    ),
  ).toEqual({
    data: { projects: [{ key: "KAY", name: "Kay", type: "software", url }], total: 2 },
    text: "The first of 2 projects with “ka”:\n\n| Key | Name | Kind |\n| --- | --- | --- |\n| KAY | Kay | software |",
    url: "https://main.atlassian.net/jira/projects",
  });
});

test("a project is the one with that key, before one with that name", async () => {
  const values = [
    { key: "WEB", name: "Shop" },
    { key: "SHOP", name: "Something else" },
  ];
  const result = await run(
    "jira.create_issue",
    { project: "Shop", summary: "Login fails" },
    { request: `GET ${API}/project/search?query=Shop`, json: { values } },
    {
      request: `POST ${API}/issue`,
      body: { fields: { project: { key: "SHOP" }, issuetype: { name: "Task" }, summary: "Login fails" } },
      json: { id: "1", key: "SHOP-1" },
    },
  );
  expect(result.data).toMatchObject({ key: "SHOP-1" });
});

const LINK_TYPES: Expected = {
  request: "GET /issueLinkType",
  json: {
    issueLinkTypes: [
      { id: "1", name: "Blocks", inward: "is blocked by", outward: "blocks" },
      { id: "2", name: "Relates", inward: "relates to", outward: "relates to" },
    ],
  },
};

test.each([
  ["blocks", "Blocks", "KAY-3", "KAY-4"],
  ["is blocked by", "Blocks", "KAY-4", "KAY-3"],
  ["Relates to", "Relates", "KAY-3", "KAY-4"],
  ["blocks ", "Blocks", "KAY-3", "KAY-4"],
])(
  "KAY-3 %s KAY-4: Jira takes the issue that the link goes out from as inwardIssue",
  async (relation, name, from, to) => {
    const body = { type: { name }, inwardIssue: { key: from }, outwardIssue: { key: to } };
    const post: Expected = { request: "POST /issueLink", body, status: 201 };
    const result = await run("jira.link_issues", { issue: "kay-3", relation, other: "KAY-4" }, LINK_TYPES, post);
    expect(result.data).toMatchObject({ key: "KAY-3", relation: relation.trim().toLowerCase(), other: "KAY-4" });
  },
);

test("a relation that Jira does not have is refused with those that it has", async () => {
  const input = { issue: "KAY-3", relation: "hates", other: "KAY-4" };
  await expect(run("jira.link_issues", input, LINK_TYPES)).rejects.toMatchObject({
    message: "Jira has no relation “hates”. Available: blocks, is blocked by, relates to.",
  });
});

test.each([
  ["2h 30m", "2h 30m"],
  ["90 minutes", "90m"],
  ["1.5 hours", "1h 30m"],
  ["0,5h", "30m"],
  ["1 day and 2 hours", "1d 2h"],
])("%s is logged as %s", async (time, timeSpent) => {
  const body = { timeSpent, started: "2026-11-27T08:00:00.000+0000" };
  const post: Expected = { request: "POST /issue/KAY-3/worklog", body, status: 201, json: { id: "9", timeSpent } };
  const input = { issue: "KAY-3", time, started: "2026-11-27T08:00" };
  expect((await run("jira.log_work", input, post)).text).toMatch(`Logged ${timeSpent} on KAY-3.`);
});

test.each(["0h", "2", "2 halves of a day", "1.5d", "2h and a bit", "2 months"])(
  "“%s” is not a length of time",
  async (time) => {
    await expect(run("jira.log_work", { issue: "KAY-3", time })).rejects.toMatchObject({ details: { field: "time" } });
  },
);
