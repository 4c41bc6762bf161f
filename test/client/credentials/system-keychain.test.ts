import { expect, test } from "vitest";
import type { Keychain } from "#client/credentials/keychain";
import { createSystemKeychain } from "#client/credentials/system-keychain";
import { realClock } from "#test/client-clock";
import { ORIGIN, openProfile, SIGN_IN, signInThenChange } from "#test/credentials";

/** A real child process with a stand-in for the native module, written as the body of its AsyncEntry. */
function createKeychain(platform: string, body: string, clock = realClock): Keychain {
  const source = `export class AsyncEntry { constructor(service, account, options) { Object.assign(this, { service, account, options }) } ${body} }`;
  const module = `data:text/javascript,${encodeURIComponent(source)}`;
  return createSystemKeychain({ platform, env: {}, uid: 0, execPath: process.execPath, clock, module });
}

test.for(["User interaction is not allowed.", "errSecInteractionNotAllowed -25308", "In dark wake, no UI possible"])(
  "S04 on macOS %j means locked, with the unlock command",
  async (message) => {
    const keychain = createKeychain("darwin", `async getPassword() { throw new Error(${JSON.stringify(message)}) }`);
    const { credentials, isUntouched } = await signInThenChange({ get: keychain.get });
    await expect(credentials.read(ORIGIN)).rejects.toMatchObject({
      code: "KEYCHAIN_LOCKED",
      message: "The keychain is locked.",
      hint: "Run `security unlock-keychain`, then try again.",
    });
    expect(isUntouched()).toBe(true);
  },
);

test("S04 a keychain that fails in any other way is unavailable, with its own message without control characters", async () => {
  const keychain = createKeychain(
    "win32",
    'async getPassword() { throw new Error("\\u001b[31mA specified logon session does not exist") }',
  );
  await expect(keychain.get("default")).rejects.toMatchObject({
    code: "KEYCHAIN_UNAVAILABLE",
    message: "The keychain rejected the request ( [31mA specified logon session does not exist).",
  });
});

test("S05 a native call that never answers is killed", async () => {
  const short = { ...realClock, sleep: (_ms: number, signal?: AbortSignal) => realClock.sleep(700, signal) };
  const busy = createKeychain("darwin", "async getPassword() { for (;;); }", short);
  await expect(busy.get("default")).rejects.toMatchObject({
    code: "KEYCHAIN_UNAVAILABLE",
    message: "The keychain did not respond.",
  });
});

test("S02 a missing or incompatible native module makes auto use a plain file, with a warning", async () => {
  const modules = {
    ERR_MODULE_NOT_FOUND: "file:///nonexistent/keyring.js",
    ERR_DLOPEN_FAILED: `data:text/javascript,${encodeURIComponent('throw Object.assign(new Error("Error relocating keytar.node: unsupported relocation type 7"), { code: "ERR_DLOPEN_FAILED" })')}`,
  };
  for (const [code, module] of Object.entries(modules)) {
    const keychain = createSystemKeychain({
      platform: "darwin",
      env: {},
      uid: 0,
      execPath: process.execPath,
      clock: realClock,
      module,
    });
    expect(await keychain.check()).toEqual({ state: "no-module", detail: code });
    const { credentials, warnings } = openProfile({ preference: "auto", keychain });
    await credentials.write(ORIGIN, 0, SIGN_IN);
    expect((await credentials.describe()).mode).toBe("file");
    expect(warnings).toEqual([
      expect.stringMatching(
        new RegExp(`^Could not load kay's keychain module \\(${code}\\)\\. The sign-in is stored in a plain file`),
      ),
    ]);
  }
});

test.for([
  ["resolves false", "return false"],
  ["is not found (macOS)", 'throw new Error("The specified item could not be found in the keychain.")'],
  ["has no entry", 'throw new Error("No matching entry found in secure storage")'],
])("S12 deleting a key that %s is success", async ([, body]) => {
  await createKeychain("darwin", `async deletePassword() { ${body} }`).delete("default");
});

test("S12 deleting a key that could not be deleted is an error", async () => {
  const keychain = createKeychain("darwin", 'async deletePassword() { throw new Error("access denied") }');
  await expect(keychain.delete("default")).rejects.toMatchObject({ code: "KEYCHAIN_UNAVAILABLE" });
});

test("S03 the native module gets the key as 44 characters, on macOS without an option for Linux", async () => {
  const keychain = createKeychain(
    "darwin",
    "async setPassword(value) { throw new Error([this.service, this.account, this.options, value.length].join()) }",
  );
  await expect(keychain.set("default", new Uint8Array(32))).rejects.toMatchObject({
    message: "The keychain rejected the request (kay,default,,44).",
  });
});

test("an item that is not a key of kay counts as missing", async () => {
  expect(await createKeychain("darwin", 'async getPassword() { return "hunter2" }').get("default")).toBe(null);
  expect(await createKeychain("darwin", "async getPassword() { return null }").get("default")).toBe(null);
});
