import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { useBackend } from "#test/backend";
import { ANN, BOB, begin, callback, connect, expectAtlassian } from "#test/consent";

const world = useBackend();
const status = (state: string, headers?: Record<string, string>) =>
  world().call(`GET /auth/status/${state}`, { headers });

test("pending, then completed with the guide's fields, then 410", async () => {
  const { state } = await begin(world());
  expect((await status(state)).body).toEqual({ status: "pending", message: "Authorization not yet completed" });
  expectAtlassian(world());
  await callback(world(), state);
  const answer = await status(state);
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      status: "completed",
      account_id: ANN.account_id,
      token: expect.stringMatching(/^eyJ/),
      refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      message: "Authorization completed successfully. Connected jira as Ann Example.",
    },
  ]);
  expect(await status(state)).toMatchObject({ status: 410, body: { error: "STATE_USED", code: "STATE_USED" } });
});

test("exactly one of twelve concurrent callers gets the tokens", async () => {
  const { state } = await begin(world());
  expectAtlassian(world());
  await callback(world(), state);
  const answers = await Promise.all(Array.from({ length: 12 }, () => status(state)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(11).fill(410)]);
});

test("unknown and malformed states are 400 in the guide's words", async () => {
  for (const state of ["0".repeat(64), "x", "%00", "a%2Fb", "%E0%A4%A"]) {
    const { status: code, body } = await status(state);
    expect([code, body]).toEqual([
      400,
      { error: "STATE_INVALID", code: "STATE_INVALID", message: "Invalid or expired state" },
    ]);
  }
});

test("a state is valid for 10 minutes", async () => {
  const { state } = await begin(world());
  world().clock.advance(600_000 - 1);
  expect((await status(state)).body.status).toBe("pending");
  world().clock.advance(1);
  const { status: code, body } = await status(state);
  expect([code, body]).toEqual([
    200,
    { status: "expired", message: "The link to connect jira has expired after 10 minutes" },
  ]);
  expect((await callback(world(), state)).status).toBe(400);
});

test("tokens that nobody fetched expire with the state", async () => {
  const { state } = await begin(world());
  expectAtlassian(world());
  await callback(world(), state);
  world().clock.advance(600_000);
  expect((await status(state)).body).toMatchObject({ status: "expired" });
});

test("with a code challenge, only the verifier gets an answer", async () => {
  const verifier = randomBytes(32).toString("base64url");
  const code_challenge = createHash("sha256").update(verifier).digest("base64url");
  const { state } = await begin(world(), { code_challenge });
  expectAtlassian(world());
  await callback(world(), state);
  for (const headers of [undefined, { "kay-verifier": "wrong" }, { "kay-verifier": code_challenge }]) {
    expect(await status(state, headers)).toMatchObject({ status: 401, body: { code: "VERIFIER_INVALID" } });
  }
  expect((await status(state, { "kay-verifier": verifier })).body).toMatchObject({
    status: "completed",
    token: expect.any(String),
  });
});

test("later connections of a signed-in installation complete without tokens", async () => {
  const first = await connect(world());
  const second = await connect(world(), { session_id: first.session }, { service: "confluence" });
  expect(second.status.body).toEqual({
    status: "completed",
    account_id: ANN.account_id,
    message: "Authorization completed successfully. Connected confluence as Ann Example.",
  });
  expect((await status(second.state)).status).toBe(410);
});

test("a signed-in installation may connect services as other accounts", async () => {
  const first = await connect(world());
  const second = await connect(world(), { session_id: first.session }, { service: "confluence", account: BOB });
  expect(second.status.body).toMatchObject({ status: "completed", account_id: BOB.account_id });
});

test("tokens are issued again after logout, after expiry, and when the client lost them", async () => {
  const { session, token } = await connect(world());
  await world().call("POST /auth/logout", { token });
  const afterLogout = await connect(world(), { session_id: session });
  expect(afterLogout.status.body).toMatchObject({ status: "completed", token: expect.any(String) });
  world().clock.advance(7 * 24 * 3600_000);
  const afterExpiry = await connect(world(), { session_id: session });
  expect(afterExpiry.status.body).toMatchObject({ status: "completed", token: expect.any(String) });
  const lost = await connect(world(), { session_id: session, needs_tokens: true });
  expect(lost.status.body).toMatchObject({ status: "completed", refresh_token: expect.any(String) });
});

test("a stranger's account gets no tokens, changes nothing, and learns which account is expected", async () => {
  const { session, token } = await connect(world());
  const needing = await connect(world(), { session_id: session, needs_tokens: true }, { account: BOB });
  expect([needing.page.status, needing.status.body]).toEqual([
    409,
    {
      status: "failed",
      code: "ACCOUNT_MISMATCH",
      message: "This kay belongs to another account: sign in as Ann Example (atlassian).",
    },
  ]);
  expect(needing.page.text).toContain("sign in as Ann Example");
  const connections = await world().call("GET /connections", { token });
  expect(connections.body).toMatchObject({ connections: { jira: { user: { account_id: ANN.account_id } } } });
  await world().call("POST /auth/logout", { token });
  const after = await connect(world(), { session_id: session }, { account: BOB, service: "confluence" });
  expect(after.status.body).toMatchObject({ status: "failed", code: "ACCOUNT_MISMATCH" });
});

test("F3 the session ID alone connects no other account in place of the current or former one", async () => {
  const { session, token } = await connect(world());
  const body = { session_id: session };
  const taken = await connect(world(), body, { account: BOB });
  expect([taken.page.status, taken.status.body]).toEqual([
    409,
    {
      status: "failed",
      code: "ACCOUNT_MISMATCH",
      message: "Another account is connected. Only a client that is signed in can change it.",
    },
  ]);
  await world().call("POST /connections/disconnect?service=jira", { body });
  expect((await connect(world(), body, { account: BOB })).status.body).toMatchObject({ code: "ACCOUNT_MISMATCH" });
  expect((await connect(world(), body)).status.body).toMatchObject({ status: "completed" });
  const byPerson = await connect(world(), body, { account: BOB, token });
  expect(byPerson.status.body).toMatchObject({ status: "completed", account_id: BOB.account_id });
});

test("two first connections begun at once issue tokens once", async () => {
  const { session, state } = await begin(world());
  const other = await begin(world(), { session_id: session }, "confluence");
  for (const each of [state, other.state]) {
    expectAtlassian(world());
    await callback(world(), each);
  }
  const answers = await Promise.all([status(state), status(other.state)]);
  expect(answers.map((answer) => answer.body.status)).toEqual(["completed", "completed"]);
  expect(answers.filter((answer) => "token" in answer.body)).toHaveLength(1);
});

test("A24 two first consents of different accounts are both kept, and one of them gets the tokens", async () => {
  const first = await begin(world());
  const second = await begin(world(), { session_id: first.session }, "confluence");
  expect(second.session).toBe(first.session);
  expectAtlassian(world(), { account: ANN });
  await callback(world(), first.state);
  expectAtlassian(world(), { account: BOB });
  expect((await callback(world(), second.state)).status).toBe(200);
  const [one, other] = [
    (await world().call(`GET /auth/status/${second.state}`)).body,
    (await world().call(`GET /auth/status/${first.state}`)).body,
  ];
  expect(one).toEqual({ status: "completed", account_id: BOB.account_id, message: expect.any(String) });
  expect(other).toMatchObject({ status: "completed", account_id: ANN.account_id, token: expect.any(String) });
});
