import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openHome } from "#test/built/home";
import { CONNECTED, connect } from "#test/built/serve";
import { openProfile } from "#test/credentials";
import { freeze, openKeyringSession, stop } from "#test/keyring";
import { needs } from "#test/needs";

const test = needs("dbus-daemon", "gnome-keyring-daemon");

/** Opens a home in a desktop session with an unlocked keyring, and makes its first connection. */
async function openConnected() {
  const session = await openKeyringSession();
  const daemon = await session.keyring("pw");
  const { HOME, DBUS_SESSION_BUS_ADDRESS } = session.env;
  const home = openHome({ KAY_CREDENTIALS: "auto", HOME, DBUS_SESSION_BUS_ADDRESS });
  home.hasDatabase();
  await connect(home, "jira");
  const file = join(home.config, "credentials/default.json");
  return { ...session, daemon, home, file, connections: () => home.run(["connections"]) };
}

test("the first connection is encrypted with a key that only the keyring has, and no secret is in plain text", {
  timeout: 90_000,
}, async () => {
  const { home, file, keychain, connections } = await openConnected();
  expect(await connections()).toEqual(CONNECTED);
  const sealed = readFileSync(file, "utf8");
  const { signIn } = await openProfile({ in: home.config, preference: "auto", keychain }).credentials.read("embedded");
  const secrets = [signIn.token, signIn.refresh_token, signIn.session_id, signIn.account_id];
  expect(secrets.map((secret) => typeof secret)).toEqual(["string", "string", "string", "string"]);
  for (const secret of secrets) expect(sealed).not.toContain(secret);
  const key = Buffer.from((await keychain.get("default")) ?? []);
  expect(key).toHaveLength(32);
  expect(JSON.parse(sealed)).toMatchObject({ mode: "keychain" });
  for (const form of ["base64", "hex", "latin1"] as const) expect(sealed).not.toContain(key.toString(form));
});

test("S04 a locked keyring is reported with the command that unlocks it; nothing is lost, and unlocked it works again", {
  timeout: 90_000,
}, async () => {
  const { daemon, keyring, file, connections } = await openConnected();
  const sealed = readFileSync(file, "utf8");
  await stop(daemon);
  const locked = await keyring();
  const { exit, stdout, stderr } = await connections();
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(stderr).toMatch(/^✗ The keychain is locked\.\n {2}Unlock it .*`gnome-keyring-daemon --replace --unlock .*`/);
  expect(readFileSync(file, "utf8")).toBe(sealed);
  await stop(locked);
  await keyring("pw");
  expect(await connections()).toEqual(CONNECTED);
});

test("S05 a frozen or missing keyring ends a command within 5 s with its own message, and nothing is lost", {
  timeout: 90_000,
}, async () => {
  const { daemon, keyring, file, connections } = await openConnected();
  const sealed = readFileSync(file, "utf8");
  await freeze(daemon);
  const started = performance.now();
  expect(await connections()).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/^✗ The keychain service does not respond\.\n/),
  });
  expect(performance.now() - started).toBeLessThan(5_000);
  daemon.kill("SIGCONT");
  expect(await connections()).toEqual(CONNECTED);
  await stop(daemon);
  expect(await connections()).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/^✗ No keychain service is running on the D-Bus session bus\.\n/),
  });
  expect(readFileSync(file, "utf8")).toBe(sealed);
  await keyring("pw");
  expect(await connections()).toEqual(CONNECTED);
});
