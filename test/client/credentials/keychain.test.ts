import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import type { KeychainState, KeychainStatus } from "#client/credentials/keychain";
import { toKeychainProblem } from "#client/credentials/keychain";
import { fakeClock } from "#test/client-clock";
import { memoryKeychain, ORIGIN, openProfile, SIGN_IN, signInThenChange } from "#test/credentials";

const NEVER = new Promise<never>(() => {});

test("auto uses the keychain if possible, and prints nothing", async () => {
  const { credentials, path, warnings } = openProfile({ preference: "auto" });
  await credentials.write(ORIGIN, 0, SIGN_IN);
  expect([await credentials.describe(), warnings]).toEqual([{ mode: "keychain", path }, []]);
});

test("auto uses a plain file if the keychain is unusable, with one warning that says why and what to do", async () => {
  const look: KeychainStatus = { state: "no-provider" };
  const refuse = async () => Promise.reject(toKeychainProblem(look));
  const { credentials, path, warnings } = openProfile({
    preference: "auto",
    keychain: { check: async () => look, get: refuse, set: refuse, delete: refuse },
  });
  await credentials.write(ORIGIN, 0, SIGN_IN);
  await credentials.write(ORIGIN, 1, SIGN_IN);
  expect(warnings).toEqual([
    "No keychain service is running on the D-Bus session bus. The sign-in is stored in a plain file instead, which only you can read. To use the keychain: install gnome-keyring, KWallet or KeePassXC and start it. Then connect with KAY_CREDENTIALS=keychain set.",
  ]);
  expect((await credentials.describe()).mode).toBe("file");
  expect(JSON.parse(readFileSync(path, "utf8")).mode).toBe("file");
});

test("a recorded plain file stays one when the keychain works later, until the user asks for the keychain", async () => {
  const first = openProfile({ preference: "file" });
  await first.credentials.write(ORIGIN, 0, SIGN_IN);
  const auto = openProfile({ in: first.folder, preference: "auto" });
  await auto.credentials.write(ORIGIN, 1, SIGN_IN);
  expect((await auto.credentials.describe()).mode).toBe("file");
  const profile = openProfile({ in: first.folder, preference: "keychain" });
  expect((await profile.credentials.read(ORIGIN)).signIn).toEqual(SIGN_IN);
  await profile.credentials.write(ORIGIN, 2, SIGN_IN);
  expect([(await profile.credentials.describe()).mode, profile.warnings]).toEqual(["keychain", []]);
  expect(readFileSync(first.path, "utf8")).not.toContain("kaysession");
});

test("kay changes from the keychain to a plain file only if the user asks, and says so", async () => {
  const { credentials, folder, good } = await signInThenChange({});
  await credentials.read(ORIGIN);
  const profile = openProfile({ in: folder, preference: "file", keychain: good });
  await profile.credentials.write(ORIGIN, 1, SIGN_IN);
  expect((await profile.credentials.describe()).mode).toBe("file");
  expect(profile.warnings).toEqual([
    "Moving the sign-in from the keychain to a plain file, because KAY_CREDENTIALS is set to file.",
  ]);
});

test("a preference for an unusable keychain is reported before the sign-in", async () => {
  const look: KeychainStatus = { state: "locked" };
  const keychain = { ...memoryKeychain(), check: async () => look };
  const { credentials } = openProfile({ preference: "keychain", keychain });
  await expect(credentials.read(ORIGIN)).rejects.toMatchObject({
    code: "KEYCHAIN_LOCKED",
    message: "The keychain is locked.",
  });
});

const states: KeychainState[] = [
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
  "S04 an encrypted sign-in whose keychain is %s is a separate error: nothing is deleted, rewritten or downgraded",
  async (state) => {
    const refuse = async () => Promise.reject(toKeychainProblem({ state }));
    const { credentials, warnings, isUntouched } = await signInThenChange({
      check: async () => ({ state }),
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

test("S04 every state of the keychain has its own message and fix", () => {
  const problems = states.map((state) => toKeychainProblem({ state }));
  expect(new Set(problems.map(({ message }) => message)).size).toBe(states.length);
  for (const { message, hint } of problems)
    expect([message, hint]).toEqual([expect.stringMatching(/^\S.*\.$/), expect.stringMatching(/^\S.*\.$/)]);
});

test("S05 a keychain call that never answers ends with an error, in every implementation", async () => {
  const { folder, good, isUntouched } = await signInThenChange({});
  const keychain = { ...good, get: () => NEVER };
  const { credentials } = openProfile({ in: folder, preference: "auto", keychain, clock: fakeClock() });
  const problem = { code: "KEYCHAIN_UNAVAILABLE", message: "The keychain did not respond." };
  await expect(credentials.read(ORIGIN)).rejects.toMatchObject(problem);
  expect(isUntouched()).toBe(true);
});

test("a keychain that loses its values is not trusted with a sign-in", async () => {
  const forgetful = { ...memoryKeychain(), set: async () => {} };
  const { credentials } = openProfile({ preference: "keychain", keychain: forgetful });
  await expect(credentials.write(ORIGIN, 0, SIGN_IN)).rejects.toMatchObject({
    code: "KEYCHAIN_UNAVAILABLE",
    message: "The keychain rejected the request (it did not store the key).",
  });
});

test("a key that the user deleted is reported; the encrypted file is set aside and signing in again works", async () => {
  const { credentials, warnings, good, path } = await signInThenChange({});
  good.keys.clear();
  expect(await credentials.read(ORIGIN)).toEqual({ generation: 0, signIn: {} });
  expect(warnings).toEqual([
    expect.stringMatching(
      /is sealed with a key that is no longer in the keychain\. A copy was saved as .*\.corrupt-.*Run `kay connect <service>` to sign in again\.$/,
    ),
  ]);
  expect(await credentials.write(ORIGIN, 0, SIGN_IN)).toBe(1);
  expect(readdirSync(dirname(path))).toHaveLength(2);
});

test("profiles of two settings folders share a key without harm", async () => {
  const keychain = memoryKeychain();
  const firstProfile = openProfile({ preference: "auto", keychain });
  const two = openProfile({ preference: "auto", keychain });
  await firstProfile.credentials.write(ORIGIN, 0, SIGN_IN);
  await two.credentials.write(ORIGIN, 0, { ...SIGN_IN, token: "T2" });
  const secondCredentials = openProfile({ in: firstProfile.folder, preference: "auto", keychain }).credentials;
  expect([(await secondCredentials.read(ORIGIN)).signIn.token, keychain.given.length]).toEqual(["token-0", 1]);
});
