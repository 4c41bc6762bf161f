import { expect, test } from "vitest";
import * as z from "zod/mini";
import { jira } from "#connectors/jira/jira";
import { Problem } from "#protocol/errors";
import { type Expected, httpOver, outside } from "./support/outside.ts";

const API = "https://api.atlassian.com";
const Thing = z.looseObject({ name: z.string() });

/** The error of a rejected promise, as users and programs see it. */
async function problem(promise: Promise<unknown>) {
  const error = await promise.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Problem)) throw error;
  const { code, message, hint, details } = error;
  return { code, message, hint, details };
}

function get(...answers: Omit<Expected, "request">[]) {
  const world = outside(...answers.map((answer) => ({ request: `GET ${API}/thing`, ...answer })));
  const { http, pauses } = httpOver(world, jira);
  return { world, pauses, answer: () => http.request({ path: "/thing", answer: Thing }) };
}

function post(...answers: Omit<Expected, "request">[]) {
  const world = outside(...answers.map((answer) => ({ request: `POST ${API}/thing`, ...answer })));
  const { http, pauses } = httpOver(world, jira, { idempotencyKey: "effect_1" });
  return {
    world,
    pauses,
    answer: (schema: z.ZodMiniType<unknown> = z.unknown()) =>
      http.request({ method: "POST", path: "/thing", body: { a: 1 }, answer: schema }),
  };
}

function fault(code: string): Error {
  return Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(code), { code }) });
}

test("a request has the token and accepts JSON, and a write has its idempotency key", async () => {
  const { world, answer } = post({ status: 201, json: { name: "x" } });
  expect(await answer(Thing)).toEqual({ name: "x" });
  expect(world.asked).toEqual([
    {
      request: `POST ${API}/thing`,
      body: { a: 1 },
      token: "T0",
      headers: {
        accept: "application/json",
        authorization: "Bearer T0",
        "content-type": "application/json",
        "idempotency-key": "effect_1",
      },
    },
  ]);
});

test("a service that repeats the token of the request hides it, in a result and in an error", async () => {
  const token = "xoxp-1234567890-abcdef";
  const request = `GET ${API}/thing`;
  const world = outside(
    { request, json: { name: `you sent ${token}` } },
    { request, status: 400, json: { errorMessages: [`bad token ${token}`] } },
  );
  const { http } = httpOver(world, jira, { token: async () => token });
  expect(await http.request({ path: "/thing", answer: Thing })).toEqual({ name: "you sent [redacted]" });
  const { message } = await problem(http.request({ path: "/thing", answer: Thing }));
  expect(message).toContain("bad token [redacted]");
});

test("basic authentication is hidden in each of its forms", async () => {
  const [name, key] = ["ann@example.com", "0123456789abcdef+/"];
  const encodedKey = Buffer.from(`${name}:${key}`).toString("base64");
  const repeated = JSON.stringify({ name: `Basic ${encodedKey}; ${name} has ${key}` }).replace(
    key,
    key.replace("/", "\\u002f"),
  );
  const world = outside({ request: `GET ${API}/thing`, text: repeated });
  const service = { ...jira, credential: { kind: "basic" } as const };
  const { http } = httpOver(world, service, { token: async () => `${name}:${key}` });
  const answer = await http.request({ path: "/thing", answer: Thing });
  expect(answer).toEqual({ name: `Basic [redacted]; ${name} has [redacted]` });
});

test("undefined query fields are omitted, the others are encoded", async () => {
  const world = outside({ request: `GET ${API}/thing?q=a+b%26c&n=2`, json: { name: "x" } });
  const { http } = httpOver(world, jira);
  const query = { q: "a b&c", n: 2, none: undefined };
  expect(await http.request({ path: "/thing", query, answer: Thing })).toEqual({ name: "x" });
});

test.each([
  ["204 without a body", { status: 204 }],
  ["200 with an empty body", { status: 200, text: "" }],
  ["202 with white space", { status: 202, text: "\n" }],
])("V09 a write answered by %s is a success, sent once and never parsed", async (_, reply) => {
  const { world, answer } = post(reply);
  expect(await answer()).toBe(undefined);
  expect(world.asked.length).toBe(1);
});

test("an answer of another shape is one sentence that names the field", async () => {
  expect(await problem(get({ json: { name: [] } }).answer())).toMatchObject({
    code: "SERVICE_FAILED",
    message: "Jira returned an unexpected response: name is not of type string.",
  });
  expect(await problem(get({ json: {} }).answer())).toMatchObject({
    message: "Jira returned an unexpected response: name is missing.",
  });
  expect(await problem(get({ text: "<html>hello</html>" }).answer())).toMatchObject({
    message: "Jira returned an unexpected response: the body is not JSON but a web page.",
  });
});

test("an accepted write with an unreadable answer has an unknown outcome, never a retryable failure", async () => {
  const { world, answer } = post({ status: 201, text: "<html>" });
  expect(await problem(answer(Thing))).toEqual({
    code: "OUTCOME_UNKNOWN",
    message: "Jira accepted the request, but its response is unexpected: the body is not JSON but a web page.",
    hint: "Check Jira before you try again.",
    details: {},
  });
  expect(world.asked.length).toBe(1);
});

test("a refused token is refreshed once, and the request sent again with the new one", async () => {
  const world = outside(
    { request: `GET ${API}/thing`, status: 401, json: { type: "error", error: { message: "Token is expired" } } },
    { request: `GET ${API}/thing`, json: { name: "x" } },
  );
  const rejected: string[] = [];
  const onRejected = async (token: string) => {
    rejected.push(token);
    return "T1";
  };
  const { http } = httpOver(world, jira, { onRejected });
  expect(await http.request({ path: "/thing", answer: Thing })).toEqual({ name: "x" });
  expect([rejected, world.asked.map(({ token }) => token)]).toEqual([["T0"], ["T0", "T1"]]);
});

test("a write refused with 401 was not done, so it is sent again with the new token", async () => {
  const world = outside(
    { request: `POST ${API}/thing`, status: 401, json: {} },
    { request: `POST ${API}/thing`, status: 204 },
  );
  const { http } = httpOver(world, jira, { onRejected: async () => "T1" });
  expect(await http.request({ method: "POST", path: "/thing", body: {}, answer: z.unknown() })).toBe(undefined);
});

test.each(["/repos/../../user/issues", "/items/..", "/items/.?a=1", "/items/%2e%2E/x", "/items/..\\x"])(
  "a name in a path never leads to another address of the service: %s",
  async (path) => {
    const world = outside();
    const { http } = httpOver(world, jira);
    expect(await problem(http.request({ path, answer: Thing }))).toMatchObject({
      code: "INVALID_REQUEST",
      message: "“.” and “..” are not names in Jira.",
    });
    expect(world.asked).toEqual([]);
  },
);

test("a new token that is refused too ends as AUTH_REQUIRED, without a loop", async () => {
  const refused = { request: `GET ${API}/thing`, status: 401, json: { code: 401, message: "Unauthorized" } };
  const world = outside(refused, refused);
  const { http } = httpOver(world, jira, { onRejected: async () => "T1" });
  expect(await problem(http.request({ path: "/thing", answer: Thing }))).toEqual({
    code: "AUTH_REQUIRED",
    message: "Jira rejected the stored credentials.",
    hint: "Run `kay connect jira`, then ask again.",
    details: { integrations: ["jira"] },
  });
  world.done();
});

test.each([
  ["Jira", 401, { code: 401, message: "Unauthorized; scope does not match" }, ["write:jira-work"]],
  [
    "Bitbucket",
    403,
    {
      type: "error",
      error: {
        message: "Your credentials lack one or more required privilege scopes.",
        detail: { granted: ["account"], required: ["pullrequest:write"] },
      },
    },
    ["pullrequest:write"],
  ],
])(
  "V02 a missing scope of %s names the permission and does not count as an invalid token",
  async (_, status, json, scopes) => {
    const world = outside({ request: `GET ${API}/thing`, status, json });
    const { http } = httpOver(world, jira, { onRejected: async () => expect.unreachable("no refresh cures a scope") });
    expect(await problem(http.request({ path: "/thing", answer: Thing, scope: "write:jira-work" }))).toEqual({
      code: "SERVICE_FAILED",
      message: `The connection to Jira lacks the permission ${scopes[0]}.`,
      hint: "Run `kay disconnect jira`, then `kay connect jira`, and allow the permission.",
      details: { service: "jira", service_status: status, scopes },
    });
  },
);

test.each([
  [{ errorMessages: ["INVALID_INPUT"], errors: {} }, "Jira: INVALID_INPUT."],
  [
    { errorMessages: [], errors: { summary: "You must specify a summary" } },
    "Jira: summary: You must specify a summary.",
  ],
  [{ code: 400, message: "Bad\nthing\u001b[31m happened." }, "Jira: Bad thing happened."],
  [{ errors: [{ status: 400, code: "INVALID", title: "Page is gone", detail: null }] }, "Jira: Page is gone."],
  [
    { type: "error", error: { message: "Bad request", fields: { title: ["required key not provided"] } } },
    "Jira: Bad request; title: required key not provided.",
  ],
  [{ error: "invalid", error_description: "It is wrong" }, "Jira: It is wrong."],
  [{ error: "invalid_thing" }, "Jira: invalid_thing."],
  [{ statusCode: 400, message: "<html><h1>no</h1></html>" }, "Jira rejected the request."],
  [[], "Jira rejected the request."],
  [{ errorMessages: null, errors: "x", error: 7 }, "Jira rejected the request."],
])("V02 the error body %j is shown as one readable sentence", async (json, message) => {
  expect((await problem(get({ status: 400, json }).answer())).message).toBe(message);
});

test("an HTML error page is never shown", async () => {
  expect(await problem(get({ status: 404, text: "<html><h1>nginx</h1></html>" }).answer())).toEqual({
    code: "SERVICE_FAILED",
    message: "Jira could not find it, or this account may not see it.",
    hint: "Check the name, and that you can open it in Jira.",
    details: { service: "jira", service_status: 404 },
  });
});

test("reads are retried after network faults and 5xx, with pauses, at most three times", async () => {
  const good = get({ fault: fault("ECONNRESET") }, { status: 503, text: "<html>" }, { json: { name: "x" } });
  expect(await good.answer()).toEqual({ name: "x" });
  expect(good.pauses).toEqual([500, 1000]);
  const bad = get({ status: 500 }, { status: 502 }, { status: 503, text: "<html>Service Unavailable</html>" });
  expect((await problem(bad.answer())).message).toBe("Jira failed (HTTP 503).");
  bad.world.done();
  const unreachable = get({ fault: fault("ENOTFOUND") }, { fault: fault("ENOTFOUND") }, { fault: fault("ENOTFOUND") });
  expect(await problem(unreachable.answer())).toMatchObject({
    code: "SERVICE_FAILED",
    message: "Jira could not be reached.",
  });
});

test("429 waits as long as Retry-After says, for writes too, because nothing was done", async () => {
  const seconds = post({ status: 429, headers: { "retry-after": "3" } }, { status: 204 });
  expect(await seconds.answer()).toBe(undefined);
  expect(seconds.pauses).toEqual([3000]);
  const date = get(
    { status: 429, headers: { "retry-after": "Fri, 27 Nov 2026 12:00:07 GMT" } },
    { status: 429 },
    { json: { name: "x" } },
  );
  expect(await date.answer()).toEqual({ name: "x" });
  expect(date.pauses).toEqual([7000, 1000]);
});

test("429 ends after three attempts, and at once when the pause would be longer than 30 s", async () => {
  const thrice = get({ status: 429 }, { status: 429 }, { status: 429 });
  expect(await problem(thrice.answer())).toMatchObject({ code: "RATE_LIMITED", hint: "Try again in a moment." });
  thrice.world.done();
  const long = post({ status: 429, headers: { "retry-after": "120" } });
  expect(await problem(long.answer())).toMatchObject({
    code: "RATE_LIMITED",
    message: "Jira is receiving too many requests.",
    hint: "Try again in 120 s.",
  });
  expect(long.pauses).toEqual([]);
});

test.each([
  [
    "the connection broke",
    { fault: fault("ECONNRESET") },
    "The response from Jira was lost. The request may have been processed.",
  ],
  ["500", { status: 500 }, "Jira failed while processing the request (HTTP 500). The request may have been processed."],
  [
    "504",
    { status: 504, text: "<html>" },
    "Jira failed while processing the request (HTTP 504). The request may have been processed.",
  ],
])("a write whose answer is lost (%s) is never repeated and ends as OUTCOME_UNKNOWN", async (_, reply, message) => {
  const { world, answer } = post(reply);
  expect(await problem(answer())).toMatchObject({ code: "OUTCOME_UNKNOWN", message });
  expect(world.asked.length).toBe(1);
});

test.each([
  ["no connection could be made", { fault: fault("ECONNREFUSED") }, "Jira could not be reached."],
  ["503", { status: 503 }, "Jira failed (HTTP 503)."],
])("a write that was certainly not done (%s) is a plain failure", async (_, reply, message) => {
  expect(await problem(post(reply).answer())).toMatchObject({ code: "SERVICE_FAILED", message });
});

test.each([
  ["ENOTFOUND", "No address was found for its name. Check the network, and set HTTPS_PROXY if you need a proxy."],
  ["EAI_AGAIN", "No address was found for its name. Check the network, and set HTTPS_PROXY if you need a proxy."],
  ["ENETUNREACH", "This machine has no route to it. Check the network, and set HTTPS_PROXY if you need a proxy."],
  [
    "UND_ERR_CONNECT_TIMEOUT",
    "Its address did not answer in time. Check the network, and set HTTPS_PROXY if you need a proxy.",
  ],
  ["ECONNREFUSED", "Nothing answers at its address. Check that it runs and that the address is right."],
])(
  "the hint of a service that cannot be reached (%s) is about the way to it, not its status page",
  async (code, hint) => {
    const { answer } = get({ fault: fault(code) }, { fault: fault(code) }, { fault: fault(code) });
    expect(await problem(answer())).toMatchObject({
      message: "Jira could not be reached.",
      hint: `${hint} \`kay doctor jira\` checks each step.`,
    });
  },
);

test.each([
  ["ECONNRESET", "Jira closed the connection without a response."],
  ["UND_ERR_SOCKET", "Jira closed the connection without a response."],
  ["HPE_INVALID_CONSTANT", "Jira returned a response that is not valid HTTP."],
  ["UND_ERR_HEADERS_OVERFLOW", "Jira returned a response that is not valid HTTP."],
])("a service that can be reached and breaks off (%s) is not called unreachable", async (code, message) => {
  const { answer } = get({ fault: fault(code) }, { fault: fault(code) }, { fault: fault(code) });
  expect(await problem(answer())).toMatchObject({ code: "SERVICE_FAILED", message });
});

test("V20 an absolute URL of another host is not requested, and no token goes there", async () => {
  const world = outside();
  const { http } = httpOver(world, jira);
  for (const path of [
    "https://evil.example.test/2.0/x?page=2",
    "https://api.atlassian.com.evil.test/x",
    "http://api.atlassian.com/x",
  ]) {
    expect(await problem(http.request({ path, answer: Thing }))).toMatchObject({ code: "SERVICE_FAILED" });
  }
  expect(world.asked).toEqual([]);
});

test("redirects of reads are followed within the origin only", async () => {
  const world = outside(
    { request: `GET ${API}/thing`, status: 301, headers: { location: "/other" } },
    { request: `GET ${API}/other`, json: { name: "x" } },
  );
  expect(await httpOver(world, jira).http.request({ path: "/thing", answer: Thing })).toEqual({ name: "x" });
  const away = get({ status: 302, headers: { location: "https://evil.example.test/" } });
  expect((await problem(away.answer())).message).toBe(
    "Jira redirected to another site (evil.example.test). kay does not follow such redirects.",
  );
});

test("a service that never answers is given up after the limit", async () => {
  const http = httpOver({ fetch: silent }, jira, { timeout: 5 }).http;
  expect((await problem(http.request({ path: "/thing", answer: Thing }))).message).toBe("Jira did not answer in time.");
  const write = http.request({ method: "PUT", path: "/thing", body: {}, answer: Thing });
  expect((await problem(write)).code).toBe("OUTCOME_UNKNOWN");
});

test("a cancelled request says so, and one cancelled earlier is not sent", async () => {
  const controller = new AbortController();
  const { http } = httpOver({ fetch: silent }, jira, { signal: controller.signal });
  const running = problem(http.request({ path: "/thing", answer: Thing }));
  await new Promise(setImmediate);
  controller.abort();
  expect(await running).toMatchObject({ code: "CANCELLED", message: "The request to Jira was canceled." });
  const world = outside();
  const late = httpOver(world, jira, { signal: controller.signal }).http;
  const write = late.request({ method: "POST", path: "/thing", body: {}, answer: Thing });
  expect((await problem(write)).code).toBe("CANCELLED");
});

test("an answer larger than kay reads is refused", async () => {
  const huge = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)) });
  const http = httpOver({ fetch: async () => new Response(huge) }, jira).http;
  expect(await problem(http.request({ path: "/thing", answer: Thing }))).toMatchObject({
    code: "SERVICE_FAILED",
    message: "The response from Jira was too large.",
  });
});

/** A service that accepts the request and stays silent until it is given up. */
function silent(_: string, { signal }: RequestInit = {}): Promise<Response> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

test.each([
  [
    "HubSpot's errors beside results",
    { status: "COMPLETE", results: [{ id: "1" }], numErrors: 1, errors: [{ status: "error", message: "Not found." }] },
    "OUTCOME_UNKNOWN",
    "Jira did only part of the request; 1 of 2 items failed: Not found.",
  ],
  [
    "a status for each item",
    [
      { id: 1, status: 201 },
      { id: 2, status: "409", body: { error: { message: "Already exists" } } },
    ],
    "OUTCOME_UNKNOWN",
    "Jira did only part of the request; 1 of 2 items failed: Already exists.",
  ],
  [
    "a flag for each item, without a reason",
    { items: [{ success: true }, { success: false }, { success: false }] },
    "OUTCOME_UNKNOWN",
    "Jira did only part of the request; 2 of 3 items failed.",
  ],
  [
    "an error for every item",
    { responses: [{ error: { message: "Too long" } }, { error: "Too long" }] },
    "SERVICE_FAILED",
    "Jira: Too long.",
  ],
  [
    "WebDAV",
    "<d:multistatus><d:status>HTTP/1.1 200 OK</d:status><d:status>HTTP/1.1 423 Locked</d:status></d:multistatus>",
    "OUTCOME_UNKNOWN",
    "Jira did only part of the request; 1 of 2 items failed.",
  ],
])("a 207 whose parts failed is not a success: %s", async (_, body, code, message) => {
  const content = typeof body === "string" ? { text: body } : { json: body };
  expect(await problem(post({ status: 207, ...content }).answer())).toMatchObject({ code, message });
});

test("a 207 without a failed part is a success, and a read shows what was found", async () => {
  const all = { results: [{ status: 200 }, { status: 201, errors: [], error: null }] };
  expect(await post({ status: 207, json: all }).answer()).toEqual(all);
  expect(await get({ status: 207, json: { name: "x", errors: [{ message: "one is gone" }] } }).answer()).toMatchObject({
    name: "x",
  });
});
