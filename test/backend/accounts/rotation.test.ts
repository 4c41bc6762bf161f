import { expect, test } from "vitest";
import { createBackend } from "#backend/app";
import { useBackend } from "#test/backend";
import { connect } from "#test/consent";

const world = useBackend();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const refresh = (token: string) => world().call("POST /auth/refresh", { body: { refresh_token: token } });

test("a refresh returns a new pair in the guide's words, and both of its tokens work", async () => {
  const { refreshToken, token } = await connect(world());
  world().clock.advance(20 * MINUTE);
  const first = await refresh(refreshToken);
  expect({ ...first.body, status: first.status }).toEqual({
    status: 200,
    token: expect.stringMatching(/^eyJ/),
    refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/),
    message: "Token refreshed successfully",
  });
  expect(first.body.token).not.toBe(token);
  expect((await world().call("GET /connections", { token: String(first.body.token) })).status).toBe(200);
  expect((await refresh(String(first.body.refresh_token))).status).toBe(200);
});

test("the last spent refresh token returns the same pair for 60 seconds", async () => {
  const { refreshToken } = await connect(world());
  const first = await refresh(refreshToken);
  world().clock.advance(60_000);
  expect((await refresh(refreshToken)).body).toEqual(first.body);
});

test("after the grace period, a spent refresh token ends the whole sign-in", async () => {
  const { refreshToken, token } = await connect(world());
  const first = await refresh(refreshToken);
  world().clock.advance(60_001);
  expect(await refresh(refreshToken)).toMatchObject({
    status: 401,
    body: { error: "REFRESH_REUSED", code: "REFRESH_REUSED" },
  });
  expect(await refresh(String(first.body.refresh_token))).toMatchObject({
    status: 401,
    body: { code: "REFRESH_REUSED" },
  });
  for (const dead of [token, String(first.body.token)]) {
    expect(await world().call("GET /connections", { token: dead })).toMatchObject({
      status: 401,
      body: { code: "TOKEN_INVALID" },
    });
  }
});

test("a token from before the last spent one counts as reuse even within the grace period", async () => {
  const { refreshToken } = await connect(world());
  const first = await refresh(refreshToken);
  await refresh(String(first.body.refresh_token));
  expect(await refresh(refreshToken)).toMatchObject({ status: 401, body: { code: "REFRESH_REUSED" } });
});

test("twelve concurrent refreshes with the same token return the same pair, over two backends on one database", async () => {
  const { refreshToken } = await connect(world());
  const second = createBackend(world().ports);
  const body = JSON.stringify({ refresh_token: refreshToken });
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const backend = index % 2 === 0 ? world().backend : second;
      const request = new Request("http://127.0.0.1:4000/auth/refresh", { method: "POST", body });
      return (await backend.fetch(request)).text();
    }),
  );
  expect(new Set(answers).size).toBe(1);
  expect(JSON.parse(answers[0] ?? "{}")).toMatchObject({ message: "Token refreshed successfully" });
});

test("a refresh token is valid for 7 days, its family for 30, regardless of rotations", async () => {
  const { refreshToken } = await connect(world());
  let current = refreshToken;
  for (let day = 6; day <= 24; day += 6) {
    world().clock.advance(6 * DAY);
    current = String((await refresh(current)).body.refresh_token);
  }
  world().clock.advance(6 * DAY);
  expect(await refresh(current)).toMatchObject({ status: 401, body: { code: "REFRESH_INVALID" } });
  const other = await connect(world());
  world().clock.advance(7 * DAY);
  expect(await refresh(other.refreshToken)).toMatchObject({ status: 401, body: { code: "REFRESH_INVALID" } });
});

test("a refresh while the clock was far in the past does not end the sign-in when it is right again", async () => {
  const { refreshToken } = await connect(world());
  world().clock.advance(-400 * DAY);
  const { body } = await refresh(refreshToken);
  world().clock.advance(400 * DAY + 6 * DAY);
  expect(await refresh(String(body.refresh_token))).toMatchObject({ status: 200 });
});

test("logout ends access and refresh tokens at once, and a second logout is not signed in", async () => {
  const { refreshToken, token } = await connect(world());
  expect((await world().call("POST /auth/logout", { token })).body).toEqual({ message: "Logged out successfully" });
  expect(await refresh(refreshToken)).toMatchObject({ status: 401, body: { code: "REFRESH_INVALID" } });
  expect(await world().call("POST /auth/logout", { token })).toMatchObject({
    status: 401,
    body: { code: "TOKEN_INVALID" },
  });
});

test("an unknown, empty or malformed refresh token is refused", async () => {
  expect(await refresh("f".repeat(64))).toMatchObject({ status: 401, body: { code: "REFRESH_INVALID" } });
  expect(await refresh("\u0000")).toMatchObject({ status: 401, body: { code: "REFRESH_INVALID" } });
  for (const body of [{}, { refresh_token: "" }, { refresh_token: 7 }, [], "null"]) {
    expect(await world().call("POST /auth/refresh", { body })).toMatchObject({
      status: 400,
      body: { code: "INVALID_REQUEST" },
    });
  }
});

test("the database has no token of kay or of a service in plain text", async () => {
  const { refreshToken, token, state } = await connect(world());
  const { db } = world().ports;
  const rows = await Promise.all([
    db.selectFrom("refresh_tokens").selectAll().execute(),
    db.selectFrom("grants").selectAll().execute(),
    db.selectFrom("states").selectAll().execute(),
    db.selectFrom("families").selectAll().execute(),
  ]);
  const dump = JSON.stringify(rows, (_, value) =>
    value?.type === "Buffer" ? Buffer.from(value.data).toString("latin1") : value,
  );
  for (const secret of [refreshToken, token, state, "jira-access-1", "jira-refresh-1"])
    expect(dump).not.toContain(secret);
});
