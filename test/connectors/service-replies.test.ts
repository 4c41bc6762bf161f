import { expect, test } from "vitest";
import * as z from "zod/mini";
import { toToolResult } from "#connectors/custom/result";
import { parseJson } from "#connectors/http/body";
import { parseServiceFault } from "#connectors/http/errors";
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

const send = (given: Omit<Expected, "request">, method: "GET" | "POST") => {
  const world = outside({ request: `${method} https://api.atlassian.com/hook`, ...given } as Expected);
  return httpOver(world, jira).http.request({ method, path: "/hook", answer: z.unknown() });
};

test("B258 a write that succeeded is a success whatever its body, and its text is shown", async () => {
  expect(await send({ status: 200, text: "ok\n" }, "POST")).toBe("ok");
  expect(await send({ status: 201, text: "<html>created</html>" }, "POST")).toBeUndefined();
});

const NEEDS = z.looseObject({ id: z.string() });
const NEEDS_NOTHING = z.looseObject({ range: z.nullish(z.string()) });

test.each([{ json: {} }, { json: { id: null } }, { json: [] }, { text: "ok" }, { text: "" }])(
  "B258 a write without the ID that its tool needs has an unknown outcome: %j",
  async (given) => {
    const world = outside({ request: "POST https://api.atlassian.com/hook", status: 200, ...given } as Expected);
    const sent = httpOver(world, jira).http.request({ method: "POST", path: "/hook", answer: NEEDS });
    await expect(sent).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
  },
);

test.each([{ json: {} }, { text: "ok" }, { text: "" }, { text: "<html></html>" }])(
  "B258 a write whose tool needs nothing of the response is done: %j",
  async (given) => {
    const world = outside({ request: "POST https://api.atlassian.com/hook", status: 200, ...given } as Expected);
    const sent = httpOver(world, jira).http.request({ method: "POST", path: "/hook", answer: NEEDS_NOTHING });
    expect(await sent).toEqual({});
  },
);

const WRITE = { title: "Odd", reads: false };

test.each([
  [undefined, "ok", "Done.\n\nok"],
  [{ items: "results" }, "ok", "Done.\n\nok"],
  [{ items: "results" }, { results: { id: 7 } }, "Done."],
  [{ items: "results" }, undefined, "Done."],
  [{ summary: "Sent {title}" }, "ok", "Sent a.\n\nok"],
])("B258 a custom write is done whatever its response: %j %j", (shown, answer, text) => {
  expect(toToolResult(WRITE, shown, answer, { title: "a" }).text).toBe(text);
});

test("B258 a custom read whose list is no list is an error", () => {
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

test.each([400, 404, 409, 410, 422])("B232 HTTP %i never sends anyone to a status page", async (status) => {
  const failed = await send({ status, json: {} }, "GET").then(
    () => undefined,
    (error: { hint: string }) => error,
  );
  expect(failed?.hint).toBeTruthy();
  expect(failed?.hint).not.toContain("status page");
});
