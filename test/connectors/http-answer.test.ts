import { expect, test } from "vitest";
import { readErrorCode, readServiceAnswer } from "#connectors/http/answer";

const ERRORS = { flag: "ok", code: "error", codes: { gone: { status: 410 }, busy: { status: 429 } } };
const answer = (status: number, body: string, headers: Record<string, string> = {}) =>
  readServiceAnswer(new Response(body, { status, headers }), body, ERRORS).status;

test.each([
  [200, '{"ok":true,"error":"gone"}', 200],
  [200, '{"ok":false,"error":"gone"}', 410],
  [200, '{"ok":false,"error":"busy"}', 429],
  [200, '{"ok":false,"error":"never heard of"}', 400],
  [200, '{"ok":false}', 400],
  [200, '{"ok":"false"}', 200],
  [200, "[]", 200],
  [200, "null", 200],
  [200, "<html>", 200],
  [503, '{"ok":false,"error":"gone"}', 503],
])("a status of %i with %s means %i", (status, body, meaning) => {
  expect(answer(status, body)).toBe(meaning);
});

test("without such errors a status means itself; 403 with a wait means too many requests", () => {
  const plain = (status: number, headers: Record<string, string> = {}) =>
    readServiceAnswer(new Response("{}", { status, headers }), '{"ok":false}', undefined).status;
  expect([
    plain(200),
    plain(403),
    plain(403, { "retry-after": "1" }),
    plain(403, { "x-ratelimit-remaining": "0" }),
  ]).toEqual([200, 403, 429, 429]);
});

test("the code of an error is read where the service has one", () => {
  expect([
    readErrorCode('{"error":"gone"}', ERRORS),
    readErrorCode('{"error":{}}', ERRORS),
    readErrorCode('{"error":"gone"}', undefined),
  ]).toEqual(["gone", undefined, undefined]);
});
