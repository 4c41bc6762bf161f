import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { SIGNATURE } from "#planner/reply";
import { NOON, useBackend, type World } from "#test/backend";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";

const log: DeskLog = [];
const world = useBackend({ services: deskServices(log, () => gate) });
let gate: Promise<void> = Promise.resolve();
const CLOSE = "POST https://api.atlassian.com/close/KAY-3";

test("with confirm nothing is done, and the plan is shown with the guide's fields", async () => {
  const { token } = await connect(world());
  const logLength = log.length;
  const { status, body } = await ask(token, "show KAY-3 and close KAY-3", { context: { branch: "main" } });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      status: "confirmation_required",
      confirmation_token: expect.stringMatching(/^confirm_\d+_[0-9a-f]{32}$/),
      requires_confirmation: true,
      message:
        "Please confirm the following action: show KAY-3 and close KAY-3\n- Read KAY-3\n  issue: KAY-3\n- Close KAY-3\n  issue: KAY-3",
      data: {
        prompt: "show KAY-3 and close KAY-3",
        context: { branch: "main" },
        plan: [
          {
            tool: "jira.show_issue",
            access: "read",
            input: { issue: "KAY-3" },
            summary: "Read KAY-3",
            account: "Ann Example (main)",
            fields: [{ name: "issue", value: "KAY-3", origin: "person" }],
          },
          {
            tool: "jira.close_issue",
            access: "write",
            input: { issue: "KAY-3" },
            summary: "Close KAY-3",
            account: "Ann Example (main)",
            fields: [{ name: "issue", value: "KAY-3", origin: "person" }],
          },
        ],
      },
      generation_id: expect.any(String),
      receipts: [],
      expires_at: new Date(NOON + 300_000).toISOString(),
    },
  });
  expect(log.slice(logLength)).toEqual([]);
});

test("a request without a proposal still gets the guide's answer", async () => {
  const { token } = await connect(world());
  const { body } = await ask(token, "Delete all tickets in project PROJ");
  expect(body).toMatchObject({
    status: "confirmation_required",
    message: "Please confirm the following action: Delete all tickets in project PROJ",
    data: { prompt: "Delete all tickets in project PROJ", context: {}, plan: [], response: expect.any(String) },
  });
});

test("an approval runs exactly what was shown", async () => {
  const { token } = await connect(world());
  const confirmation = await ask(token, "close KAY-3");
  world().outside.expect(CLOSE, json({}));
  const { status, body } = await confirm(token, confirmation.body.confirmation_token, true);
  const response = `KAY-3 is closed.\n\n${SIGNATURE}`;
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      status: "completed",
      message: `Action confirmed and executed successfully\n\n${response}`,
      data: { prompt: "close KAY-3", response },
      generation_id: confirmation.body.generation_id,
      receipts: [expect.objectContaining({ effect: "settled", summary: "Close KAY-3" })],
    },
  });
});

test("a denial is the guide's answer, and nothing is done", async () => {
  const { token } = await connect(world());
  const logLength = log.length;
  const confirmation = await ask(token, "close KAY-3");
  const { body } = await confirm(token, confirmation.body.confirmation_token, false);
  expect(body).toMatchObject({ status: "completed", message: "Action cancelled by user" });
  expect(log.slice(logLength)).toEqual([]);
});

test("an approval that the service refuses is an error, not a success", async () => {
  const { token } = await connect(world());
  const confirmation = await ask(token, "close KAY-3");
  world().outside.expect(CLOSE, json({ errorMessages: ["Issue is locked"] }, 400));
  const { status, body } = await confirm(token, confirmation.body.confirmation_token, true);
  expect({ status, body }).toMatchObject({
    status: 502,
    body: {
      status: "error",
      code: "SERVICE_FAILED",
      message: expect.stringContaining("Issue is locked"),
      receipts: [],
    },
  });
});

test("POST /ask with a confirmation_token confirms it", async () => {
  const { token } = await connect(world());
  const confirmation = await ask(token, "close KAY-3");
  world().outside.expect(CLOSE, json({}));
  const body = { prompt: "close KAY-3", confirmation_token: confirmation.body.confirmation_token };
  expect((await world().call("POST /ask", { token, body })).body.message).toMatch(
    /^Action confirmed and executed successfully/,
  );
});

test("G18 twenty concurrent answers to one confirmation run the plan once", async () => {
  const { token } = await connect(world());
  const confirmation = await ask(token, "close KAY-3");
  world().outside.expect(CLOSE, json({}));
  const logLength = log.length;
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => confirm(token, confirmation.body.confirmation_token, true)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  expect(log.slice(logLength)).toEqual(["close KAY-3"]);
});

test("G18 a later answer is 409 with the first answer", async () => {
  const { token } = await connect(world());
  const confirmation = await ask(token, "close KAY-3");
  world().outside.expect(CLOSE, json({}));
  await confirm(token, confirmation.body.confirmation_token, true);
  expect(await confirm(token, confirmation.body.confirmation_token, false)).toMatchObject({
    status: 409,
    body: {
      status: "error",
      code: "CONFIRMATION_USED",
      answered: "approved",
      answered_at: new Date(NOON).toISOString(),
    },
  });
});

test("G18 another installation's confirmation does not exist, and stays open for its owner", async () => {
  const ann = await connect(world());
  const bob = await connect(world());
  const confirmation = await ask(ann.token, "close KAY-3");
  expect(await confirm(bob.token, confirmation.body.confirmation_token, true)).toMatchObject({
    status: 404,
    body: { status: "error", code: "CONFIRMATION_NOT_FOUND" },
  });
  expect((await confirm(ann.token, confirmation.body.confirmation_token, false)).status).toBe(200);
});

test("G02 an answer after five minutes is 410 and nothing runs; one a millisecond before counts", async () => {
  const { token } = await connect(world());
  const [late, timely] = [await ask(token, "close KAY-3"), await ask(token, "close KAY-3")];
  world().clock.advance(299_999);
  expect((await confirm(token, timely.body.confirmation_token, false)).status).toBe(200);
  world().clock.advance(1);
  expect(await confirm(token, late.body.confirmation_token, true)).toMatchObject({
    status: 410,
    body: { status: "error", code: "CONFIRMATION_EXPIRED" },
  });
});

test("an invalid confirmation is an error with a field", async () => {
  const { token } = await connect(world());
  for (const body of [
    {},
    { confirmation_token: "", approved: true },
    { confirmation_token: "x", approved: "yes" },
    { confirmation_token: "x" },
  ]) {
    expect(await world().call("POST /ask/confirm", { token, body })).toMatchObject({
      status: 400,
      body: { status: "error", code: "INVALID_REQUEST" },
    });
  }
});

test("the token is nowhere in the database", async () => {
  const { token } = await connect(world());
  const confirmation = await ask(token, "close KAY-3");
  const rows = await world().ports.db.selectFrom("confirmations").selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain(String(confirmation.body.confirmation_token).split("_")[2]);
});

test("G12 an approved plan runs although the terminal went away in the middle", async () => {
  const { token } = await connect(world());
  const confirmation = await ask(token, "close KAY-3");
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  world().outside.expect(CLOSE, json({}));
  const controller = new AbortController();
  const body = JSON.stringify({ confirmation_token: confirmation.body.confirmation_token, approved: true });
  const headers = { authorization: `Bearer ${token}`, "idempotency-key": "gone" };
  const answer = world().backend.fetch(
    new Request("http://127.0.0.1:4000/ask/confirm", { method: "POST", headers, body, signal: controller.signal }),
  );
  controller.abort();
  const readCancel = () =>
    world()
      .ports.db.selectFrom("generations")
      .select("cancel")
      .where("id", "=", String(confirmation.body.generation_id))
      .executeTakeFirst();
  while (!(await readCancel())?.cancel) await pause(5);
  resolve();
  await answer;
  gate = Promise.resolve();
  expect((await world().call("GET /requests/gone", { token })).body).toMatchObject({
    state: "done",
    answer: { status: "error", code: "CANCELLED", receipts: [{ effect: "settled", summary: "Close KAY-3" }] },
  });
});

function ask(token: string, prompt: string, more: object = {}): ReturnType<World["call"]> {
  return world().call("POST /ask", { token, body: { prompt, confirm: true, ...more } });
}

function confirm(token: string, confirmation: unknown, approved: boolean): ReturnType<World["call"]> {
  return world().call("POST /ask/confirm", { token, body: { confirmation_token: confirmation, approved } });
}
