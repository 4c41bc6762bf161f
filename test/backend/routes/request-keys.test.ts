import { afterEach, beforeEach, expect, test } from "vitest";
import { toLostProblem } from "#backend/routes/lost-writes";
import { useAbsentWorld } from "#test/absent-database";
import type { Answer } from "#test/backend";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { openStream } from "#test/event-stream";
import { json } from "#test/outside";

const CLOSE = "POST https://api.atlassian.com/close/KAY-3";
const COMMIT = /^commit/;
const LINK = /^update "requests" set generation_id/;
/** A conversation begins in one statement, with the name of its generation in the request. */
const BEGUN = /^with held as \(\s*insert into "conversations"/;
const SETTLE = /^update "effects" set "state" = \$1, "url"/;
const FINISH = /^update "requests" set "state" = \$1, "status"/;

let ticks: NodeJS.Timeout;
const log: DeskLog = [];
const { absent, world, database } = useAbsentWorld(() => ({ services: deskServices(log), clock: Date }));

beforeEach(() => {
  ticks = setInterval(
    () =>
      void world()
        .backend.tick()
        .catch(() => {}),
    100,
  );
  log.length = 0;
});
afterEach(() => clearInterval(ticks));

async function signIn(): Promise<string> {
  const { token } = await connect(world());
  await world().call("PUT /policies", { token, body: { policies: [{ target: "*", mode: "everything" }] } });
  return token;
}

const look = async (token: string, key: string) => (await world().call(`GET /requests/${key}`, { token })).body;

/** The outcome once the database is back. */
async function outcome(token: string, key: string): Promise<Record<string, unknown>> {
  absent().comeBack();
  await expect.poll(async () => (await look(token, key)).state, { timeout: 15_000 }).toBe("done");
  return await look(token, key);
}

/** As if the process had ended before it stored its answer. */
const loseAnswers = () =>
  database().db.updateTable("requests").set({ state: "running", answer: null, status: null }).execute();

const DONE = {
  state: "done",
  answer: { receipts: [{ tool: "jira.close_issue", effect: "settled", summary: "Close KAY-3" }] },
};

/** Sends a write, and lets the database come back while it is answered. */
async function sendWhileAway(request: string, token: string, body: object, headers = {}): Promise<Answer> {
  const answer = world().call(request, { token, body, headers: { "idempotency-key": "k", ...headers } });
  await expect.poll(absent().isAway, { timeout: 5_000 }).toBe(true);
  absent().comeBack();
  return await answer;
}

test("F1 a request whose database goes away after it began is answered when the database is back", async () => {
  const token = await signIn();
  world().outside.expect(CLOSE, json({}));
  absent().leaveAfter(BEGUN);
  const answer = await sendWhileAway("POST /ask", token, { prompt: "close KAY-3" });
  expect(answer).toMatchObject({ status: 200, body: { status: "completed", receipts: [{ effect: "settled" }] } });
  expect(await outcome(token, "k")).toMatchObject(DONE);
  expect(log).toEqual(["close KAY-3"]);
});

test("F1 a stream whose database goes away after it began reports an unknown outcome, and its key has the outcome", async () => {
  const token = await signIn();
  world().outside.expect(CLOSE, json({}));
  absent().leaveAfter(BEGUN, /^with known as \(\s*update present_clients/);
  const headers = { accept: "text/event-stream", "idempotency-key": "k" };
  const body = { prompt: "close KAY-3", client: { id: "c1" } };
  const answer = await world().call("POST /ask", { token, body, headers });
  expect(answer).toMatchObject({ status: 502, body: { status: "error", code: "OUTCOME_UNKNOWN" } });
  expect(await outcome(token, "k")).toMatchObject(DONE);
  expect(log).toEqual(["close KAY-3"]);
  const again = await openStream(world(), "POST /ask", token, { body, headers });
  await again.end();
  expect(again.text()).toContain("KAY-3 is closed.");
  expect(log).toEqual(["close KAY-3"]);
});

test("F1 a running stream of which only the generation was stored can be followed from its beginning", async () => {
  const token = await signIn();
  world().outside.expect(CLOSE, json({}));
  const headers = { accept: "text/event-stream", "idempotency-key": "k" };
  const stream = await openStream(world(), "POST /ask", token, { body: { prompt: "close KAY-3" }, headers });
  await stream.end();
  const session = stream.headers.get("kay-session-id") ?? "";
  const finish = (finished_at: Date | null) =>
    database().db.updateTable("generations").set({ finished_at }).where("conversation_id", "=", session).execute();
  await loseAnswers();
  await finish(null);
  expect(await look(token, "k")).toEqual({ state: "running", session_id: session, after: 0 });
  await finish(new Date());
  expect(await look(token, "k")).toMatchObject(DONE);
});

test("F1 a confirmation is accepted together with its key: it runs when the database is back", async () => {
  const token = await signIn();
  const confirmation = await world().call("POST /ask", { token, body: { prompt: "close KAY-3", confirm: true } });
  world().outside.expect(CLOSE, json({}));
  absent().leaveAfter(LINK, COMMIT);
  const body = { confirmation_token: confirmation.body.confirmation_token, approved: true };
  const answer = await sendWhileAway("POST /ask/confirm", token, body);
  expect(answer).toMatchObject({ status: 200, body: { receipts: [{ effect: "settled" }] } });
  expect(await outcome(token, "k")).toMatchObject(DONE);
  expect(log).toEqual(["close KAY-3"]);
});

test("F1 a confirmation that was not accepted is still open", async () => {
  const token = await signIn();
  const confirmation = await world().call("POST /ask", { token, body: { prompt: "close KAY-3", confirm: true } });
  const body = { confirmation_token: confirmation.body.confirmation_token, approved: true };
  absent().leaveAfter(/^update "confirmations"/);
  const headers = { "idempotency-key": "k" };
  const refused = await world().call("POST /ask/confirm", { token, body, headers });
  expect(refused).toMatchObject({ status: 503, body: { code: "DATABASE_UNAVAILABLE", sent: false } });
  absent().comeBack();
  await expect.poll(async () => (await look(token, "k")).state, { timeout: 15_000 }).toBe("absent");
  world().outside.expect(CLOSE, json({}));
  expect(await world().call("POST /ask/confirm", { token, body, headers })).toMatchObject({ status: 200 });
  expect(log).toEqual(["close KAY-3"]);
});

test.each([
  ["its write", SETTLE],
  ["its answer was made", FINISH],
])(
  "F1 a tool call whose database goes away at %s is reported as not done only if it was not sent",
  async (_, moment) => {
    const token = await signIn();
    const before = moment === SETTLE ? /^update "effects" set "state" = \$1, "updated_at"/ : SETTLE;
    world().outside.expect(CLOSE, json({}));
    absent().leaveAfter(before);
    const answer = world().call("POST /tools/jira.close_issue/call", {
      token,
      body: { input: { issue: "KAY-3" } },
      headers: { "idempotency-key": "k" },
    });
    await expect.poll(absent().isAway, { timeout: 5_000 }).toBe(true);
    absent().comeBack();
    const { status, body } = await answer;
    if (status === 200) expect(body).toMatchObject({ receipts: [{ effect: "settled" }] });
    else if (moment === SETTLE && status === 503) {
      // The database was still away just before the request would have been sent.
      expect(body).toMatchObject({ code: "DATABASE_UNAVAILABLE", sent: false });
      expect(world().outside.withdraw(CLOSE)).toBe(true);
    } else {
      expect({ status, body }).toMatchObject({ status: 502, body: { code: "OUTCOME_UNKNOWN" } });
      // The database may go away before the request is sent, and come back before kay looks again.
      if (moment === SETTLE) world().outside.withdraw(CLOSE);
    }
    await expect.poll(async () => (await look(token, "k")).state).toMatch(/^(done|interrupted|absent)$/);
  },
);

test("F1 a write that no database accepted says that nothing was done, and its key is unknown", async () => {
  const token = await signIn();
  for (const request of ["POST /ask", "POST /ask/confirm", "POST /tools/jira.close_issue/call", "POST /ask/stream"]) {
    absent().leaveAfter(/./);
    await world().call("GET /connections", { token });
    expect(absent().isAway()).toBe(true);
    const headers = { "idempotency-key": "never" };
    expect(await world().call(request, { token, headers, body: { prompt: "close KAY-3" } })).toMatchObject({
      status: 503,
      body: {
        code: "DATABASE_UNAVAILABLE",
        message: "The database cannot be reached at the moment. Nothing was done.",
        sent: false,
      },
    });
    absent().comeBack();
    const { status, body } = await world().call("GET /requests/never", { token });
    expect({ status, body }).toMatchObject({ status: 404, body: { code: "NOT_FOUND", state: "absent" } });
  }
});

test("F1 a write whose outcome is unknown because the disk is full names the disk", () => {
  const full = Object.assign(new Error("could not extend file"), { code: "53100" });
  expect(toLostProblem(full, true)).toMatchObject({
    code: "OUTCOME_UNKNOWN",
    message: "The disk of the database became full while the backend worked on the request: free some space there.",
  });
});

test("F1 a confirmation that was lost with its process says that nothing ran", async () => {
  const token = await signIn();
  const headers = { "idempotency-key": "k" };
  await world().call("POST /ask", { token, headers, body: { prompt: "close KAY-3", confirm: true } });
  await loseAnswers();
  expect(await look(token, "k")).toMatchObject({
    state: "done",
    status: 404,
    answer: { status: "error", code: "CONFIRMATION_NOT_FOUND", receipts: [] },
  });
});
