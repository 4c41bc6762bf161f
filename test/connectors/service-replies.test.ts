import { expect, test } from "vitest";
import * as z from "zod/mini";
import type { EffectLog } from "#agent/calls/effect";
import { runToolCall } from "#agent/calls/run-tool";
import { UNATTENDED_CONTEXT } from "#agent/tool";
import { configureServices } from "#connectors/catalogue";
import { toToolResult } from "#connectors/custom/result";
import { github } from "#connectors/github/github";
import { parseAnswer, parseJson } from "#connectors/http/body";
import { parseServiceFault } from "#connectors/http/service-fault";
import { jira } from "#connectors/jira/jira";
import { type Expected, httpOver, outside } from "./support/outside.ts";

test.each([
  ['{"title":"Unprocessable","detail":"end before start"}', "end before start"],
  ['{"title":"Unprocessable"}', "Unprocessable"],
  ['{"detail":[{"loc":["body","name"],"msg":"field required"}]}', "field required"],
  ['{"errors":["Name is taken"]}', "Name is taken"],
  ['[{"errorCode":"INVALID_FIELD","message":"No such column"}]', "No such column"],
  ['{"fault":{"faultstring":"Quota is used up","detail":{"errorcode":"policies.x"}}}', "Quota is used up"],
  ['{"success":false,"error":{"code":104,"info":"Your plan is too small"}}', "Your plan is too small"],
  ['{"msg":"bad request"}', "bad request"],
  ['{"errorMessage":"end before start","code":7}', "end before start"],
  ['{"meta":{"code":400},"response":{"errors":["Name is missing here"]}}', "Name is missing here"],
  ['{"error":"NOT_FOUND"}', ""],
  ['{"error":{"type":"not_found"}}', ""],
  ['{"a":{"b":{"c":{"d":{"e":{"message":"too deep"}}}}}}', ""],
  ["plain words", "plain words"],
  ["", ""],
  ["<html>no</html>", ""],
  [`${"x".repeat(5_000)}`, ""],
  ["two\nlines", ""],
])("B257 the service's own reason is read from %.60s", (body, message) => {
  expect(parseServiceFault(body).message).toBe(message);
});

test("B256 integers that a number cannot hold keep their digits", () => {
  expect(parseJson('{"items":[{"id":9007199254740993},{"id":12345678901234567890},{"id":-9007199254740993}]}')).toEqual(
    {
      items: [{ id: "9007199254740993" }, { id: "12345678901234567890" }, { id: "-9007199254740993" }],
    },
  );
  expect(parseJson('[1, 9007199254740991, 0.1, 1e3, 1e400, "9007199254740993"]')).toEqual([
    1,
    9007199254740991,
    0.1,
    1000,
    "1e400",
    "9007199254740993",
  ]);
});

const send = (reply: Omit<Expected, "request">, method: "GET" | "POST") => {
  const world = outside({ request: `${method} https://api.atlassian.com/hook`, ...reply } as Expected);
  return httpOver(world, jira).http.request({ method, path: "/hook", answer: z.unknown() });
};

test("B258 a successful write is a success whatever its body, and its text is shown", async () => {
  expect(await send({ status: 200, text: "ok\n" }, "POST")).toBe("ok");
  expect(await send({ status: 201, text: "<html>created</html>" }, "POST")).toBeUndefined();
});

const List = z.object({
  items: z.nullish(z.array(z.object({ id: z.string(), tags: z.array(z.object({ id: z.string() })) }))),
});
const item = (id: unknown, ...tags: object[]) => ({ id, tags });

test.each([
  ["an item without its ID", { items: [item("1"), item(null), item("3")] }, ["1", "3"], 1],
  ["an item of another type", { items: ["1", item("2"), 3] }, ["2"], 2],
  ["a part of an item without its ID", { items: [item("1", {}, { id: "t" })] }, ["1"], 1],
  ["the only item instead of a list", { items: item("1") }, ["1"], undefined],
  ["an empty object instead of a list", { items: {} }, [], undefined],
])("%s does not hide the others of a list", async (_, answer, ids, leftOut) => {
  const parsed = parseAnswer(List, answer) as { value: z.output<typeof List>; leftOut?: number };
  expect(parsed.value.items?.map(({ id }) => id)).toEqual(ids);
  expect(parsed.leftOut).toBe(leftOut);
});

test.each([
  ["no item with an ID", { items: [item(null), { name: "x" }] }, "items.0.id is not of type string"],
  ["text instead of a list", { items: "none" }, "items is not of type array"],
])("%s is not an empty list", (_, answer, reason) => {
  expect(parseAnswer(List, answer)).toEqual({ wrong: reason });
});

test("null is an empty list where a list is documented, and stays null elsewhere", () => {
  expect(parseAnswer(z.array(List), null)).toEqual({ value: [] });
  expect(parseAnswer(z.unknown(), null)).toEqual({ value: null });
});

test("the user and the model read that a list lacks items", async () => {
  const issue = { number: 1, title: "Login fails", state: "open", html_url: "https://github.com/a/b/issues/1" };
  const configuration = configureServices({ clients: {} }).find(({ service }) => service === github);
  const tool = github.tools.find(({ name }) => name === "github.list_issues");
  if (!configuration || !tool) throw new Error("GitHub has no such tool.");
  const access = {
    services: [configuration],
    fetch: async () => Response.json([issue, { title: "Lost" }]),
    clock: { now: () => 0 },
    access: async () => ({ token: "T0", metadata: { url: "https://github.com", login: "dana" } }),
    effects: { scope: "s" } as EffectLog,
  };
  const context = { ...UNATTENDED_CONTEXT, toolCallId: "c1", signal: new AbortController().signal, report: () => {} };
  const result = await runToolCall(access, configuration, tool, { input: { repository: "a/b" }, context });
  const note = "Left out 1 item that GitHub sent in a form that kay cannot use: 1.number is missing.";
  expect(result.text).toContain(`Login fails`);
  expect(result.text).toMatch(new RegExp(`\n\n${note}$`));
  expect(result.data).toMatchObject({ issues: [{ number: 1 }], left_out: note });
});

const NEEDS = z.looseObject({ id: z.string() });
const NEEDS_NOTHING = z.looseObject({ range: z.nullish(z.string()) });

test.each([{ json: {} }, { json: { id: null } }, { json: [] }, { text: "ok" }, { text: "" }])(
  "B258 a write without the ID that its tool needs has an unknown outcome: %j",
  async (reply) => {
    const world = outside({ request: "POST https://api.atlassian.com/hook", status: 200, ...reply } as Expected);
    const request = httpOver(world, jira).http.request({ method: "POST", path: "/hook", answer: NEEDS });
    await expect(request).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
  },
);

test.each([{ json: {} }, { text: "ok" }, { text: "" }, { text: "<html></html>" }])(
  "B258 a write whose tool needs nothing from the response is done: %j",
  async (reply) => {
    const world = outside({ request: "POST https://api.atlassian.com/hook", status: 200, ...reply } as Expected);
    const request = httpOver(world, jira).http.request({ method: "POST", path: "/hook", answer: NEEDS_NOTHING });
    expect(await request).toEqual({});
  },
);

const WRITE = { title: "Odd", reads: false };

test.each([
  [undefined, "ok", "Done.\n\nok"],
  [{ items: "results" }, "ok", "Done.\n\nok"],
  [{ items: "results" }, { results: { id: 7 } }, "Done."],
  [{ items: "results" }, undefined, "Done."],
  [{ summary: "Sent {title}" }, "ok", "Sent a.\n\nok"],
])("B258 a custom write is done whatever its response: %j %j", (description, answer, text) => {
  expect(toToolResult(WRITE, description, answer, { title: "a" }).text).toBe(text);
});

test.each([
  [{ data: null, errors: [{ message: "No such user" }] }, "Odd: No such user."],
  [{ errors: [{ message: "Syntax error", locations: [] }] }, "Odd: Syntax error."],
  [{ ok: false, error_code: 400, description: "Bad Request: chat not found" }, "Odd: Bad Request: chat not found."],
  [{ success: false, error: { info: "Your plan is too small" } }, "Odd: Your plan is too small."],
  [{ error: { code: 403, message: "The caller lacks permission" } }, "Odd: The caller lacks permission."],
  [{ error: "Invalid key", data: null }, "Odd: Invalid key."],
  [{ error: "NOT_FOUND" }, "Odd: NOT_FOUND."],
  [{ status: "error", message: "Unable to reach the database" }, "Odd: Unable to reach the database."],
  [{ cod: "401", message: "Invalid API key" }, "Odd: Invalid API key."],
  [{ fault: { faultstring: "Rate limit is over", detail: {} } }, "Odd: Rate limit is over."],
])("a failure with a success status is a failure: %j", (answer, message) => {
  for (const reads of [true, false])
    expect(() => toToolResult({ title: "Odd", reads }, undefined, answer, {})).toThrow(
      expect.objectContaining({ message, hint: "" }),
    );
});

test.each([
  [{ ok: true, id: 7 }, ""],
  [{ success: false }, ""],
  [{ errors: [], data: { id: 7 } }, ""],
  [{ id: 7, status: "error", error: "The build failed" }, ""],
  [{ error: null, message: "Sent" }, ""],
  [{ error: false, code: 200 }, ""],
  [
    { data: { id: 7 }, errors: [{ message: "No right to see “owner”" }] },
    "\n\nOdd also reports: No right to see “owner”.",
  ],
])("errors beside data are a note: %j", (answer, note) => {
  const { text } = toToolResult({ title: "Odd", reads: true }, { summary: "Read" }, answer, {});
  expect(text).toBe(`Read.${note}`);
});

test("a list that comes without the field that should hold it is the list", () => {
  const { text } = toToolResult({ ...WRITE, reads: true }, { items: "results" }, [{ id: 7 }], {});
  expect(text).toContain("| 7 |");
});

test("B258 a custom read whose list is not a list is an error", () => {
  expect(() => toToolResult({ ...WRITE, reads: true }, { items: "results" }, { results: { id: 7 } }, {})).toThrow(
    "Odd returned an unexpected response: results is not a list.",
  );
});

test("B231 a rate limit says the service's own reason", async () => {
  const json = { errorType: "RATE_LIMIT", message: "You have reached your daily limit.", policyName: "DAILY" };
  const headers = { "retry-after": "120" };
  await expect(send({ status: 429, json, headers }, "GET")).rejects.toMatchObject({
    code: "RATE_LIMITED",
    message: "Jira is receiving too many requests: You have reached your daily limit.",
  });
});

test.each([
  [
    { message: "You have reached your daily limit." },
    "Wait until Jira resets the limit, or ask an administrator to raise it.",
  ],
  [{ message: "You have exceeded 100 requests per 10 seconds." }, "Try again in a moment."],
])("B231 the advice fits the limit: %j", async (json, hint) => {
  const limited = { request: "GET https://api.atlassian.com/hook", status: 429, json };
  const { http } = httpOver(outside(limited, limited, limited), jira);
  await expect(http.request({ path: "/hook", answer: z.unknown() })).rejects.toMatchObject({ hint });
});

test.each([400, 404, 409, 410, 422])("B232 HTTP %i never refers to a status page", async (status) => {
  const failed = await send({ status, json: {} }, "GET").then(
    () => undefined,
    (error: { hint: string }) => error,
  );
  expect(failed?.hint).toBeTruthy();
  expect(failed?.hint).not.toContain("status page");
});

const failure = (request: Promise<unknown>) =>
  request.then(
    () => ({}),
    (error: unknown) => error as Record<string, unknown>,
  );
const GITHUB = "https://api.github.com";
const askGithub = (replies: Omit<Expected, "request">[], method: "GET" | "POST" = "GET") => {
  const world = outside(...replies.map((reply) => ({ request: `${method} ${GITHUB}/x`, ...reply }) as Expected));
  const body = method === "POST" ? { title: "x" } : undefined;
  return httpOver(world, github).http.request({ method, path: "/x", body, answer: NEEDS });
};

// https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#handle-rate-limit-errors-appropriately
test("a secondary rate limit without headers is a limit, and names the minute that GitHub requires", async () => {
  const json = { message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again." };
  const hint = "Try again in 60 s.";
  expect(await failure(askGithub([{ status: 403, json }]))).toMatchObject({ code: "RATE_LIMITED", hint });
});

// https://developers.google.com/workspace/calendar/api/guides/errors
test.each(["quotaExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"])(
  "403 %s is a rate limit",
  async (reason) => {
    const limited = {
      request: "GET https://api.atlassian.com/x",
      status: 403,
      json: { error: { errors: [{ reason }] } },
    };
    const { http, pauses } = httpOver(outside(limited, limited, limited), jira);
    expect(await failure(http.request({ path: "/x", answer: NEEDS }))).toMatchObject({ code: "RATE_LIMITED" });
    expect(pauses).toHaveLength(2);
  },
);

test.each([
  ["5400", "Try again in 90 min."],
  ["Mon, 30 Nov 2026 12:00:00 GMT", "Try again in 3 days (until 2026-11-30)."],
  ["9999999", "Try again in 116 days (until 2027-03-23)."],
])("Retry-After: %s is shown in words", async (after, hint) => {
  const [status, headers] = [429, { "retry-after": after, date: "Fri, 27 Nov 2026 12:00:00 GMT" }];
  expect(await failure(send({ status, headers }, "GET"))).toMatchObject({ code: "RATE_LIMITED", hint });
});

// https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
test("a write follows 307 within the origin, with its body: a repository was renamed", async () => {
  const world = outside(
    { request: `POST ${GITHUB}/x`, status: 307, headers: { location: `${GITHUB}/repositories/1/issues` } },
    { request: `POST ${GITHUB}/repositories/1/issues`, body: { title: "x" }, status: 201, json: { id: "7" } },
  );
  const { http } = httpOver(world, github);
  expect(await http.request({ method: "POST", path: "/x", body: { title: "x" }, answer: NEEDS })).toEqual({ id: "7" });
});

test.each([
  ["GET", 304, {}, "SERVICE_FAILED", "GitHub returned an unexpected response (HTTP 304)."],
  [
    "GET",
    302,
    { location: "https://login.test/?u=1" },
    "SERVICE_FAILED",
    "GitHub redirected to another site (login.test).",
  ],
  [
    "POST",
    308,
    { location: "https://login.test/" },
    "SERVICE_FAILED",
    "GitHub redirected to another site (login.test).",
  ],
  ["POST", 303, { location: "/done" }, "OUTCOME_UNKNOWN", "GitHub redirected the request (HTTP 303)."],
] as const)("%s that gets %i is reported as what it is", async (method, status, headers, code, message) => {
  const details = await failure(askGithub([{ status, headers }], method));
  expect(details).toMatchObject({ code, message: expect.stringContaining(message) });
});

test.each([
  // https://docs.github.com/en/enterprise-cloud@latest/rest/authentication/authenticating-to-the-rest-api
  [
    {
      status: 403,
      headers: { "x-github-sso": "required; url=https://github.com/orgs/acme/sso?authorization_request=A1" },
    },
    "Open https://github.com/orgs/acme/sso?authorization_request=A1 and authorize kay for the organization, then try again.",
  ],
  [
    { status: 403, json: { message: "The app is not installed on this instance" } },
    "Run `kay connect github`, then try again.",
  ],
  // https://developers.notion.com/reference/status-codes
  [
    { status: 409, json: { code: "conflict_error", message: "Conflict occurred while saving. Please try again." } },
    "Try again in a moment.",
  ],
  // https://learn.microsoft.com/en-us/linkedin/marketing/versioning
  [
    { status: 426, json: { code: "NONEXISTENT_VERSION", message: "Requested version 20260501 is not active" } },
    "This version of kay uses an old version of GitHub's API. Install a newer release of kay.",
  ],
  [
    { status: 451, json: { message: "Repository access blocked" } },
    "Check the name, and that you can open it in GitHub.",
  ],
])("V15 V18 V22 the hint says what the user can do about %j", async (reply, hint) => {
  expect(await failure(askGithub([reply]))).toMatchObject({ code: "SERVICE_FAILED", hint });
});

test.each([
  // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api
  [
    '{"message":"See errorDetails","errorDetails":{"inputErrors":[{"description":"Content is a duplicate","code":"DUPLICATE_POST"}]}}',
    "Content is a duplicate; See errorDetails",
  ],
  [
    '{"message":"com.atlassian.confluence.api.service.exceptions.BadRequestException: Could not parse cql : x"}',
    "Could not parse cql : x",
  ],
])("the reason is read from %.60s", (body, message) => {
  expect(parseServiceFault(body).message).toBe(message);
});

test.each<[string, number[], BufferEncoding, string]>([
  ["no charset", [0xff, 0xfe], "utf16le", "application/json"],
  ["another charset", [0xff, 0xfe], "utf16le", "application/json; charset=utf-8"],
])("a body of UTF-16 with its mark and %s is read", async (_, mark, encoding, type) => {
  const bytes = Buffer.concat([Buffer.from(mark), Buffer.from('{"id":"café"}', encoding)]);
  const fetch = async () => new Response(bytes, { headers: { "content-type": type } });
  expect(await httpOver({ fetch }, jira).http.request({ path: "/x", answer: NEEDS })).toEqual({ id: "café" });
});

test("a body of UTF-16 with its most significant bytes first is read", async () => {
  const bytes = Buffer.from('\uFEFF{"id":"café"}', "utf16le").swap16();
  const fetch = async () => new Response(bytes, { headers: { "content-type": "application/json; charset=utf-16" } });
  expect(await httpOver({ fetch }, jira).http.request({ path: "/x", answer: NEEDS })).toEqual({ id: "café" });
});

test("a body in another charset is read as its content type says", async () => {
  const bytes = Buffer.from('{"id":"café"}', "latin1");
  const fetch = async () =>
    new Response(bytes, { headers: { "content-type": "application/json; charset=iso-8859-1" } });
  expect(await httpOver({ fetch }, jira).http.request({ path: "/x", answer: NEEDS })).toEqual({ id: "café" });
});

test("a truncated response is distinguished from an unreachable service", async () => {
  const createBrokenStream = () =>
    new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) });
  const { http } = httpOver({ fetch: async () => new Response(createBrokenStream()) }, jira);
  const details = await failure(http.request({ path: "/x", answer: NEEDS }));
  expect(details).toMatchObject({ code: "SERVICE_FAILED", message: "Jira broke off its response." });
});

test("values of another type than documented are read, and null in a list is left out", async () => {
  const item = z.looseObject({ id: z.string(), count: z.nullish(z.number()), name: z.nullish(z.string()) });
  const answer = z.looseObject({ items: z.array(item), labels: z.nullish(z.array(z.string())) });
  const items = [null, { id: 7, count: "12.5", name: true }, null, { id: "b", count: null }];
  const world = outside({ request: "GET https://api.atlassian.com/x", json: { items, labels: ["a", null, 4] } });
  expect(await httpOver(world, jira).http.request({ path: "/x", answer })).toEqual({
    items: [
      { id: "7", count: 12.5, name: "true" },
      { id: "b", count: null },
    ],
    labels: ["a", "4"],
  });
  const page = z.looseObject({ isLast: z.boolean(), total: z.nullish(z.number()), by: z.nullish(z.looseObject({})) });
  const odd = outside({ request: "GET https://api.atlassian.com/x", json: { isLast: "True", total: {}, by: "Ann" } });
  expect(await httpOver(odd, jira).http.request({ path: "/x", answer: page })).toEqual({ isLast: true });
  const lost = outside({ request: "GET https://api.atlassian.com/x", json: { items: [{ id: null }] } });
  expect(await failure(httpOver(lost, jira).http.request({ path: "/x", answer }))).toMatchObject({
    message: "Jira returned an unexpected response: items.0.id is not of type string.",
  });
});
