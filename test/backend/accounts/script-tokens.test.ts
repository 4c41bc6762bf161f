import { expect, test } from "vitest";
import { createPeer, type World } from "#test/backend";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask, follow } from "#test/turn";

const { model, world } = useScriptedBackend({ services: deskServices([]) });

const DAY_MS = 24 * 60 * 60_000;
const HINT = "Create a token with `kay token create` in a signed-in terminal, and set KAY_TOKEN to it.";

async function createToken(signIn: string, body: object = { name: "ci" }): Promise<{ id: string; token: string }> {
  const { body: created } = await world().call("POST /auth/tokens", { token: signIn, body });
  return { id: String(created.id), token: String(created.token) };
}

const use = (token: string, place: World = world()) => place.call("GET /connections", { token });

test("a script token acts for the installation that created it, for 90 days by default", async () => {
  const { token: signIn } = await connect(world());
  const { status, body } = await world().call("POST /auth/tokens", { token: signIn, body: { name: " ci\u001b[1m\n" } });
  expect([status, body]).toEqual([
    200,
    {
      id: expect.stringMatching(/^token_[0-9a-f]{16}$/),
      name: "ci",
      token: expect.stringMatching(/^kayt_[0-9a-f]{16}_[0-9a-f]{48}$/),
      created_at: "2026-11-27T12:00:00.000Z",
      expires_at: "2027-02-25T12:00:00.000Z",
      last_used_at: null,
    },
  ]);
  const token = String(body.token);
  expect((await use(token)).body).toMatchObject({ connections: { jira: { connected: true } } });
  world().clock.advance(90 * DAY_MS - 1);
  expect((await use(token)).status).toBe(200);
  world().clock.advance(1);
  expect(await use(token)).toMatchObject({
    status: 401,
    body: { code: "TOKEN_EXPIRED", message: "The script token “ci” expired on 2027-02-25.", hint: HINT },
  });
});

test("only the hash of the secret is stored, and neither the log nor another answer has it", async () => {
  const { token: signIn } = await connect(world());
  const { id, token } = await createToken(signIn);
  await use(token);
  await use(`${token}x`);
  await world().call("GET /auth/tokens", { token });
  const { rows } = await world().ports.db.executeQuery<{ row: string }>(
    world().ports.db.selectFrom("script_tokens").selectAll().where("id", "=", id).compile() as never,
  );
  const listed = await world().call("GET /auth/tokens", { token: signIn });
  const secret = token.split("_")[2] ?? "";
  for (const text of [JSON.stringify(rows), listed.text, world().log.join("\n")]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString("hex"));
  }
  expect(world().log.join("\n")).toContain(`"id":"${id}"`);
});

test("a token that is cut, changed, unknown or revoked is refused with the next step", async () => {
  const { token: signIn } = await connect(world());
  const { id, token } = await createToken(signIn);
  const unknown = "The backend does not know this script token.";
  const otherSecret = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
  for (const [sent, message] of [
    [token.slice(0, -1), "The script token is incomplete."],
    ["kayt_", "The script token is incomplete."],
    [otherSecret, unknown],
    [`kayt_${"0".repeat(16)}_${token.split("_")[2]}`, unknown],
  ] as const)
    expect((await use(sent)).body).toEqual({
      error: "TOKEN_INVALID",
      code: "TOKEN_INVALID",
      message,
      hint: HINT,
    });
  const revoked = await world().call(`DELETE /auth/tokens/${id}`, { token: signIn });
  expect([revoked.status, revoked.body]).toMatchObject([200, { id, name: "ci" }]);
  expect(await use(token)).toMatchObject({
    status: 401,
    body: { code: "TOKEN_INVALID", message: "The script token “ci” was revoked.", hint: HINT },
  });
  const again = await world().call(`DELETE /auth/tokens/${id}`, { token: signIn });
  expect([again.status, again.body]).toEqual([200, revoked.body]);
  const missing = await world().call("DELETE /auth/tokens/0", { token: signIn });
  expect(missing).toMatchObject({ status: 404, body: { message: "No script token has this ID." } });
});

test("tokens are listed without secrets, and each user sees and revokes only their own", async () => {
  const { token: signIn } = await connect(world());
  const { token: stranger } = await connect(world());
  const { id } = await createToken(signIn, { name: "nightly", expires_in_days: 1 });
  world().clock.advance(1);
  const other = await createToken(signIn, { name: "deploy" });
  await use(other.token);
  expect((await world().call("GET /auth/tokens", { token: signIn })).body).toEqual({
    tokens: [
      {
        id,
        name: "nightly",
        created_at: "2026-11-27T12:00:00.000Z",
        expires_at: "2026-11-28T12:00:00.000Z",
        last_used_at: null,
      },
      {
        id: other.id,
        name: "deploy",
        created_at: "2026-11-27T12:00:00.001Z",
        expires_at: "2027-02-25T12:00:00.001Z",
        last_used_at: "2026-11-27T12:00:00.001Z",
      },
    ],
  });
  expect((await world().call("GET /auth/tokens", { token: stranger })).body).toEqual({ tokens: [] });
  expect((await world().call(`DELETE /auth/tokens/${id}`, { token: stranger })).status).toBe(404);
  expect((await world().call("GET /auth/token", { token: other.token })).body).toMatchObject({ name: "deploy" });
  expect((await world().call("GET /auth/token", { token: signIn })).status).toBe(404);
});

test("the last use is recorded at most once an hour", async () => {
  const { token: signIn } = await connect(world());
  const { token } = await createToken(signIn);
  const lastUse = async () => (await world().call("GET /auth/token", { token })).body.last_used_at;
  await use(token);
  world().clock.advance(59 * 60_000);
  expect(await lastUse()).toBe("2026-11-27T12:00:00.000Z");
  world().clock.advance(60_000);
  await use(token);
  expect(await lastUse()).toBe("2026-11-27T13:00:00.000Z");
});

test("names, lifetimes and numbers of tokens have limits", async () => {
  const { token: signIn } = await connect(world());
  for (const body of [
    {},
    { name: "" },
    { name: " \n" },
    { name: "x".repeat(101) },
    { name: "ci", expires_in_days: 0 },
    { name: "ci", expires_in_days: 367 },
    { name: "ci", expires_in_days: 1.5 },
    { name: "ci", expires_in_days: "90" },
  ])
    expect([body, await world().call("POST /auth/tokens", { token: signIn, body })]).toMatchObject([
      body,
      { status: 400, body: { code: "INVALID_REQUEST" } },
    ]);
  const answers = await Promise.all(
    Array.from({ length: 51 }, () => world().call("POST /auth/tokens", { token: signIn, body: { name: "ci" } })),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(({ body }) => body)).toMatchObject([
    { message: "You have 50 script tokens, which is the limit.", hint: "Revoke one with `kay token revoke`." },
  ]);
  world().clock.advance(91 * DAY_MS);
  const { token: later } = await connect(world());
  expect((await world().call("POST /auth/tokens", { token: later, body: { name: "ci" } })).status).toBe(200);
});

test("tokens that ended more than 30 days ago are deleted with the next one", async () => {
  const { token: signIn, refreshToken } = await connect(world());
  const { token } = await createToken(signIn, { name: "ci", expires_in_days: 1 });
  let pair = { token: signIn, refresh_token: refreshToken };
  for (const days of [6, 6, 6, 6, 5]) {
    world().clock.advance(days * DAY_MS);
    const { body } = await world().call("POST /auth/refresh", { body: { refresh_token: pair.refresh_token } });
    pair = body as typeof pair;
  }
  await createToken(pair.token);
  expect((await use(token)).body.code).toBe("TOKEN_EXPIRED");
});

test("a logout that disconnects revokes all tokens; the guide's logout keeps them", async () => {
  const first = await connect(world());
  const kept = await createToken(first.token);
  await world().call("POST /auth/logout", { token: first.token });
  expect((await use(kept.token)).status).toBe(200);
  const second = await connect(world());
  const ended = await createToken(second.token);
  await world().ports.db.deleteFrom("grants").execute();
  await world().call("POST /auth/logout", { token: second.token, body: { disconnect: true } });
  expect((await use(ended.token)).body.message).toBe("The script token “ci” was revoked.");
});

test("a token that is created during a logout does not outlive it", async () => {
  for (let round = 0; round < 10; round++) {
    const { token: signIn } = await connect(world());
    await world().ports.db.deleteFrom("grants").execute();
    const [created] = await Promise.all([
      world().call("POST /auth/tokens", { token: signIn, body: { name: "ci" } }),
      world().call("POST /auth/logout", { token: signIn, body: { disconnect: true } }),
    ]);
    if (created.status === 200) expect((await use(String(created.body.token))).status).toBe(401);
    else expect(created).toMatchObject({ status: 401, body: { code: "TOKEN_INVALID" } });
  }
});

test("if a refresh token was copied, the tokens created since it was spent are revoked", async () => {
  const { token: signIn, refreshToken } = await connect(world());
  const before = await createToken(signIn);
  world().clock.advance(1_000);
  const { body } = await world().call("POST /auth/refresh", { body: { refresh_token: refreshToken } });
  const since = await createToken(String(body.token));
  world().clock.advance(60_001);
  const reused = await world().call("POST /auth/refresh", { body: { refresh_token: refreshToken } });
  expect(reused.body.code).toBe("REFRESH_REUSED");
  expect([(await use(before.token)).status, (await use(since.token)).status]).toEqual([200, 401]);
});

test("a revoked or expired token ends its open streams within ten seconds, on any node; others stay open", async () => {
  const { token: signIn } = await connect(world());
  const revoked = await createToken(signIn);
  const expiring = await createToken(signIn);
  await world()
    .ports.db.updateTable("script_tokens")
    .set({ expires_at: new Date(world().clock.now() + 15_000) })
    .where("id", "=", expiring.id)
    .execute();
  model.script({ text: "Hello." }, { text: "Hello again." });
  const turn = await ask(world(), revoked.token, "hello");
  await turn.end();
  const peer = createPeer(world());
  const open = async (token: string) => {
    const stream = await follow(peer, token, turn.session);
    await stream.next("finish");
    return stream;
  };
  const ofRevoked = await open(revoked.token);
  const ofExpiring = await open(expiring.token);
  const ofSignIn = await open(signIn);
  await world().call(`DELETE /auth/tokens/${revoked.id}`, { token: signIn });
  world().clock.advance(10_000);
  await peer.backend.tick();
  await ofRevoked.end();
  expect(ofRevoked.done()).toBe(false);
  await (await ask(world(), signIn, "hello", { session_id: turn.session })).end();
  for (const stream of [ofExpiring, ofSignIn]) await stream.next("finish");
  world().clock.advance(10_000);
  await peer.backend.tick();
  await ofExpiring.end();
  await ofSignIn.close();
});

test.for([10_000, -60_000])(
  "a logout ends the open streams of its sign-in, whether the clock advances or is set back (%i ms)",
  async (ms) => {
    const { token } = await connect(world());
    model.script({ text: "Hello." });
    const turn = await ask(world(), token, "hello");
    await turn.end();
    const stream = await follow(world(), token, turn.session);
    await stream.next("finish");
    await world().call("POST /auth/logout", { token });
    world().clock.advance(ms);
    await world().backend.tick();
    await stream.end();
    expect(stream.done()).toBe(false);
  },
);

test("a script answers once, and needs a sign-in for an approval that lasts", async () => {
  const { token: signIn } = await connect(world());
  const { token } = await createToken(signIn);
  model.script({ calls: [["c1", "jira.close_issue", { issue: "KAY-1" }]] }, { text: "Closed." });
  const turn = await ask(world(), token, "close KAY-1");
  const { interaction_id: id } = await turn.asked();
  for (const approval_scope of ["session", "always"])
    expect(await turn.answer(id, { action: "approve", approval_scope })).toMatchObject({
      status: 403,
      body: { code: "SIGN_IN_REQUIRED" },
    });
  expect((await turn.answer(id, { action: "approve" })).status).toBe(200);
  await turn.end();
  expect(turn.text()).toContain("Closed.");
});
