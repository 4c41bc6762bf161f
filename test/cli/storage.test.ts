import { chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Keychain, type KeychainState, toKeychainProblem } from "#client/credentials/keychain";
import { memoryKeychain } from "#test/credentials";
import { type Machine, useKay } from "#test/kay";

const kay = useKay();

/** Creates a keychain that works until it is broken. */
function breakable(): { keychain: Keychain; breakIt(get: Keychain["get"], state: KeychainState): void } {
  const keychain = memoryKeychain();
  return {
    keychain,
    breakIt: (get, state) => Object.assign(keychain, { get, set: get, delete: get, check: async () => ({ state }) }),
  };
}

async function signIn(keychain: Keychain): Promise<Machine> {
  const ann = kay({ signedIn: true, keychain });
  expect(await ann("connections --check jira")).toMatchObject({ exit: 0 });
  ann.place.network.seen.length = 0;
  return ann;
}

test.for([
  ["its own words", () => toKeychainProblem({ state: "locked" })],
  ["macOS' words", () => new Error("User interaction is not allowed.")],
] as const)("S04 a locked keychain does not mean signed out: %s", async ([, error]) => {
  const { keychain, breakIt } = breakable();
  const ann = await signIn(keychain);
  breakIt(() => Promise.reject(error()), "locked");
  for (const line of ["connections", "ask hello", "connect bitbucket", "logout"]) {
    const { exit, stdout, stderr } = await ann(line);
    expect({ exit, stdout, said: stderr.split("\n")[0] }).toEqual({
      exit: 1,
      stdout: "",
      said: "✗ The keychain is locked.",
    });
    expect(stderr).toMatch(/\n {2}(Unlock it in|Run `security unlock-keychain`)/);
  }
  expect(ann.place.network.calls()).toEqual([]);
  expect(ann.launched).toEqual([]);
});

test("S05 a keychain that never answers ends the command within five seconds", async () => {
  const { keychain, breakIt } = breakable();
  const ann = await signIn(keychain);
  breakIt(() => new Promise(() => {}), "silent");
  const begun = ann.place.clock.now();
  expect(await ann("connections")).toEqual({
    exit: 1,
    stdout: "",
    stderr: "✗ The keychain did not respond.\n  Look for a password dialog, answer it, and try again.\n",
  });
  expect(ann.place.clock.now() - begun).toBeLessThanOrEqual(5_000);
  expect(await ann("connections --help")).toMatchObject({ exit: 0, stderr: "" });
});

test("C13 Ctrl+C ends a command within a second, even while a keychain's dialog is open", async () => {
  const { keychain, breakIt } = breakable();
  const ann = await signIn(keychain);
  breakIt(() => {
    queueMicrotask(() => ann.interrupt());
    return new Promise(() => {});
  }, "silent");
  const begun = ann.place.clock.now();
  expect(await ann("connections")).toEqual({ exit: 130, stdout: "", stderr: "" });
  expect(ann.place.clock.now() - begun).toBeLessThan(1_000);
});

test("KAY_CREDENTIALS=keychain refuses to start a connection that could not be stored", async () => {
  const { keychain, breakIt } = breakable();
  breakIt(() => Promise.reject(toKeychainProblem({ state: "no-bus" })), "no-bus");
  const ann = kay({ keychain, env: { KAY_CREDENTIALS: "keychain" } });
  expect(await ann("connect jira")).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/^✗ No D-Bus session bus is available, so the keychain cannot be used\.\n/),
  });
  expect(ann.place.network.calls()).toEqual([]);
});

const HOMELESS = { XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", XDG_DATA_HOME: "" };

test.for([
  [undefined, "the home folder is unknown"],
  ["/", "the home folder is /"],
  ["", "the home folder is unknown"],
] as const)(
  "S14 without a home folder (%j) a command that needs the store says which variable to set",
  async ([home, reason]) => {
    expect(await kay({ home, env: HOMELESS })("connections")).toEqual({
      exit: 1,
      stdout: "",
      stderr: `✗ Could not find a folder for kay's files: ${reason}.\n  Set KAY_CONFIG_DIR or XDG_CONFIG_HOME to a writable directory.\n`,
    });
  },
);

test("S14 a missing home folder is not created", async () => {
  const { exit, stderr } = await kay({ home: "/nonexistent", env: HOMELESS })("config set model offline");
  expect({ exit, stderr }).toEqual({
    exit: 1,
    stderr: "✗ Could not write /nonexistent/.config/kay (ENOENT).\n  Set KAY_CONFIG_DIR to a writable directory.\n",
  });
});

test("S14 XDG_CONFIG_HOME is used if the home folder is unusable", async () => {
  const ann = kay({ home: "/nonexistent" });
  expect(await ann("connect jira")).toMatchObject({ exit: 0 });
  expect(await readdir(join(ann.folder, "kay"))).toContain("credentials");
});

test("S11 an unreadable sign-in does not mean signed out", async () => {
  const ann = kay();
  await mkdir(join(ann.folder, "kay", "credentials", "default.json"), { recursive: true });
  await chmod(join(ann.folder, "kay"), 0o700);
  await chmod(join(ann.folder, "kay", "credentials"), 0o700);
  expect(await ann("connections")).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/^✗ .*\/home\/ann\/kay\/credentials\/default\.json.*EISDIR/),
  });
  expect(ann.place.network.calls()).toEqual([]);
});
