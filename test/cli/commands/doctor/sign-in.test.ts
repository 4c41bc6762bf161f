import { expect, test } from "vitest";
import { readChecks } from "#test/doctor";
import { type Machine, useKay } from "#test/kay";

const kay = useKay();
const HERE = { env: { BROWSER: "none" }, signedIn: true };

async function checkSignIn(ann: Machine, line = "doctor --json"): Promise<string | undefined> {
  return readChecks(await ann(line))["sign-in"];
}

function refreshes(ann: Machine): number {
  return ann.place.network.calls().filter((call) => call === "POST /auth/refresh").length;
}

test("a fresh token is not rotated: the check shows that the backend accepts it", async () => {
  const ann = kay(HERE);
  await ann("whoami");
  const oldSignIn = await ann.stored();
  expect(await checkSignIn(ann)).toBe(
    "ok: The backend accepts the access token, valid for 30 min. `kay doctor --refresh` tests the refresh.",
  );
  expect({ refreshes: refreshes(ann), after: await ann.stored() }).toEqual({ refreshes: 0, after: oldSignIn });
});

test("a token that is due is refreshed as by every command, and stored", async () => {
  const ann = kay(HERE);
  await ann("whoami");
  const oldSignIn = await ann.stored();
  ann.place.clock.advance(28 * 60_000);
  expect(await checkSignIn(ann)).toBe("ok: The access token had expired and was refreshed successfully.");
  expect((await ann.stored()).refresh_token).not.toBe(oldSignIn.refresh_token);
  expect(await ann("whoami")).toMatchObject({ exit: 0 });
});

test("--refresh rotates the tokens once, and they are stored before they are used", async () => {
  const ann = kay(HERE);
  await ann("whoami");
  const oldSignIn = await ann.stored();
  expect(await checkSignIn(ann, "doctor --json --refresh")).toBe(
    "ok: The tokens were refreshed, and stored before they were used. The backend accepts the new one.",
  );
  const after = await ann.stored();
  expect({ refreshes: refreshes(ann), rotated: after.refresh_token !== oldSignIn.refresh_token }).toEqual({
    refreshes: 1,
    rotated: true,
  });
  expect(await ann("whoami")).toMatchObject({ exit: 0 });
});

test("a lost response to --refresh is requested again, and no new sign-in is needed", async () => {
  const ann = kay(HERE);
  await ann("whoami");
  ann.place.network.on("POST /auth/refresh", "lost", "gateway", "pass");
  expect(await checkSignIn(ann, "doctor --json --refresh")).toMatch(/^ok: The tokens were refreshed/);
  expect(refreshes(ann)).toBe(3);
  expect(await ann("whoami")).toMatchObject({ exit: 0 });
});

test("a temporary refresh failure changes nothing that is stored", async () => {
  const ann = kay(HERE);
  await ann("whoami");
  const oldSignIn = await ann.stored();
  ann.place.network.always("POST /auth/refresh", "refused");
  expect(await checkSignIn(ann, "doctor --json --refresh")).toMatch(
    /^failed: The refresh failed: Cannot reach http:\/\/127\.0\.0\.1:4000/,
  );
  expect(await ann.stored()).toEqual(oldSignIn);
});

test("a sign-in that has ended is reported with how to sign in again", async () => {
  const ann = kay(HERE);
  await ann("whoami");
  ann.place.clock.advance(40 * 86_400_000);
  expect(await checkSignIn(ann)).toBe(
    "failed: Your sign-in has ended. → Run `kay connect <service>` to sign in again.",
  );
});

test("a missing sign-in is not a failure", async () => {
  const ann = kay({ env: HERE.env });
  const result = await ann("doctor --json");
  expect({ exit: result.exit, signIn: readChecks(result)["sign-in"] }).toEqual({
    exit: 0,
    signIn: "warning: Not signed in. → Run `kay connect <service>`.",
  });
});

test("KAY_TOKEN is tested as it is", async () => {
  const ann = kay(HERE);
  await ann("whoami");
  const { token = "" } = await ann.stored();
  const bob = kay({ env: { ...HERE.env, KAY_TOKEN: token }, beside: ann });
  expect(await checkSignIn(bob)).toBe("ok: The backend accepts the token of KAY_TOKEN.");
  const eve = kay({ env: { ...HERE.env, KAY_TOKEN: "wrong-token" }, beside: ann });
  expect(await checkSignIn(eve)).toBe(
    "failed: The backend rejected the token in KAY_TOKEN. → Set KAY_TOKEN to a valid token, or unset it.",
  );
});

test("a script token is tested by its name, and a week before its end the next step is shown", async () => {
  const ann = kay(HERE);
  await ann("token create ci --expires 8d");
  const job = kay({ env: { ...HERE.env, KAY_TOKEN: ann.raw().stdout.trim() }, beside: ann });
  const accepted = "The backend accepts the token “ci” until 2026-12-05.";
  expect(await checkSignIn(job)).toBe(`ok: ${accepted}`);
  ann.place.clock.advance(24 * 60 * 60_000);
  expect(await checkSignIn(job)).toBe(
    `warning: ${accepted} → Create the next one with \`kay token create\` in a signed-in terminal.`,
  );
  ann.place.clock.advance(7 * 24 * 60 * 60_000);
  expect(await checkSignIn(job)).toBe(
    "failed: The script token “ci” expired on 2026-12-05. → Create a token with `kay token create` in a signed-in terminal, and set KAY_TOKEN to it.",
  );
});

test("a lost connection is reported by its own name", async () => {
  const ann = kay(HERE);
  await ann("whoami");
  const lost = {
    connections: { jira: { connected: false, reason: "revoked at Atlassian" }, slack: { connected: true } },
  };
  ann.place.network.always("GET /connections", { json: lost });
  expect(readChecks(await ann("doctor --json")).connections).toBe(
    "warning: Lost: jira: revoked at Atlassian. → Run `kay connect jira`.",
  );
});
