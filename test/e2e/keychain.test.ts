import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import type { Look } from "#client/credentials/keychain";
import { systemKeychain } from "#client/credentials/system-keychain";
import { realClock } from "#test/client-clock";
import { ORIGIN, openProfile, temporaryFolder } from "#test/credentials";
import { needs } from "#test/needs";

const test = needs("dbus-daemon", "gnome-keyring-daemon");
const SIGN_IN = { session_id: "kaysession_1", token: "token-0", refresh_token: "refresh-0" };

/** A session of its own: a bus that starts no service by itself, and a home for the keyring. */
async function session() {
  const home = temporaryFolder();
  const address = join(home, "bus");
  const config = join(home, "bus.conf");
  writeFileSync(config, busConfig(address));
  const bus = start("dbus-daemon", [`--config-file=${config}`, "--nofork", "--nopidfile"], {});
  await until(() => existsSync(address));
  const env = { PATH: process.env.PATH, HOME: home, DBUS_SESSION_BUS_ADDRESS: `unix:path=${address}` };
  const keychain = systemKeychain({
    platform: "linux",
    env,
    uid: process.getuid?.() ?? 0,
    execPath: process.execPath,
    clock: realClock,
  });
  /** Start the keyring; with a password it is unlocked, and made when there is none. */
  const keyring = async (password?: string) => {
    const args = ["--foreground", "--components=secrets", `--control-directory=${home}`];
    const daemon = start("gnome-keyring-daemon", password ? [...args, "--unlock"] : args, env);
    daemon.stdin?.end(password ?? "");
    await until(async () => !["no-provider", "no-collection"].includes((await keychain.look()).state));
    return daemon;
  };
  return { bus, env, keychain, keyring };
}

test("the look tells a keychain that can be used, and one that is locked", async () => {
  const { keychain, keyring } = await session();
  const daemon = await keyring("pw");
  expect(await keychain.look()).toEqual({ state: "usable" });
  await stop(daemon);
  await keyring();
  expect(await keychain.look()).toEqual({ state: "locked" });
});

test("the look tells a session without a keychain service", async () => {
  const { keychain } = await session();
  expect(await keychain.look()).toEqual({ state: "no-provider" });
});

test("the look tells a keychain service that is frozen within 1.5 s, and one that goes on again", async () => {
  const { keychain, keyring } = await session();
  const daemon = await keyring("pw");
  daemon.kill("SIGSTOP");
  expect(await timed(keychain.look)).toEqual({ state: "frozen" });
  daemon.kill("SIGCONT");
  expect(await keychain.look()).toEqual({ state: "usable" });
});

test("the look tells a bus that is frozen within 1.5 s, and one that has gone", async () => {
  const { keychain, bus, env } = await session();
  bus.kill("SIGSTOP");
  const path = env.DBUS_SESSION_BUS_ADDRESS.slice("unix:path=".length);
  expect(await timed(keychain.look)).toEqual({ state: "mute", detail: path });
  bus.kill("SIGCONT");
  bus.kill("SIGKILL");
  await until(async () => (await keychain.look()).state !== "mute");
  expect(["no-bus", "refused"]).toContain((await keychain.look()).state);
});

test("a key is stored by the native module, read without it, and deleted; deleting it again is success (S12)", async () => {
  const { keychain, keyring } = await session();
  await keyring("pw");
  const key = new Uint8Array(32).map((_, at) => at * 7);
  expect(await keychain.get("default")).toBe(null);
  await keychain.set("default", key);
  await keychain.set("other", new Uint8Array(32));
  expect(new Uint8Array((await keychain.get("default")) ?? [])).toEqual(key);
  await keychain.delete("default");
  await keychain.delete("default");
  expect([await keychain.get("default"), (await keychain.get("other"))?.length]).toEqual([null, 32]);
});

test("a sign-in is sealed with a key of the real keychain; locked or gone, it is told and kept, and comes back unlocked (S04)", async () => {
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

test("a keyring that freezes with a sign-in stored is told within 1.5 s, not waited for (S05)", async () => {
  const { keychain, keyring } = await session();
  const daemon = await keyring("pw");
  const { credentials, folder } = openProfile({ preference: "auto", keychain });
  await credentials.write(ORIGIN, 0, SIGN_IN);
  daemon.kill("SIGSTOP");
  const again = openProfile({ in: folder, preference: "auto", keychain }).credentials;
  await expect(again.read(ORIGIN)).rejects.toMatchObject({ message: "The keychain service does not answer." });
});

/** Nothing is timed but the limit that is promised, with room for a busy machine. */
async function timed(look: () => Promise<Look>): Promise<Look> {
  const started = performance.now();
  const found = await look();
  expect(performance.now() - started).toBeLessThan(2_500);
  return found;
}

function start(program: string, args: string[], env: Record<string, string | undefined>): ChildProcess {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ["pipe", "ignore", "ignore"] });
  onTestFinished(() => stop(child));
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries === 300) throw new Error("it never came to be");
    await wait(30);
  }
}

function busConfig(address: string): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${address}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>`;
}
