import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { memoryKeychain, ORIGIN, openProfile, temporaryFolder } from "#test/credentials";

const SIGN_IN = { session_id: "kaysession_1", token: "token-0", refresh_token: "refresh-0", account_id: "557058:t" };

test("only written data is stored, and each write increments the generation", async () => {
  const { credentials } = openProfile();
  expect(await credentials.read(ORIGIN)).toEqual({ generation: 0, signIn: {} });
  expect(await credentials.write(ORIGIN, 0, SIGN_IN)).toBe(1);
  expect(await credentials.read(ORIGIN)).toEqual({ generation: 1, signIn: SIGN_IN });
});

test("a write that expects an older generation writes nothing", async () => {
  const { credentials, path } = openProfile();
  await credentials.write(ORIGIN, 0, SIGN_IN);
  const oldBytes = readFileSync(path);
  expect(await credentials.write(ORIGIN, 0, { token: "T9" })).toBe(null);
  expect(readFileSync(path)).toEqual(oldBytes);
});

test("data of one origin is never read for another", async () => {
  const { credentials } = openProfile();
  await credentials.write(ORIGIN, 0, SIGN_IN);
  await credentials.write("http://127.0.0.1:4000", 1, { session_id: "kaysession_2" });
  expect((await credentials.read("https://other.example.test")).signIn).toEqual({});
  expect((await credentials.read("__proto__")).signIn).toEqual({});
  expect((await credentials.read("http://127.0.0.1:4000")).signIn).toEqual({ session_id: "kaysession_2" });
  expect((await credentials.read(ORIGIN)).signIn).toEqual(SIGN_IN);
});

test("twenty concurrent changes all count", async () => {
  const { credentials } = openProfile();
  const add = (n: number) => credentials.update(`https://${n}.example.test`, () => ({ session_id: `kaysession_${n}` }));
  await Promise.all(Array.from({ length: 20 }, (_, n) => add(n)));
  expect((await credentials.read(ORIGIN)).generation).toBe(20);
  expect((await credentials.read("https://19.example.test")).signIn).toEqual({ session_id: "kaysession_19" });
});

test("profiles have separate files", async () => {
  const folder = temporaryFolder();
  await openProfile({ in: folder, profile: "work" }).credentials.write(ORIGIN, 0, SIGN_IN);
  expect(readdirSync(join(folder, "credentials"))).toEqual(["work.json"]);
  expect(await openProfile({ in: folder, profile: "home" }).credentials.read(ORIGIN)).toEqual({
    generation: 0,
    signIn: {},
  });
});

test.for(["../x", "", ".hidden", "a/b", "a\\b", "x".repeat(65)])("a profile cannot be named %j", async (profile) => {
  await expect(openProfile({ profile }).credentials.read(ORIGIN)).rejects.toMatchObject({ code: "USAGE" });
});

test("file and folder are private to their owner", async () => {
  const { credentials, path } = openProfile();
  await credentials.write(ORIGIN, 0, SIGN_IN);
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
});

test("loose permissions are tightened when the file is read, and the settings folder is unchanged", async () => {
  const { credentials, path, folder } = openProfile();
  await credentials.write(ORIGIN, 0, SIGN_IN);
  chmodSync(path, 0o644);
  chmodSync(dirname(path), 0o755);
  chmodSync(folder, 0o755);
  await credentials.read(ORIGIN);
  expect([path, dirname(path), folder].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o700, 0o755]);
});

test("in mode file the file is plain JSON, and says so", async () => {
  const { credentials, path, warnings } = openProfile();
  await credentials.write(ORIGIN, 0, SIGN_IN);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    kay: 1,
    mode: "file",
    generation: 1,
    origins: { [ORIGIN]: SIGN_IN },
  });
  expect(await credentials.describe()).toEqual({ mode: "file", path, note: "a plain file that only you can read" });
  expect(warnings).toEqual([]);
});

test("in mode keychain the file is encrypted: it reveals neither a token nor the origin, and no change goes unnoticed", async () => {
  const keychain = memoryKeychain();
  const { credentials, path, folder } = openProfile({ preference: "keychain", keychain });
  await credentials.write(ORIGIN, 0, SIGN_IN);
  const text = readFileSync(path, "utf8");
  expect(Object.keys(JSON.parse(text))).toEqual(["kay", "mode", "generation", "nonce", "sealed"]);
  for (const secret of [...Object.values(SIGN_IN), ORIGIN]) expect(text).not.toContain(secret);
  writeFileSync(path, text.replace('"generation": 1', '"generation": 7'));
  const secondProfile = openProfile({ in: folder, preference: "keychain", keychain });
  expect(await secondProfile.credentials.read(ORIGIN)).toEqual({ generation: 0, signIn: {} });
  expect(secondProfile.warnings).toHaveLength(1);
});

test("S03 the keychain never gets more than the 32 bytes of a key, whatever the size of the tokens", async () => {
  const keychain = memoryKeychain();
  const { credentials, folder } = openProfile({ preference: "keychain", keychain });
  const long = { session_id: "kaysession_1", token: "t".repeat(3000), refresh_token: "f".repeat(128) };
  await credentials.write(ORIGIN, 0, long);
  await credentials.write(ORIGIN, 1, { ...long, token: "t".repeat(200_000) });
  await credentials.write(ORIGIN, 2, { ...long, token: "short" });
  const secondCredentials = openProfile({ in: folder, preference: "auto", keychain }).credentials;
  expect((await secondCredentials.read(ORIGIN)).signIn).toEqual({ ...long, token: "short" });
  expect(keychain.given.map((key) => key.length)).toEqual([32]);
});

test("A29 the words undefined and null, and empty values, are never stored", async () => {
  const { credentials } = openProfile();
  await credentials.write(ORIGIN, 0, {
    session_id: "kaysession_1",
    token: "undefined",
    refresh_token: "null",
    account_id: "",
  });
  expect((await credentials.read(ORIGIN)).signIn).toEqual({ session_id: "kaysession_1" });
});

test("S18 files of a killed writer are removed by the next write", async () => {
  const { credentials, path } = openProfile();
  await credentials.write(ORIGIN, 0, SIGN_IN);
  writeFileSync(`${path}.0123456789ab.tmp`, '{"kay":1,"mo');
  await credentials.write(ORIGIN, 1, SIGN_IN);
  expect(readdirSync(dirname(path))).toEqual(["default.json"]);
});

test("a file of a newer kay is left unchanged", async () => {
  const { credentials, path } = openProfile();
  mkdirSync(dirname(path));
  writeFileSync(path, '{"kay":2,"mode":"vault","generation":5}');
  await expect(credentials.read(ORIGIN)).rejects.toMatchObject({
    code: "STORE_UNREADABLE",
    message: `${path} was written by a newer kay.`,
  });
  expect(readFileSync(path, "utf8")).toBe('{"kay":2,"mode":"vault","generation":5}');
});

test("unknown fields of a sign-in are kept", async () => {
  const { credentials } = openProfile();
  const begun = [{ verifier: "v", deadline: 1, response: { status: "pending" } }];
  await credentials.write(ORIGIN, 0, { ...SIGN_IN, begun } as never);
  await credentials.update(ORIGIN, (current) => ({ ...current, account_id: "557058:u" }));
  expect((await credentials.read(ORIGIN)).signIn).toEqual({ ...SIGN_IN, account_id: "557058:u", begun });
});
