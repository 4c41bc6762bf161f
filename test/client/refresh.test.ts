import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RefreshOutcome } from "#client/credentials/refresh";
import { Problem } from "#protocol/errors";
import { ORIGIN } from "#test/credentials";
import { createSignedInWorld, expired, jwt, K, MINUTE, NOW, OK, REFUSED, SLOW, T0, T1 } from "#test/refresh";

test("without a sign-in there is no token, and nothing is requested", async () => {
  const { refresher, spent } = await createSignedInWorld(K, () => OK);
  expect([await refresher.accessToken(), await refresher.afterRejection("x"), spent]).toEqual([null, null, []]);
});

test("an expired token is refreshed before it is used, and the new pair is stored", async () => {
  const { refresher, spent, stored } = await createSignedInWorld(expired, () => OK);
  expect(await refresher.accessToken()).toBe(T1);
  expect([spent, await stored()]).toEqual([["R0"], { ...K, token: T1, refresh_token: "R1", clock_offset_ms: 0 }]);
});

test("the new token is stored before anyone gets it", async () => {
  const { refresher, path } = await createSignedInWorld(expired, () => OK);
  await refresher.accessToken();
  expect(readFileSync(path, "utf8")).toContain(T1);
});

test("A30 a token with 25 minutes left is not refreshed, nor while a session is idle for 3 minutes", async () => {
  const token = jwt(NOW - 5 * MINUTE);
  const { anotherProcess, clock, spent } = await createSignedInWorld({ ...K, token, refresh_token: "R0" }, () => OK);
  for (let run = 0; run < 3; run++) expect(await anotherProcess().accessToken()).toBe(token);
  const session = anotherProcess();
  for (clock.advance(0); clock.now() < NOW + 3 * MINUTE; clock.advance(MINUTE))
    expect(await session.accessToken()).toBe(token);
  expect(spent).toEqual([]);
});

test("A30 a token with 4 minutes left is refreshed once, for all processes together", async () => {
  const token = jwt(NOW - 26 * MINUTE);
  const { anotherProcess, spent } = await createSignedInWorld({ ...K, token, refresh_token: "R0" }, () => OK, SLOW);
  const tokens = await Promise.all([1, 2, 3].map(() => anotherProcess().accessToken()));
  expect([tokens, spent]).toEqual([[T1, T1, T1], ["R0"]]);
});

test("a long session refreshes its new token again when that nearly expires", async () => {
  const { refresher, clock, spent } = await createSignedInWorld(expired, (_, world) => ({
    ...OK,
    token: jwt(world.clock.now()),
    refresh_token: `R${world.spent.length}`,
  }));
  await refresher.accessToken();
  clock.advance(24 * MINUTE);
  await refresher.accessToken();
  clock.advance(2 * MINUTE);
  await refresher.accessToken();
  expect(spent).toEqual(["R0", "R1"]);
});

test("tokens with a lifetime below the margin do not make every call a refresh", async () => {
  const { refresher, spent } = await createSignedInWorld(expired, () => ({ ...OK, token: jwt(NOW, 2 * MINUTE) }));
  for (let call = 0; call < 5; call++) await refresher.accessToken();
  expect(spent).toEqual(["R0"]);
});

test("an opaque token is used until it is refused", async () => {
  const { refresher, spent } = await createSignedInWorld({ ...K, token: "opaque", refresh_token: "R0" }, () => ({
    ...OK,
    token: "opaque-1",
  }));
  expect([await refresher.accessToken(), spent]).toEqual(["opaque", []]);
  expect([await refresher.afterRejection("opaque"), spent]).toEqual(["opaque-1", ["R0"]]);
});

test("a token without a refresh token is used as long as it lasts, and not replaced", async () => {
  const { refresher } = await createSignedInWorld({ ...K, token: T0 }, () => OK);
  expect([await refresher.accessToken(), await refresher.afterRejection(T0)]).toEqual([T0, null]);
});

test("A02 many refusals at once cause one refresh, and a later call may try again after a failure", async () => {
  let down = true;
  const problem = new Problem("UNREACHABLE", "Cannot reach it.");
  const { refresher, spent } = await createSignedInWorld(expired, () => (down ? { kind: "passing", problem } : OK));
  const failed = await Promise.allSettled([refresher.afterRejection(T0), refresher.afterRejection(T0)]);
  expect([failed.map(({ status }) => status), spent]).toEqual([["rejected", "rejected"], ["R0"]]);
  down = false;
  const calls = [refresher.afterRejection(T0), refresher.accessToken(), refresher.afterRejection(T0)];
  expect([await Promise.all(calls), spent]).toEqual([
    [T1, T1, T1],
    ["R0", "R0"],
  ]);
});

test("a refusal of a token that was replaced meanwhile uses the new one", async () => {
  const { refresher, credentials, spent } = await createSignedInWorld(expired, () => OK);
  await credentials.write(ORIGIN, 1, { ...K, token: "T9", refresh_token: "R9" });
  expect([await refresher.afterRejection(T0), spent]).toEqual(["T9", []]);
});

test("A01 a process that gets the lock second uses the stored tokens of the first", async () => {
  const { anotherProcess, spent, stored } = await createSignedInWorld(expired, () => OK, SLOW);
  const tokens = await Promise.all([1, 2, 3, 4, 5].map(() => anotherProcess().afterRejection(T0)));
  expect([tokens, spent, (await stored()).refresh_token]).toEqual([[T1, T1, T1, T1, T1], ["R0"], "R1"]);
});

test("A03 the loser of a race uses what the winner stored while its own refresh was refused", async () => {
  const { refresher, stored } = await createSignedInWorld(expired, async (_, world) => {
    await world.credentials.write(ORIGIN, 1, { ...K, token: "T1", refresh_token: "R1" });
    return REFUSED;
  });
  expect([await refresher.afterRejection(T0), await stored()]).toEqual([
    "T1",
    { ...K, token: "T1", refresh_token: "R1" },
  ]);
});

test("A03 a winner that stores up to 3 s later is waited for", async () => {
  const { refresher, clock, stored, credentials } = await createSignedInWorld(expired, () => REFUSED);
  const { sleep } = clock;
  clock.sleep = async (ms) => {
    await sleep(ms);
    if (clock.now() === NOW + 2_500) await credentials.write(ORIGIN, 1, { ...K, token: "T1", refresh_token: "R1" });
  };
  expect([await refresher.accessToken(), (await stored()).token]).toEqual(["T1", "T1"]);
});

test("A03 the tokens are removed only if the refused refresh token is still stored after 3 s; the session ID stays", async () => {
  const { refresher, clock, stored } = await createSignedInWorld(expired, () => REFUSED);
  await expect(refresher.accessToken()).rejects.toMatchObject({
    code: "REFRESH_INVALID",
    message: "Your sign-in has ended.",
    hint: "Run `kay connect <service>` to sign in again.",
    exit: 4,
  });
  expect([await stored(), clock.now() - NOW]).toEqual([K, 3_000]);
  expect(await refresher.accessToken()).toBe(null);
});

test("a refresh token that was used twice is reported as such", async () => {
  const { refresher } = await createSignedInWorld(expired, () => ({
    kind: "invalid",
    code: "REFRESH_REUSED",
    message: "theft",
  }));
  await expect(refresher.accessToken()).rejects.toMatchObject({ code: "REFRESH_REUSED", exit: 4 });
});

test("a backend's refusal is neither shown nor does it choose the error", async () => {
  const hostile: RefreshOutcome = { kind: "invalid", code: "INTERNAL", message: "\u001b[2J R0" };
  const { refresher } = await createSignedInWorld(expired, () => hostile);
  await expect(refresher.accessToken()).rejects.toMatchObject({
    code: "REFRESH_INVALID",
    message: "Your sign-in has ended.",
  });
});

test.for([
  ["socket destroyed", new Problem("UNREACHABLE", "Cannot reach it (ECONNRESET).")],
  ["503 with a page", new Problem("BAD_GATEWAY", "It answered 503.")],
  ["429", new Problem("RATE_LIMITED", "Too many requests; try again in 2 s.")],
  ["no answer", new Problem("TIMED_OUT", "No answer within 10 s.")],
  ["408", new Problem("TIMED_OUT", "It answered 408.")],
  ["garbled", new Problem("BAD_ANSWER", "It answered something else.")],
] as const)(
  "A04 a temporary fault (%s) leaves stored data byte for byte, and nobody must sign in",
  async ([, problem]) => {
    const { refresher, path } = await createSignedInWorld(expired, () => ({ kind: "passing", problem }));
    const oldBytes = readFileSync(path);
    const error = await refresher.afterRejection(T0).catch((entry) => entry);
    expect(error).toBeInstanceOf(Problem);
    expect([error.exit, readFileSync(path).equals(oldBytes)]).toEqual([6, true]);
    expect(`${error.message} ${error.hint}`).not.toMatch(/connect|sign in again|log ?in/i);
  },
);

test("A04 a call that throws a network fault counts as temporary too", async () => {
  const { refresher, stored } = await createSignedInWorld(expired, () =>
    Promise.reject(new Problem("TLS_FAILED", "No.")),
  );
  await expect(refresher.accessToken()).rejects.toMatchObject({ exit: 6 });
  expect(await stored()).toEqual(expired);
});

test("an early refresh that fails temporarily does not fail the command: the token is still valid", async () => {
  const token = jwt(NOW - 26 * MINUTE);
  const problem = new Problem("UNREACHABLE", "Cannot reach it.");
  const { refresher, spent } = await createSignedInWorld({ ...K, token, refresh_token: "R0" }, () => ({
    kind: "passing",
    problem,
  }));
  expect([await refresher.accessToken(), spent]).toEqual([token, ["R0"]]);
});

test.for([[undefined], [""], [null], ["undefined"], ["null"]])(
  "A29 an answer whose refresh token is %j keeps the old one",
  async ([refresh_token]) => {
    const { refresher, stored } = await createSignedInWorld(expired, () => ({
      kind: "ok",
      token: T1,
      refresh_token,
      serverNow: NOW,
    }));
    expect([await refresher.accessToken(), await stored()]).toEqual([
      T1,
      { ...K, token: T1, refresh_token: "R0", clock_offset_ms: 0 },
    ]);
  },
);

test.for(["", "undefined", "null"])(
  "A29 an answer whose token is %j is a temporary fault, and nothing is stored",
  async (token) => {
    const { refresher, stored } = await createSignedInWorld(expired, () => ({
      kind: "ok",
      token,
      refresh_token: "R1",
    }));
    await expect(refresher.accessToken()).rejects.toMatchObject({ exit: 6 });
    expect(await stored()).toEqual(expired);
  },
);

test("someone who signs in again during a refresh is not overwritten by it", async () => {
  const newSignIn = { session_id: "kaysession_2", token: "T9", refresh_token: "R9" };
  const { refresher, stored } = await createSignedInWorld(expired, async (_, { credentials }) => {
    await credentials.update(ORIGIN, () => newSignIn);
    return OK;
  });
  expect([await refresher.accessToken(), await stored()]).toEqual(["T9", newSignIn]);
});

test("someone who logs out during a refresh stays logged out", async () => {
  const { refresher, stored } = await createSignedInWorld(expired, async (_, { credentials }) => {
    await credentials.update(ORIGIN, () => K);
    return OK;
  });
  expect([await refresher.accessToken(), await stored()]).toEqual([null, K]);
});

test("a write for another origin during a refresh loses nothing", async () => {
  const { refresher, stored, credentials } = await createSignedInWorld(expired, async (_, world) => {
    await world.credentials.update("http://127.0.0.1:4000", () => ({ token: "other" }));
    return OK;
  });
  expect([await refresher.accessToken(), (await stored()).refresh_token]).toEqual([T1, "R1"]);
  expect((await credentials.read("http://127.0.0.1:4000")).signIn).toEqual({ token: "other" });
});

test("each refresh has a separate idempotency key", async () => {
  const { refresher, keys, clock } = await createSignedInWorld(expired, (_, world) => ({
    ...OK,
    token: jwt(world.clock.now()),
  }));
  await refresher.accessToken();
  clock.advance(26 * MINUTE);
  await refresher.accessToken();
  expect([keys.length, new Set(keys).size]).toEqual([2, 2]);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
});
