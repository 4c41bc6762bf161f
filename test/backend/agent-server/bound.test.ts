import { beforeEach, expect, test } from "vitest";
import { useRoles } from "#test/agent-role";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { openStream } from "#test/event-stream";
import { json } from "#test/outside";

const log: DeskLog = [];
const roles = useRoles(deskServices(log, async () => {}));
const CLOSE = "POST https://api.atlassian.com/close/KAY-3";

/** Connects the agent server's node, as its first check does. */
const connectNode = () => roles().agent().ports.node.number();
beforeEach(async () => {
  log.length = 0;
  await connectNode();
});

async function connectAndAsk(body: object) {
  const { token } = await connect(roles().backend);
  return { token, ...(await roles().backend.call("POST /ask", { token, body })) };
}

/** Generations, of one conversation where it is named. */
async function generations(conversationId?: string) {
  const { db } = roles().backend.ports;
  const rows = await db.selectFrom("generations").selectAll().execute();
  return rows.filter((row) => conversationId === undefined || row.conversation_id === conversationId);
}

test("a confirmation is required before anything is done, and its approval runs once, on whichever agent server is alive", async () => {
  const { token, body } = await connectAndAsk({ prompt: "close KAY-3", confirm: true });
  expect([body.status, body.data]).toMatchObject([
    "confirmation_required",
    { plan: [{ tool: "jira.close_issue", access: "write", summary: expect.stringContaining("KAY-3") }] },
  ]);
  const [row] = await generations();
  expect([log, row?.options]).toMatchObject([[], { at: "agent" }]);
  await roles().killAgent();
  await connectNode();
  roles().backend.outside.expect(CLOSE, json({}));
  const confirmed = await roles().backend.call("POST /ask/confirm", {
    token,
    body: { confirmation_token: body.confirmation_token, approved: true },
  });
  expect([confirmed.status, confirmed.body]).toMatchObject([
    200,
    { status: "completed", receipts: [{ tool: "jira.close_issue", effect: "settled" }] },
  ]);
});

test("a denial does nothing", async () => {
  const { token, body } = await connectAndAsk({ prompt: "close KAY-3", confirm: true });
  const answer = { confirmation_token: body.confirmation_token, approved: false };
  expect((await roles().backend.call("POST /ask/confirm", { token, body: answer })).body).toMatchObject({
    status: "completed",
    message: "Action cancelled by user",
  });
});

test("limits apply: a dry run sends nothing and reports its plan, and steps end at their limit", async () => {
  const dry = await connectAndAsk({ prompt: "close KAY-3", dry_run: true });
  expect([dry.status, dry.body]).toMatchObject([
    200,
    { data: { dry_run: true, plan: [{ tool: "jira.close_issue" }] }, receipts: [{ effect: "planned" }] },
  ]);
  const short = await connectAndAsk({ prompt: "show KAY-3", max_steps: 1 });
  expect([short.status, short.body.code]).toEqual([422, "STEP_LIMIT"]);
});

test("its stream passes through the backend, as from a backend that answers itself", async () => {
  const { token } = await connect(roles().backend);
  const body = { prompt: "close KAY-3", dry_run: true };
  const stream = await openStream(roles().backend, "POST /ask", token, { body });
  expect((await stream.end()).filter((type) => type.startsWith("data-") || type === "finish")).toEqual([
    ...["data-user-message", "data-status", "data-planned", "data-receipt", "data-status", "finish"],
  ]);
});

test("the backend reports which limits its agent server enforces; one on another database enforces none", async () => {
  const features = async () => (await roles().backend.call("GET /capabilities")).body.features;
  expect(await features()).toEqual(
    expect.arrayContaining(["agent_stream", "dry_run", "max_steps", "output_schema", "allow"]),
  );
  const generationCount = (await generations()).length;
  roles().elsewhere["http://127.0.0.1:4301/session/"] = () => new Response("{}", { status: 404 });
  for (const [bound, what] of [
    [{ confirm: true }, "wait for a confirmation"],
    [{ dry_run: true }, "be bound to anything"],
  ] as const) {
    const { status, body } = await connectAndAsk({ prompt: "close KAY-3", ...bound });
    expect([status, body.message]).toEqual([400, `The agent server of this backend cannot ${what}.`]);
  }
  expect(await generations()).toHaveLength(generationCount);
  roles().elsewhere["http://127.0.0.1:4301/capabilities"] = () => new Response("<html>", { status: 200 });
  expect(await features()).not.toContain("dry_run");
});

test("a turn of an agent server that is gone can still be stopped", async () => {
  const { token } = await connect(roles().backend);
  await roles().agent().backend.close();
  const stream = await openStream(roles().backend, "POST /ask", token, {
    body: { prompt: "show KAY-3", max_steps: 4 },
  });
  const [row] = await generations(String(stream.headers.get("kay-session-id")));
  await roles().backend.call(`POST /generations/${row?.id}/cancel`, { token, body: {} });
  await roles().backend.backend.tick();
  expect((await stream.end()).at(-1)).toBe("abort");
});
