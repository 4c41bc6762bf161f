import { expect, test } from "vitest";
import * as z from "zod/mini";
import { slack } from "#connectors/slack/slack";
import { createRunner, type Expected, httpOver, outside } from "../support/outside.ts";

const API = "https://slack.com/api";
const POST = `POST ${API}/chat.postMessage`;
const TEAM = { url: "https://acme.slack.com", workspace: "Acme", team_id: "T1", user_id: "U0ANNANN1" };
const run = createRunner(slack, TEAM);

/** Sends to a channel by its ID, which needs only the channel's name before the message. */
function send(answer: Omit<Expected, "request">, ...more: Expected[]) {
  return run(
    "slack.send_message",
    { channel: "C0GENERAL1", text: "hi" },
    {
      request: `GET ${API}/conversations.info?channel=C0GENERAL1`,
      json: { ok: true, channel: { id: "C0GENERAL1", name: "general" } },
    },
    { request: POST, ...answer },
    ...more,
  ).catch(({ code, message, hint, details }) => ({ code, message, hint, details }));
}

test.each(["invalid_auth", "token_revoked", "not_authed", "token_expired", "account_inactive"])(
  "V10 200 with %s means that Slack must be connected again",
  async (error) => {
    expect(await send({ json: { ok: false, error } })).toEqual({
      code: "AUTH_REQUIRED",
      message: "Slack rejected the stored credentials.",
      hint: "Run `kay connect slack`, then ask again.",
      details: { integrations: ["slack"] },
    });
  },
);

test("V10 a refused token is refreshed once, and the message is then sent once", async () => {
  const info = { request: `GET ${API}/conversations.info?channel=C1`, json: { ok: true } };
  const world = outside({ ...info, json: { ok: false, error: "token_expired" } } as Expected, info);
  const rejected: string[] = [];
  const { http } = httpOver(world, slack, {
    onRejected: async (token) => {
      rejected.push(token);
      return "T1";
    },
  });
  await http.request({ path: "/conversations.info", query: { channel: "C1" }, answer: z.unknown() });
  expect([rejected, world.asked.map(({ token }) => token)]).toEqual([["T0"], ["T0", "T1"]]);
});

test("V10 not_in_channel is an error of the tool that says what to do", async () => {
  expect(await send({ json: { ok: false, error: "not_in_channel" } })).toEqual({
    code: "SERVICE_FAILED",
    message: "Slack: this account is not in that channel.",
    hint: "Join the channel in Slack (`/join #channel`), then try again.",
    details: { service: "slack", service_status: 403, service_code: "not_in_channel" },
  });
});

test("V10 missing_scope names the scope, and requests no other sign-in", async () => {
  const json = { ok: false, error: "missing_scope", needed: "chat:write", provided: "channels:read,users:read" };
  expect(await send({ json })).toEqual({
    code: "SERVICE_FAILED",
    message: "The connection to Slack lacks the permission chat:write.",
    hint: "Run `kay disconnect slack`, then `kay connect slack`, and allow the permission.",
    details: { service: "slack", service_status: 403, scopes: ["chat:write"] },
  });
});

test("V10 an unknown code is shown as Slack wrote it", async () => {
  expect(await send({ json: { ok: false, error: "some_new_error" } })).toMatchObject({
    code: "SERVICE_FAILED",
    message: "Slack: some_new_error.",
  });
});

test("V10 a warning is a success", async () => {
  const json = { ok: true, warning: "missing_charset", channel: "C0GENERAL1", ts: "1700000000.000100" };
  expect(await send({ json })).toMatchObject({ data: { ts: "1700000000.000100" } });
});

test.each([
  ["429 with Retry-After", { status: 429, headers: { "retry-after": "3" }, json: { ok: false, error: "ratelimited" } }],
  ["200 with Retry-After", { status: 200, headers: { "retry-after": "3" }, json: { ok: false, error: "ratelimited" } }],
])("V10 %s waits three seconds and sends again", async (_, limited) => {
  const world = outside({ request: POST, ...limited }, { request: POST, json: { ok: true, channel: "C1", ts: "1.1" } });
  const { http, pauses } = httpOver(world, slack);
  const request = { method: "POST", path: "/chat.postMessage", body: { channel: "C1", text: "x" } } as const;
  await http.request({ ...request, answer: z.unknown() });
  world.done();
  expect(pauses).toEqual([3000]);
});

test.each(["internal_error", "fatal_error"])(
  "a write that ends with %s may have been done, and is not repeated",
  async (error) => {
    expect(await send({ json: { ok: false, error } })).toMatchObject({ code: "OUTCOME_UNKNOWN" });
  },
);
