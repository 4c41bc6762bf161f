import { expect, test } from "vitest";
import { useBackend } from "#test/backend";
import { ANN, connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";

const log: DeskLog = [];
const world = useBackend({ services: deskServices(log) });
const CLOSE = "POST https://api.atlassian.com/close/KAY-3";
const SHOW = {
  name: "jira.show_issue",
  service: "jira",
  title: "Jira",
  description: "Read one Jira issue.",
  access: "read",
  input_schema: {
    type: "object",
    properties: { issue: { type: "string", description: "Key of the issue, such as KAY-3." } },
    required: ["issue"],
  },
  examples: ["show {issue}"],
  connected: true,
};

test("services and tools need a bearer token", async () => {
  for (const request of [
    "GET /services",
    "GET /tools",
    "GET /tools/jira.show_issue",
    "POST /tools/jira.show_issue/call",
  ])
    expect(await world().call(request)).toMatchObject({ status: 401, body: { code: "TOKEN_MISSING" } });
});

test("GET /services describes each service: state, account, scopes and client", async () => {
  const { token } = await connect(world());
  const { body } = await world().call("GET /services", { token });
  const services = body.services as { name: string }[];
  expect(services.find(({ name }) => name === "jira")).toEqual({
    name: "jira",
    title: "Jira",
    state: "connected",
    connected: true,
    target: "real",
    user: ANN,
    metadata: { url: "https://main.example.test", cloud_id: "c-main", site: "main" },
    scopes: {
      wanted: ["read:jira-work", "write:jira-work", "read:jira-user", "read:me", "offline_access"],
      granted: ["read:jira-work", "write:jira-work", "read:jira-user", "read:me", "offline_access"],
    },
    client: {
      provider: "atlassian",
      configured: true,
      variables: ["KAY_CLIENT_ATLASSIAN_ID", "KAY_CLIENT_ATLASSIAN_SECRET"],
      settings: ["atlassian.client-id", "atlassian.client-secret"],
      authorize_url: "https://auth.atlassian.com/authorize",
      redirect_uri: "http://127.0.0.1:4000/auth/callback",
    },
    tools: ["jira.show_issue", "jira.close_issue", "jira.delete_issue"],
  });
  expect(services.find(({ name }) => name === "kyg")).toMatchObject({ state: "not_configured", connected: false });
});

test("GET /tools lists every tool with the JSON Schema of its input, or those of one service", async () => {
  const { token } = await connect(world());
  const { body } = await world().call("GET /tools?service=jira", { token });
  expect(body.tools).toHaveLength(3);
  expect((body.tools as unknown[])[0]).toEqual(SHOW);
  expect((await world().call("GET /tools?service=bitbucket", { token })).body).toEqual({ tools: [] });
  expect(await world().call("GET /tools?service=jra", { token })).toMatchObject({
    status: 400,
    body: { nearest: "jira" },
  });
  expect((await world().call("GET /tools/jira.show_issue", { token })).body).toEqual(SHOW);
});

test("a call answers with the tool's output, and a write with its receipt", async () => {
  const { token } = await connect(world());
  const read = await world().call("POST /tools/jira.show_issue/call", { token, body: { input: { issue: "KAY-3" } } });
  expect([read.status, read.body]).toEqual([
    200,
    {
      tool: "jira.show_issue",
      output: { data: { key: "KAY-3", status: "Open" }, text: "**KAY-3** is open." },
      receipts: [],
    },
  ]);
  world().outside.expect(CLOSE, json({}));
  const url = "https://main.example.test/browse/KAY-3";
  const write = await world().call("POST /tools/jira.close_issue/call", { token, body: { input: { issue: "KAY-3" } } });
  expect(write.body).toEqual({
    tool: "jira.close_issue",
    output: { data: { key: "KAY-3" }, text: "KAY-3 is closed.", url },
    receipts: [
      {
        tool_call_id: expect.stringMatching(/^call_[0-9a-f]{32}$/),
        tool: "jira.close_issue",
        effect: "settled",
        summary: "Close KAY-3",
        url,
      },
    ],
  });
  const [receipt] = write.body.receipts as { tool_call_id: string }[];
  const rows = world().ports.db.selectFrom("effects").select(["tool", "state", "generation_id"]);
  const effects = await rows.where("tool_call_id", "=", receipt?.tool_call_id ?? "").execute();
  expect(effects).toEqual([
    { tool: "jira.close_issue", state: "settled", generation_id: expect.stringMatching(/^call_/) },
  ]);
});

test("a call with the same Idempotency-Key runs once", async () => {
  const { token } = await connect(world());
  world().outside.expect(CLOSE, json({}));
  const options = {
    token,
    body: { input: { issue: "KAY-3" } },
    headers: { "idempotency-key": `once-${token.slice(-8)}` },
  };
  const first = await world().call("POST /tools/jira.close_issue/call", options);
  const again = await world().call("POST /tools/jira.close_issue/call", options);
  expect(again.body).toEqual(first.body);
});

test("an unknown outcome has its receipt in the error", async () => {
  const { token } = await connect(world());
  world().outside.expect(CLOSE, json({}, 500));
  const answer = await world().call("POST /tools/jira.close_issue/call", {
    token,
    body: { input: { issue: "KAY-3" } },
  });
  expect(answer.body).toMatchObject({
    code: "OUTCOME_UNKNOWN",
    receipts: [{ tool: "jira.close_issue", effect: "unknown", summary: "Close KAY-3" }],
  });
});

test("a missing connection is reported in the words of every tool, and in the fields of every error", async () => {
  const { session, token } = await connect(world());
  await connect(world(), { session_id: session }, { service: "confluence" });
  await world().call("POST /connections/disconnect?service=jira", { token });
  const answer = await world().call("POST /tools/jira.show_issue/call", { token, body: { input: { issue: "KAY-3" } } });
  const message = "Jira is not connected.";
  expect([answer.status, answer.body]).toEqual([
    403,
    {
      error: { code: "AUTH_REQUIRED", integration: "jira", message },
      code: "AUTH_REQUIRED",
      message,
      hint: "Run `kay connect jira`, then ask again.",
      integrations: ["jira"],
    },
  ]);
});

test.for([
  [{}, "issue", "The input of jira.show_issue is not accepted: “issue” is missing."],
  [{ issue: 3 }, "issue", "The input of jira.show_issue is not accepted: “issue” must be a text."],
  [{ isue: "KAY-3" }, "isue", "jira.show_issue has no field “isue”. Did you mean “issue”? Valid fields: issue."],
] as const)("an input of %j is refused with one sentence that names the field", async ([input, field, message]) => {
  const { token } = await connect(world());
  const answer = await world().call("POST /tools/jira.show_issue/call", { token, body: { input } });
  expect([answer.status, answer.body]).toEqual([
    400,
    { error: "INVALID_REQUEST", code: "INVALID_REQUEST", message, hint: "", field },
  ]);
});

test("an unknown tool is 404 with the nearest name", async () => {
  const { token } = await connect(world());
  for (const request of ["GET /tools/jira.show-issue", "POST /tools/show_issue/call"])
    expect(await world().call(request, { token, ...(request.startsWith("P") ? { body: {} } : {}) })).toMatchObject({
      status: 404,
      body: { code: "NOT_FOUND", nearest: "jira.show_issue" },
    });
});
