import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type AgentTurn, startSeedAgent } from "#test/agent-server";
import { createWorld, useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { openStream } from "#test/event-stream";

const agent = await startSeedAgent();
afterAll(() => agent.close());
const world = useBackend({
  services: deskServices([]),
  fetch: (url, init) => (url.startsWith(agent.url) ? fetch(url, init) : world().outside.fetch(url, init)),
  agent: { url: agent.url, password: agent.password },
});
beforeEach(() => {
  agent.password = "agent-password";
  agent.deliver = (request) => world().backend.fetch(request);
  for (const list of [agent.sessions, agent.prompts, agent.answers]) list.length = 0;
});

/** Says hello in the agent server's protocol, on the stream and to the webhook. */
async function hello({ stream, report }: AgentTurn): Promise<void> {
  stream({ type: "text-start", id: "text-1" });
  stream({ type: "text-delta", id: "text-1", text: "I'll " });
  stream({ type: "text-delta", id: "text-1", text: "help." });
  stream({ type: "text-end", id: "text-1" });
  await report({ type: "text", id: "text-1", text: "I'll help." });
  stream({ type: "finish", finishReason: "stop" });
}

const ask = async (token: string, body: object) => openStream(world(), "POST /ask", token, { body });

describe("a request at a backend with an agent server", () => {
  test("is streamed from there as it arrives, and stored once, whatever the webhook reports", async () => {
    const { token } = await connect(world());
    agent.script = hello;
    const stream = await ask(token, { prompt: "help me" });
    expect(await stream.end()).toEqual([
      "data-user-message",
      "start",
      "data-status",
      "start-step",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "data-status",
      "finish",
    ]);
    expect([stream.text(), agent.prompts, agent.answers]).toEqual([
      "I'll help.",
      ["help me"],
      [{ status: 200, body: { success: true } }],
    ]);
    const session = stream.headers.get("kay-session-id");
    expect(agent.sessions).toEqual([
      {
        sessionId: session,
        webhookUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4000\/agent\/webhook\?token=[\w.-]+$/),
        authorization: "Bearer agent-password",
      },
    ]);
  });

  test("shows calls and their results, and answers JSON as in the guide", async () => {
    const { token } = await connect(world());
    agent.script = async ({ stream }) => {
      stream({ type: "tool-call", toolCallId: "c1", toolName: "search", input: { query: "KAY" } });
      stream({ type: "tool-result", toolCallId: "c1", toolName: "search", output: { found: 2 } });
      stream({ type: "text-delta", id: "0", text: "Two." });
      stream({ type: "finish" });
    };
    const stream = await ask(token, { prompt: "search" });
    await stream.end();
    expect(
      stream.parts.flatMap(({ type, ...part }) => (type.startsWith("tool-") ? [{ type, ...part }] : [])),
    ).toMatchObject([
      { type: "tool-input-available", toolCallId: "c1", toolName: "search", input: { query: "KAY" } },
      { type: "tool-output-available", toolCallId: "c1", output: { data: { found: 2 } } },
    ]);
    expect((await world().call("POST /ask", { token, body: { prompt: "search" } })).body).toMatchObject({
      status: "completed",
      message: "Two.",
    });
  });

  test("that breaks off in the middle is completed from the agent server's reports, without repetition", async () => {
    const { token } = await connect(world());
    agent.script = async ({ stream, report, cut }) => {
      stream({ type: "text-start", id: "text-1" });
      stream({ type: "text-delta", id: "text-1", text: "I'll " });
      await new Promise((resolve) => setTimeout(resolve, 100));
      cut();
      await report({ type: "text", id: "text-1", text: "I'll help." });
      await report({ type: "finish" });
    };
    const stream = await ask(token, { prompt: "help me" });
    await stream.end();
    expect([stream.text(), agent.prompts, agent.answers.map(({ status }) => status)]).toEqual([
      "I'll help.",
      ["help me"],
      [200, 200],
    ]);
  });

  test.for([
    ["refuses the password", { password: "another" }, /rejected the password or the token \(HTTP 401\)/],
    ["says that it failed", {}, /The agent server failed: out of order/],
  ] as const)("ends with a sentence if the agent server %s", async ([, change, sentence]) => {
    const { token } = await connect(world());
    Object.assign(agent, change);
    agent.script = async ({ stream }) => stream({ type: "error", error: "out of order" });
    const { status, body } = await world().call("POST /ask", { token, body: { prompt: "help me" } });
    expect([status, body]).toMatchObject([502, { code: "AGENT_FAILED", message: expect.stringMatching(sentence) }]);
  });

  test("refuses limits that an agent server cannot enforce, before it is asked", async () => {
    const { token } = await connect(world());
    for (const bound of [{ confirm: true }, { dry_run: true }, { max_steps: 2 }])
      expect(await world().call("POST /ask", { token, body: { prompt: "go", ...bound } })).toMatchObject({
        status: 400,
        body: { code: "INVALID_REQUEST" },
      });
    expect(agent.sessions).toEqual([]);
  });
});

describe("a client that streams from the agent server directly", () => {
  test("gets a token for it, and the agent server's reports store the conversation", async () => {
    const { token } = await connect(world());
    const { status, body } = await world().call("POST /ask/stream", { token, body: { prompt: "help me" } });
    expect([status, body]).toEqual([
      200,
      {
        session_id: expect.stringMatching(/^session_/),
        generation_id: expect.stringMatching(/^gen_/),
        stream_token: expect.stringMatching(/^stream-token-\d+$/),
        stream_url: `${agent.url}/stream/${body.session_id}`,
        after: 0,
      },
    ]);
    agent.script = async (turn) => {
      await turn.report({ type: "tool-call", toolCallId: "c1", toolName: "search", input: { query: "KAY" } });
      await turn.report({ type: "tool-result", toolCallId: "c1", toolName: "search", output: "two" });
      await hello(turn);
      await turn.report({ type: "finish" });
    };
    const streamed = await fetch(`${body.stream_url}?token=${body.stream_token}`, {
      method: "POST",
      body: JSON.stringify({ prompt: "help me" }),
    });
    expect(await streamed.text()).toContain(`{"type":"text-delta","id":"text-1","text":"I'll "}`);
    const stream = await openStream(world(), `GET /sessions/${body.session_id}/events`, token);
    await stream.next("finish");
    expect(stream.parts.map(({ type }) => type)).toEqual([
      "data-user-message",
      "start",
      "data-status",
      "start-step",
      "tool-input-available",
      "tool-output-available",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "data-status",
      "finish",
    ]);
  });

  test("sends a second message in the same session, with a fresh token for the webhook", async () => {
    const { token } = await connect(world());
    const first = await world().call("POST /ask/stream", { token, body: { prompt: "one" } });
    const { session_id } = first.body;
    world().clock.advance(1_000);
    const second = await world().call("POST /ask/stream", { token, body: { prompt: "two", session_id } });
    expect(second.body.session_id).toBe(session_id);
    const [one, two] = agent.sessions;
    expect([one?.sessionId, two?.sessionId]).toEqual([session_id, session_id]);
    expect(one?.webhookUrl).not.toBe(two?.webhookUrl);
  });

  test("learns that there is no agent server, that it is unreachable, or that the session is not theirs", async () => {
    const { token } = await connect(world());
    const missing = await world().call("POST /ask/stream", { token, body: { prompt: "one", session_id: "session_0" } });
    expect([missing.status, missing.body.code]).toEqual([404, "SESSION_NOT_FOUND"]);
    const { agent: _, ...alone } = world().ports;
    const without = createWorld(alone);
    const far = createWorld({ ...alone, agent: { url: "http://127.0.0.1:1" }, fetch: fetch as never });
    const away = await far.call("POST /ask/stream", { token, body: { prompt: "one" } });
    const none = await without.call("POST /ask/stream", { token, body: { prompt: "one" } });
    await Promise.all([without.backend.close(), far.backend.close()]);
    expect([away.status, away.body.code, none.status, none.body.message]).toEqual([
      502,
      "AGENT_FAILED",
      400,
      "Agent URL not configured",
    ]);
  });
});

describe("the webhook", () => {
  /** A turn whose webhook is at hand. */
  async function turn() {
    const { token } = await connect(world());
    const { body } = await world().call("POST /ask/stream", { token, body: { prompt: "help me" } });
    const webhook = new URL(agent.sessions.at(-1)?.webhookUrl ?? "");
    const sessionId = String(body.session_id);
    const tell = (report: object, path = `${webhook.pathname}${webhook.search}`) =>
      world().call(`POST ${path}`, { body: { sessionId, timestamp: 1, ...report } });
    return { tell, sessionId, webhook, token };
  }

  test("accepts a report once, however often it is delivered, and nothing new after the end", async () => {
    const { tell, sessionId, token } = await turn();
    const text = { type: "text", id: "text-1", text: "Hello." };
    expect((await tell(text)).body).toEqual({ success: true });
    expect((await tell({ ...text, timestamp: 2 })).body).toEqual({ success: true, duplicate: true });
    expect((await tell({ type: "something-else" })).body).toEqual({ success: true, duplicate: true });
    await tell({ type: "finish" });
    const stream = await openStream(world(), `GET /sessions/${sessionId}/events`, token);
    await stream.next("finish");
    expect(stream.text()).toBe("Hello.");
    expect((await tell(text)).body).toEqual({ success: true, duplicate: true });
    expect(await tell({ type: "text", id: "text-2", text: "And this." })).toMatchObject({
      status: 409,
      body: { code: "GENERATION_CLOSED" },
    });
  });

  test("refuses a missing token, an invalid one, one of another secret, one older than ten minutes, and another session", async () => {
    const { tell, webhook } = await turn();
    const other = await turn();
    const text = { type: "text", id: "text-1", text: "Hello." };
    const [head, claims] = (webhook.searchParams.get("token") ?? "").split(".");
    const [, , signature] = (other.webhook.searchParams.get("token") ?? "").split(".");
    const toUrl = (token: string) => `${webhook.pathname}${token}`;
    expect((await tell(text, toUrl(""))).body.message).toBe("Missing token");
    expect((await tell(text, toUrl("?token=nonsense"))).body.message).toBe("Invalid token format");
    expect(await tell(text, toUrl(`?token=${head}.${claims}.${signature}`))).toMatchObject({
      status: 401,
      body: { message: "Invalid or expired token" },
    });
    expect((await tell({ ...text, sessionId: other.sessionId })).body.message).toBe("Session ID mismatch");
    world().clock.advance(10 * 60_000 + 1_000);
    expect(await tell(text)).toMatchObject({ status: 401, body: { code: "TOKEN_EXPIRED" } });
  });
});
