import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { KeychainStatus } from "#client/credentials/keychain";
import { until } from "#test/built/processes";
import { ORIGIN, openProfile } from "#test/credentials";
import { freeze, openKeyringSession as session, stop } from "#test/keyring";
import { needs } from "#test/needs";

const test = needs("dbus-daemon", "gnome-keyring-daemon");
const SIGN_IN = { session_id: "kaysession_1", token: "token-0", refresh_token: "refresh-0" };

test("the check distinguishes a usable keychain from a locked one", async () => {
  const { keychain, keyring } = await session();
  const daemon = await keyring("pw");
  expect(await keychain.check()).toEqual({ state: "usable" });
  await stop(daemon);
  await keyring();
  expect(await keychain.check()).toEqual({ state: "locked" });
});

test("the check detects a session without a keychain service", async () => {
  const { keychain } = await session();
  expect(await keychain.check()).toEqual({ state: "no-provider" });
});

test("the check detects a frozen keychain service within 1.5 s, and one that resumes", async () => {
  const { keychain, keyring } = await session();
  const daemon = await keyring("pw");
  await freeze(daemon);
  expect(await checkInTime(keychain.check)).toEqual({ state: "frozen" });
  daemon.kill("SIGCONT");
  expect(await keychain.check()).toEqual({ state: "usable" });
});

test("the check detects a frozen bus within 1.5 s, and one that is gone", async () => {
  const { keychain, bus, env } = await session();
  await freeze(bus);
  const path = env.DBUS_SESSION_BUS_ADDRESS.slice("unix:path=".length);
  expect(await checkInTime(keychain.check)).toEqual({ state: "mute", detail: path });
  bus.kill("SIGCONT");
  bus.kill("SIGKILL");
  await until(async () => (await keychain.check()).state !== "mute", "the bus seems to be there still");
  expect(["no-bus", "refused"]).toContain((await keychain.check()).state);
});

test("a key is stored by the native module, read without it, and deleted; deleting it again is success (S12)", async () => {
  const { keychain, keyring } = await session();
  await keyring("pw");
  const key = new Uint8Array(32).map((_, index) => index * 7);
  expect(await keychain.get("default")).toBe(null);
  await keychain.set("default", key);
  await keychain.set("other", new Uint8Array(32));
  expect(new Uint8Array((await keychain.get("default")) ?? [])).toEqual(key);
  await keychain.delete("default");
  await keychain.delete("default");
  expect([await keychain.get("default"), (await keychain.get("other"))?.length]).toEqual([null, 32]);
});

test("a sign-in is encrypted with a key of the real keychain; locked or gone, it is reported and kept, and works again once unlocked (S04)", async () => {
  const { keychain, keyring } = await session();
  const daemon = await keyring("pw");
  const { credentials, folder, path, warnings } = openProfile({ preference: "auto", keychain });
  await credentials.write(ORIGIN, 0, SIGN_IN);
  const sealed = readFileSync(path, "utf8");
  expect(sealed).not.toContain("kaysession_1");
  const another = () => openProfile({ in: folder, preference: "auto", keychain }).credentials.read(ORIGIN);
  expect((await another()).signIn).toEqual(SIGN_IN);

  await stop(daemon);
  await expect(another()).rejects.toMatchObject({ code: "KEYCHAIN_UNAVAILABLE", details: { keychain: "no-provider" } });
  const locked = await keyring();
  await expect(another()).rejects.toMatchObject({ code: "KEYCHAIN_LOCKED", hint: expect.stringContaining("--unlock") });
  expect([readFileSync(path, "utf8"), warnings]).toEqual([sealed, []]);
  await stop(locked);
  await keyring("pw");
  expect((await another()).signIn).toEqual(SIGN_IN);
});

test("a keyring that freezes with a sign-in stored is reported within 1.5 s, not waited for (S05)", async () => {
  const { keychain, keyring } = await session();
  const daemon = await keyring("pw");
  const { credentials, folder } = openProfile({ preference: "auto", keychain });
  await credentials.write(ORIGIN, 0, SIGN_IN);
  await freeze(daemon);
  const secondCredentials = openProfile({ in: folder, preference: "auto", keychain }).credentials;
  await expect(secondCredentials.read(ORIGIN)).rejects.toMatchObject({
    message: "The keychain service does not respond.",
  });
});

/** Only the promised limit is timed, with room for a busy machine. */
async function checkInTime(look: () => Promise<KeychainStatus>): Promise<KeychainStatus> {
  const started = performance.now();
  const status = await look();
  expect(performance.now() - started).toBeLessThan(2_500);
  return status;
}
