import { expect, test } from "vitest";
import { SIGNATURE } from "#planner/reply";
import { PASSWORD } from "#test/agent-role";
import { joinText, useAgentTurns } from "#test/agent-turn";
import { connect } from "#test/consent";
import { json } from "#test/outside";

const { log, roles, begin, shown, sent, waiting, holdWrite } = useAgentTurns();
const CLOSE = "POST https://api.atlassian.com/close/KAY-3";
const SAID = `KAY-3 is closed.\n\n${SIGNATURE}`;

const ALL = ["tool-call", "tool-result", "text", "finish"];

test("a client streams directly from the agent server, and the backend's conversation has text, call and receipt once", async () => {
  const turn = await begin("close KAY-3");
  roles().backend.outside.expect(CLOSE, json({}));
  const { status, parts } = await roles().stream(turn.url, turn.streamToken, "close KAY-3");
  expect([status, joinText(parts), parts.filter(({ type }) => !type.startsWith("text-"))]).toEqual([
    200,
    SAID,
    [
      { type: "start" },
      { type: "start-step" },
      { type: "tool-call", toolCallId: expect.any(String), toolName: "jira.close_issue", input: { issue: "KAY-3" } },
      {
        type: "tool-result",
        toolCallId: expect.any(String),
        toolName: "jira.close_issue",
        output: {
          from: "jira",
          text: "KAY-3 is closed.",
          data: { key: "KAY-3" },
          url: "https://main.example.test/browse/KAY-3",
        },
      },
      { type: "finish-step" },
      { type: "start-step" },
      { type: "finish-step" },
      { type: "finish", finishReason: "stop" },
    ],
  ]);
  expect(await shown(turn)).toEqual({ text: SAID, tools: ["tool-input-available", "tool-output-available"] });
  expect(sent(turn)).toEqual(ALL);
  const effects = roles().backend.ports.db.selectFrom("effects").select("state");
  expect(await effects.where("generation_id", "=", turn.generation).execute()).toEqual([{ state: "settled" }]);
});

test("a JSON request is handled the same way, has the receipt in its answer, and the next one knows the history", async () => {
  const { token } = await connect(roles().backend);
  const first = await roles().backend.call("POST /ask", { token, body: { prompt: "show KAY-3", interactive: true } });
  expect(first.body).toMatchObject({ status: "interactive_response", message: `**KAY-3** is open.\n\n${SIGNATURE}` });
  roles().backend.outside.expect(CLOSE, json({}));
  const { session_id } = first.body;
  const body = { prompt: "close it", interactive: true, session_id };
  expect((await roles().backend.call("POST /ask", { token, body })).body).toMatchObject({
    message: SAID,
    receipts: [{ tool: "jira.close_issue", effect: "settled", url: "https://main.example.test/browse/KAY-3" }],
  });
  const { db } = roles().backend.ports;
  const rows = db.selectFrom("messages").select("message").where("conversation_id", "=", String(session_id));
  const messages = await rows.orderBy("sequence").execute();
  expect(messages.map(({ message }) => message.role)).toEqual([
    ...["user", "assistant", "tool", "assistant"],
    ...["user", "assistant", "tool", "assistant"],
  ]);
});

test("a call that needs an approval is not made, and the text says so; a missing connection ends the request with its name", async () => {
  const { token } = await connect(roles().backend);
  const answer = await roles().backend.call("POST /ask", { token, body: { prompt: "delete KAY-3" } });
  expect([answer.status, answer.body.message]).toEqual([
    200,
    "These actions need approval, but no user can approve them here, so kay did none of them:\n- Delete KAY-3 for good\nRun `kay policy set` to choose what kay may do without asking.",
  ]);
  await roles().backend.call("POST /connections/disconnect?service=jira", { token });
  const missing = await roles().backend.call("POST /ask", { token, body: { prompt: "show KAY-3" } });
  expect([missing.status, missing.body]).toMatchObject([403, { code: "AUTH_REQUIRED", integrations: ["jira"] }]);
  expect(log.filter((line) => line.startsWith("delete"))).toEqual([]);
});

test("a stream requires the token of its session, once; another session, another token and a second stream are refused", async () => {
  const turn = await begin("show KAY-3");
  const other = await begin("show KAY-3");
  const agent = roles().agent();
  const readStatus = async (url: string, token: string) => (await roles().stream(url, token, "show KAY-3")).status;
  expect(await readStatus(turn.url, "nonsense")).toBe(401);
  expect(await readStatus(turn.url, other.streamToken)).toBe(401);
  expect(await readStatus(`${turn.url}0`, turn.streamToken)).toBe(404);
  const { reached, release } = holdWrite();
  const running = agent.backend.fetch(
    new Request(`${turn.url}?token=${turn.streamToken}`, { method: "POST", body: '{"prompt":"close KAY-1"}' }),
  );
  const stream = await running;
  expect(stream.status).toBe(200);
  await reached;
  expect(await readStatus(turn.url, turn.streamToken)).toBe(401);
  const sessions = agent.ports.db.selectFrom("agent_sessions").select("token_hash");
  expect(await sessions.where("conversation_id", "=", turn.session).execute()).toEqual([{ token_hash: null }]);
  const again = await session(turn.session, "http://127.0.0.1:9/hook");
  expect(await readStatus(turn.url, String(again.body.token))).toBe(409);
  release();
  await stream.text();
  await shown(turn);
  roles().backend.clock.advance(2 * 60_000 + 1);
  expect(await readStatus(other.url, other.streamToken)).toBe(401);
});

/** A session as a backend asks for it. */
async function session(sessionId: string, webhookUrl: string, password = PASSWORD) {
  const headers = { authorization: `Bearer ${password}` };
  return await roles().agent().call("POST /session", { headers, body: { sessionId, webhookUrl } });
}

test("a session requires the password, an existing conversation, and a webhook that does not expose it", async () => {
  const turn = await begin("show KAY-3");
  const webhook = "https://hive.example.test/api/agent/webhook?token=t";
  const wrong = await session(turn.session, webhook, "guessed");
  expect([wrong.status, wrong.body.code]).toEqual([401, "TOKEN_INVALID"]);
  expect((await roles().agent().call("POST /session", { body: {} })).status).toBe(401);
  expect((await session("session_0", webhook)).status).toBe(404);
  for (const url of [
    "http://hive.example.test/hook",
    "ftp://hive.example.test/",
    "hook",
    "https://a:b@hive.example.test/",
  ])
    expect((await session(turn.session, url)).body).toMatchObject({ code: "INVALID_REQUEST", field: "webhookUrl" });
  expect((await session(turn.session, webhook)).body).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/) });
  expect((await roles().agent().call("GET /connections")).status).toBe(404);
});

test("a backend with only the basic protocol gets the same reports, only at its address, and stores the conversation", async () => {
  const turn = await begin("show KAY-3");
  await roles().backend.call(`POST /generations/${turn.generation}/cancel`, { token: turn.token });
  await shown(turn);
  const requests: object[] = [];
  let away = 1;
  roles().elsewhere["https://hive.example.test"] = async (request) => {
    requests.push({ url: request.url, redirect: request.redirect, body: await request.json() });
    if (away-- > 0) return new Response(null, { status: 307, headers: { location: "https://thief.example.test/" } });
    return Response.json({ success: true });
  };
  const { body } = await session(turn.session, "https://hive.example.test/api/agent/webhook?token=opaque");
  const { parts } = await roles().stream(turn.url, String(body.token), "show KAY-3");
  expect(joinText(parts)).toBe(`**KAY-3** is open.\n\n${SIGNATURE}`);
  await expect.poll(() => waiting(turn)).toEqual(ALL);
  await expect.poll(() => requests.length).toBe(1);
  roles().backend.clock.advance(1_000);
  await roles().agent().backend.tick();
  await expect.poll(() => requests.length).toBe(5);
  const text = `**KAY-3** is open.\n\n${SIGNATURE}`;
  const timestamp = expect.any(Number);
  expect(requests.map((request) => (request as { body: object }).body)).toMatchObject([
    { sessionId: turn.session, type: "tool-call", timestamp: timestamp },
    {
      sessionId: turn.session,
      type: "tool-call",
      toolName: "jira.show_issue",
      input: { issue: "KAY-3" },
      timestamp: timestamp,
    },
    { sessionId: turn.session, type: "tool-result", toolName: "jira.show_issue", timestamp: timestamp },
    { sessionId: turn.session, type: "text", id: "text-2.1", text, timestamp: timestamp },
    { sessionId: turn.session, type: "finish", timestamp: timestamp },
  ]);
  await roles().backend.backend.tick();
  const generations = roles()
    .backend.ports.db.selectFrom("generations")
    .select("id")
    .where("id", "!=", turn.generation);
  const generation = await generations.where("conversation_id", "=", turn.session).executeTakeFirstOrThrow();
  expect(await shown({ ...turn, generation: generation.id })).toMatchObject({ text: expect.stringContaining(text) });
});
