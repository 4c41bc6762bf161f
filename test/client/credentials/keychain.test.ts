import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import type { Keychain, Look, LookState } from "#client/credentials/keychain";
import { keychainProblem } from "#client/credentials/keychain";
import { systemKeychain } from "#client/credentials/system-keychain";
import { fakeClock, realClock } from "#test/client-clock";
import { memoryKeychain, ORIGIN, openProfile } from "#test/credentials";

const SIGN_IN = { session_id: "kaysession_1", token: "T0", refresh_token: "R0" };
const NEVER = new Promise<never>(() => {});

/** A real child process with a stand-in for the native module, written as the body of its AsyncEntry. */
function keychainOf(platform: string, body: string, clock = realClock): Keychain {
  const source = `export class AsyncEntry { constructor(service, account, options) { Object.assign(this, { service, account, options }) } ${body} }`;
  const module = `data:text/javascript,${encodeURIComponent(source)}`;
  return systemKeychain({ platform, env: {}, uid: 0, execPath: process.execPath, clock, module });
}

/** A keychain that was fine when the sign-in was stored and then changed. */
async function signedInThen(changes: Partial<Keychain>) {
  const good = memoryKeychain();
  const first = openProfile({ preference: "auto", keychain: good });
  await first.credentials.write(ORIGIN, 0, SIGN_IN);
  const sealed = readFileSync(first.path);
  const next = openProfile({ in: first.folder, preference: "auto", keychain: { ...good, ...changes } });
  const isUntouched = () => readFileSync(first.path).equals(sealed) && readdirSync(dirname(first.path)).length === 1;
  return { ...next, isUntouched, good };
}

test("auto takes the keychain when it can be used, and says nothing", async () => {
  const { credentials, path, warnings } = openProfile({ preference: "auto" });
  await credentials.write(ORIGIN, 0, SIGN_IN);
  expect([await credentials.describe(), warnings]).toEqual([{ mode: "keychain", path }, []]);
});

test("auto takes a plain file when the keychain cannot be used, with one warning that says why and what to do", async () => {
  const look: Look = { state: "no-provider" };
  const refuse = async () => Promise.reject(keychainProblem(look));
  const { credentials, path, warnings } = openProfile({
    preference: "auto",
    keychain: { look: async () => look, get: refuse, set: refuse, delete: refuse },
  });
  await credentials.write(ORIGIN, 0, SIGN_IN);
  await credentials.write(ORIGIN, 1, SIGN_IN);
  expect(warnings).toEqual([
    "No keychain service runs on the D-Bus session bus. The sign-in is kept in a plain file that only you can read instead. To use the keychain: install gnome-keyring, KWallet or KeePassXC and start it. Then connect with KAY_CREDENTIALS=keychain set.",
  ]);
  expect((await credentials.describe()).mode).toBe("file");
  expect(JSON.parse(readFileSync(path, "utf8")).mode).toBe("file");
});

test("a recorded plain file stays one when the keychain works later, until the person asks for the keychain", async () => {
  const first = openProfile({ preference: "file" });
  await first.credentials.write(ORIGIN, 0, SIGN_IN);
  const auto = openProfile({ in: first.folder, preference: "auto" });
  await auto.credentials.write(ORIGIN, 1, SIGN_IN);
  expect((await auto.credentials.describe()).mode).toBe("file");
  const asked = openProfile({ in: first.folder, preference: "keychain" });
  expect((await asked.credentials.read(ORIGIN)).signIn).toEqual(SIGN_IN);
  await asked.credentials.write(ORIGIN, 2, SIGN_IN);
  expect([(await asked.credentials.describe()).mode, asked.warnings]).toEqual(["keychain", []]);
  expect(readFileSync(first.path, "utf8")).not.toContain("kaysession");
});

test("from the keychain to a plain file only as the person asks, and it is said", async () => {
  const { credentials, folder, good } = await signedInThen({});
  await credentials.read(ORIGIN);
  const asked = openProfile({ in: folder, preference: "file", keychain: good });
  await asked.credentials.write(ORIGIN, 1, SIGN_IN);
  expect((await asked.credentials.describe()).mode).toBe("file");
  expect(asked.warnings).toEqual([
    "The sign-in moves from the keychain to a plain file, as KAY_CREDENTIALS=file asks.",
  ]);
});

test("a preference for the keychain is told that it cannot be used before anybody signs in", async () => {
  const look: Look = { state: "locked" };
  const keychain = { ...memoryKeychain(), look: async () => look };
  const { credentials } = openProfile({ preference: "keychain", keychain });
  await expect(credentials.read(ORIGIN)).rejects.toMatchObject({
    code: "KEYCHAIN_LOCKED",
    message: "The keychain is locked.",
  });
});

const states: LookState[] = [
  "locked",
  "no-bus",
  "refused",
  "mute",
  "no-provider",
  "no-collection",
  "frozen",
  "silent",
  "no-module",
  "failed",
];

test.for(states)(
  "S04 a sealed sign-in whose keychain is %s is an error of its own: nothing is deleted, rewritten or downgraded",
  async (state) => {
    const refuse = async () => Promise.reject(keychainProblem({ state }));
    const { credentials, warnings, isUntouched } = await signedInThen({
      look: async () => ({ state }),
      get: refuse,
      set: refuse,
    });
    const code = state === "locked" ? "KEYCHAIN_LOCKED" : "KEYCHAIN_UNAVAILABLE";
    await expect(credentials.read(ORIGIN)).rejects.toMatchObject({ code, details: { keychain: state } });
    await expect(credentials.write(ORIGIN, 1, {})).rejects.toMatchObject({ code });
    await expect(credentials.update(ORIGIN, () => ({}))).rejects.toMatchObject({ code });
    expect([isUntouched(), warnings]).toEqual([true, []]);
  },
);

test("S04 every state of the keychain has a sentence and a remedy of its own", () => {
  const problems = states.map((state) => keychainProblem({ state }));
  expect(new Set(problems.map(({ message }) => message)).size).toBe(states.length);
  for (const { message, hint } of problems)
    expect([message, hint]).toEqual([expect.stringMatching(/^\S.*\.$/), expect.stringMatching(/^\S.*\.$/)]);
});

test.for(["User interaction is not allowed.", "errSecInteractionNotAllowed -25308", "In dark wake, no UI possible"])(
  "S04 on macOS %j means locked, with the unlock command",
  async (message) => {
    const keychain = keychainOf("darwin", `async getPassword() { throw new Error(${JSON.stringify(message)}) }`);
    const { credentials, isUntouched } = await signedInThen({ get: keychain.get });
    await expect(credentials.read(ORIGIN)).rejects.toMatchObject({
      code: "KEYCHAIN_LOCKED",
      message: "The keychain is locked.",
      hint: "Run `security unlock-keychain`, then try again.",
    });
    expect(isUntouched()).toBe(true);
  },
);

test("S04 a keychain that fails in any other way is unavailable, in its own words without control characters", async () => {
  const keychain = keychainOf(
    "win32",
    'async getPassword() { throw new Error("\\u001b[31mA specified logon session does not exist") }',
  );
  await expect(keychain.get("default")).rejects.toMatchObject({
    code: "KEYCHAIN_UNAVAILABLE",
    message: "The keychain refused the request ( [31mA specified logon session does not exist).",
  });
});

test("S05 a keychain call that never answers ends with an error, whoever implements it", async () => {
  const { credentials, isUntouched } = await signedInThen({ get: () => NEVER });
  const impatient = openProfile({
    preference: "keychain",
    keychain: { ...memoryKeychain(), get: () => NEVER },
    clock: fakeClock(),
  });
  await expect(impatient.credentials.write(ORIGIN, 0, SIGN_IN)).rejects.toMatchObject({
    code: "KEYCHAIN_UNAVAILABLE",
    message: "The keychain did not answer.",
  });
  expect([credentials !== impatient.credentials, isUntouched()]).toEqual([true, true]);
});

test("S05 a native call that never answers is killed", async () => {
  const short = { ...realClock, sleep: (_ms: number, signal?: AbortSignal) => realClock.sleep(700, signal) };
  const busy = keychainOf("darwin", "async getPassword() { for (;;); }", short);
  await expect(busy.get("default")).rejects.toMatchObject({
    code: "KEYCHAIN_UNAVAILABLE",
    message: "The keychain did not answer.",
  });
});

test("S02 a native module that is missing or does not fit this machine makes auto take a plain file, with a warning", async () => {
  const modules = {
    ERR_MODULE_NOT_FOUND: "file:///nonexistent/keyring.js",
    ERR_DLOPEN_FAILED: `data:text/javascript,${encodeURIComponent('throw Object.assign(new Error("Error relocating keytar.node: unsupported relocation type 7"), { code: "ERR_DLOPEN_FAILED" })')}`,
  };
  for (const [code, module] of Object.entries(modules)) {
    const keychain = systemKeychain({
      platform: "darwin",
      env: {},
      uid: 0,
      execPath: process.execPath,
      clock: realClock,
      module,
    });
    expect(await keychain.look()).toEqual({ state: "no-module", detail: code });
    const { credentials, warnings } = openProfile({ preference: "auto", keychain });
    await credentials.write(ORIGIN, 0, SIGN_IN);
    expect((await credentials.describe()).mode).toBe("file");
    expect(warnings).toEqual([
      expect.stringMatching(
        new RegExp(
          `^kay's keychain module cannot be loaded on this machine \\(${code}\\)\\. The sign-in is kept in a plain file`,
        ),
      ),
    ]);
  }
});

test.for([
  ["resolves false", "return false"],
  ["is not found (macOS)", 'throw new Error("The specified item could not be found in the keychain.")'],
  ["has no entry", 'throw new Error("No matching entry found in secure storage")'],
])("S12 deleting a key that %s is success", async ([, body]) => {
  await keychainOf("darwin", `async deletePassword() { ${body} }`).delete("default");
});

test("S12 deleting a key that could not be deleted is an error", async () => {
  const keychain = keychainOf("darwin", 'async deletePassword() { throw new Error("access denied") }');
  await expect(keychain.delete("default")).rejects.toMatchObject({ code: "KEYCHAIN_UNAVAILABLE" });
});

test("S03 the native module is given the key as 44 characters, on macOS without an option for Linux", async () => {
  const keychain = keychainOf(
    "darwin",
    "async setPassword(value) { throw new Error([this.service, this.account, this.options, value.length].join()) }",
  );
  await expect(keychain.set("default", new Uint8Array(32))).rejects.toMatchObject({
    message: "The keychain refused the request (kay,default,,44).",
  });
});

test("an item that is no key of kay's counts as none", async () => {
  expect(await keychainOf("darwin", 'async getPassword() { return "hunter2" }').get("default")).toBe(null);
  expect(await keychainOf("darwin", "async getPassword() { return null }").get("default")).toBe(null);
});

test("a keychain that forgets what it was given is not trusted with a sign-in", async () => {
  const forgetful = { ...memoryKeychain(), set: async () => {} };
  const { credentials } = openProfile({ preference: "keychain", keychain: forgetful });
  await expect(credentials.write(ORIGIN, 0, SIGN_IN)).rejects.toMatchObject({
    code: "KEYCHAIN_UNAVAILABLE",
    message: "The keychain refused the request (it did not keep the key).",
  });
});

test("a key that the person has deleted is said; the sealed file is kept aside and signing in again works", async () => {
  const { credentials, warnings, good, path } = await signedInThen({});
  good.keys.clear();
  expect(await credentials.read(ORIGIN)).toEqual({ generation: 0, signIn: {} });
  expect(warnings).toEqual([
    expect.stringMatching(
      /is sealed with a key that is no longer in the keychain; it is kept as .*\.corrupt-.*Run `kay connect <service>` to sign in again\.$/,
    ),
  ]);
  expect(await credentials.write(ORIGIN, 0, SIGN_IN)).toBe(1);
  expect(readdirSync(dirname(path))).toHaveLength(2);
});

test("profiles of two settings folders share a key without harm", async () => {
  const keychain = memoryKeychain();
  const one = openProfile({ preference: "auto", keychain });
  const two = openProfile({ preference: "auto", keychain });
  await one.credentials.write(ORIGIN, 0, SIGN_IN);
  await two.credentials.write(ORIGIN, 0, { ...SIGN_IN, token: "T2" });
  const again = openProfile({ in: one.folder, preference: "auto", keychain }).credentials;
  expect([(await again.read(ORIGIN)).signIn.token, keychain.given.length]).toEqual(["T0", 1]);
});
