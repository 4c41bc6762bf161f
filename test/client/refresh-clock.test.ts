import { expect, test } from "vitest";
import type { RefreshOutcome } from "#client/credentials/refresh";
import { createSignedInWorld, expired, jwt, K, MINUTE, NOW, OK, T0, T1 } from "#test/refresh";

test.for([
  ["2 h ahead", 120, "about 2 h ahead of"],
  ["40 min ahead", 40, "about 40 min ahead of"],
  ["3 days ahead", 3 * 24 * 60, "about 3 days ahead of"],
] as const)(
  "A07 on a clock that is %s each process refreshes at most once, uses the new token, and says so once",
  async ([, minutes, words]) => {
    const { anotherProcess, spent, warnings, clock } = await createSignedInWorld(
      { ...K, token: jwt(NOW - 10 * MINUTE), refresh_token: "R0" },
      () => ({ kind: "ok", token: T1, refresh_token: "R1" }),
      { start: NOW + minutes * MINUTE },
    );
    for (let run = 0; run < 3; run++) {
      const kay = anotherProcess();
      for (let request = 0; request < 3; request++) expect(await kay.accessToken()).toBe(T1);
      clock.advance(1000);
    }
    expect(spent).toEqual(["R0"]);
    expect(warnings).toEqual([
      `This machine's clock is ${words} the backend's. Set it correctly to avoid problems with sign-in and expiry.`,
    ]);
  },
);

test("A07 the time of the Date header takes precedence over that of the token", async () => {
  const { refresher, stored } = await createSignedInWorld(
    expired,
    () => ({ ...OK, serverNow: NOW - 8_000 }) as RefreshOutcome,
  );
  await refresher.accessToken();
  expect((await stored()).clock_offset_ms).toBe(-8_000);
});

test("A07 a slow clock sends an expired token, is refused, and learns from the refresh", async () => {
  const late = NOW - 120 * MINUTE;
  const { anotherProcess, spent, warnings } = await createSignedInWorld(
    expired,
    () => ({ kind: "ok", token: T1, refresh_token: "R1" }),
    { start: late },
  );
  expect(await anotherProcess().accessToken()).toBe(T0);
  expect(await anotherProcess().afterRejection(T0)).toBe(T1);
  expect([await anotherProcess().accessToken(), spent]).toEqual([T1, ["R0"]]);
  expect(warnings).toEqual([expect.stringContaining("about 2 h behind the backend's")]);
});

test("A07 a corrected clock is noticed at the next refresh", async () => {
  const { refresher, stored } = await createSignedInWorld({ ...expired, clock_offset_ms: -120 * MINUTE }, () => OK);
  expect(await refresher.accessToken()).toBe(T0);
  expect(await refresher.afterRejection(T0)).toBe(T1);
  expect((await stored()).clock_offset_ms).toBe(0);
});

test("A09 a payload in unpadded base64url with names of any script is read: its token is valid until 2100", async () => {
  const token =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI1NTcwNTg6MDAwMC10ZXN0IiwibmFtZSI6IuWxseeUsCDDnG5hbCB-Pz7DvyIsImV4cCI6NDEwMjQ0NDgwMH0.c2ln";
  const { refresher, spent, clock } = await createSignedInWorld({ ...K, token, refresh_token: "R0" }, () => OK);
  expect([await refresher.accessToken(), spent]).toEqual([token, []]);
  clock.advance(4102444800_000 - NOW - 5 * MINUTE);
  expect([await refresher.accessToken(), spent]).toEqual([T1, ["R0"]]);
});

test.for(["a.b.c", "..", "x.eyJleHAiOiJzb29uIn0.y", "x.bnVsbA.y"])("A09 a token like %j is opaque", async (token) => {
  const { refresher, spent } = await createSignedInWorld({ ...K, token, refresh_token: "R0" }, () => OK);
  expect([await refresher.accessToken(), spent]).toEqual([token, []]);
});
