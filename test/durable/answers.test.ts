import { afterEach, beforeEach, expect, test } from "vitest";
import type { World } from "#test/backend";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useNodes } from "#test/scripted-backend";

const CLOSE = "POST https://api.atlassian.com/close/KAY-3";
const { database, model, start } = useNodes({ services: deskServices([]), clock: Date }, { tickMs: 100 });
let a: World;
let b: World;

beforeEach(() => {
  [a, b] = [start(), start()];
});
afterEach(() => expect(model.left()).toBe(0));

/** The next step runs twice: the first time, its node loses the generation to the other one in the middle of it. */
function scriptTakeover(step: Parameters<typeof model.script>[0]): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  model.script(async () => {
    // Another connection of the node has another number, so for everyone else the first is gone.
    await database().db.updateTable("generations").set({ node: null }).where("finished_at", "is", null).execute();
    await promise;
    return { text: "Nobody hears this." };
  });
  model.script((prompt) => {
    resolve();
    return typeof step === "function" ? step(prompt) : step;
  });
}

async function ask(world: World, token: string, body: object) {
  const { status, body: answer } = await world.call("POST /ask", { token, body });
  return { status, answer };
}

/** Values that differ between answers. */
const bare = ({ status, answer }: Awaited<ReturnType<typeof ask>>) => {
  const { generation_id, session_id, confirmation_token, expires_at, ...rest } = answer;
  const ids = [generation_id, session_id, confirmation_token, expires_at].map((id) => typeof id);
  return { status, ids, rest };
};

const DONE = { text: ["It is ", "done."] };
const HELD = { text: "I would do this.", calls: [["c1", "jira.delete_issue", { issue: "KAY-3" }]] } as const;

test.each([
  ["a text", DONE, { prompt: "go" }],
  ["an interactive text", DONE, { prompt: "go", interactive: true }],
  ["a confirmation of a destructive call", HELD, { prompt: "delete KAY-3" }],
  ["a confirmation of everything", HELD, { prompt: "delete KAY-3", confirm: true, interactive: true }],
  ["a confirmation of nothing", DONE, { prompt: "go", confirm: true }],
  ["a refusal of the model", { fails: 401 }, { prompt: "go" }],
  ["nothing to say", { text: "" }, { prompt: "go" }],
])("a generation that another node takes over is answered where it was requested: %s", async (_, step, body) => {
  const { token } = await connect(a);
  const whole = step as Parameters<typeof model.script>[0];
  model.script(whole);
  const undisturbed = bare(await ask(a, token, body));
  scriptTakeover(whole);
  expect(bare(await ask(a, token, body))).toEqual(undisturbed);
});

test("a missing service is reported the same way when another node finds it", async () => {
  const { token } = await connect(a);
  await a.call("POST /connections/disconnect?service=jira", { token });
  const step = { calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] as [string, string, object][] };
  model.script(step);
  const undisturbed = await ask(a, token, { prompt: "close KAY-3" });
  expect(undisturbed).toMatchObject({ status: 403, answer: { code: "AUTH_REQUIRED", integrations: ["jira"] } });
  scriptTakeover(step);
  expect(bare(await ask(a, token, { prompt: "close KAY-3" }))).toEqual(bare(undisturbed));
});

test("an approval returns what was done when another node continues it", async () => {
  const { token } = await connect(a);
  const close = { calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] as [string, string, object][] };
  model.script(close);
  const { answer } = await ask(a, token, { prompt: "close KAY-3", confirm: true });
  a.outside.expect(CLOSE, json({}));
  scriptTakeover({ text: "Closed." });
  const { confirmation_token } = answer;
  const done = await a.call("POST /ask/confirm", { token, body: { confirmation_token, approved: true } });
  expect(done).toMatchObject({
    status: 200,
    body: {
      status: "completed",
      message: "Action confirmed and executed successfully\n\nClosed.",
      receipts: [{ tool: "jira.close_issue", effect: "settled" }],
    },
  });
});

test("a node that ends says that the work continues, and the key returns the outcome at another node", {
  timeout: 40_000,
}, async () => {
  const { token } = await connect(a);
  const headers = { "idempotency-key": "ends" };
  model.script(() => new Promise(() => {}), { text: "Hello from elsewhere." });
  const answer = a.call("POST /ask", { token, body: { prompt: "go" }, headers });
  await expect.poll(model.left).toBe(1);
  await a.backend.close();
  expect(await answer).toMatchObject({
    status: 502,
    body: {
      code: "OUTCOME_UNKNOWN",
      message: "This backend is shutting down. The request continues.",
      state: "running",
      session_id: expect.any(String),
    },
  });
  const outcome = async () => (await b.call("GET /requests/ends", { token })).body;
  await expect.poll(outcome).toMatchObject({
    state: "done",
    answer: { status: "completed", message: "Hello from elsewhere." },
  });
});
