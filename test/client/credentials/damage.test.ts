import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { fakeClock } from "#test/client-clock";
import { memoryKeychain, ORIGIN, openProfile, temporaryFolder } from "#test/credentials";

const GOOD = JSON.stringify({
  kay: 1,
  mode: "file",
  generation: 3,
  origins: { [ORIGIN]: { session_id: "kaysession_1", token: "T0" } },
});
const NOTHING = { generation: 0, signIn: {} };

/** A profile whose file has these bytes. */
function writeProfile(bytes: string | Buffer) {
  const profile = openProfile({ clock: fakeClock({ start: Date.UTC(2026, 10, 27, 9, 30) }) });
  mkdirSync(dirname(profile.path), { mode: 0o700 });
  writeFileSync(profile.path, bytes, { mode: 0o600 });
  return profile;
}

test("S06 a file that begins with a UTF-8 byte order mark is read", async () => {
  const { credentials, path, warnings } = writeProfile(`\u{feff}${GOOD}`);
  expect(await credentials.read(ORIGIN)).toEqual({
    generation: 3,
    signIn: { session_id: "kaysession_1", token: "T0" },
  });
  expect([warnings, readdirSync(dirname(path))]).toEqual([[], ["default.json"]]);
});

const utf16 = Buffer.from(GOOD, "utf16le");
test.for([
  ["with its mark", Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
  ["big-endian with its mark", Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()])],
  ["without a mark", utf16],
  ["big-endian without a mark", Buffer.from(utf16).swap16()],
] as const)("S06 a file saved as UTF-16 %s is named and left unchanged", async ([, bytes]) => {
  const { credentials, path, warnings } = writeProfile(bytes);
  const problem = { code: "STORE_UNREADABLE", message: `${path} is encoded as UTF-16, which kay cannot read.` };
  await expect(credentials.read(ORIGIN)).rejects.toMatchObject(problem);
  await expect(credentials.write(ORIGIN, 0, { token: "T1" })).rejects.toMatchObject(problem);
  expect(readFileSync(path)).toEqual(bytes);
  expect([warnings, readdirSync(dirname(path))]).toEqual([[], ["default.json"]]);
});

test.for([
  ["empty", ""],
  ["cut", GOOD.slice(0, 70)],
  ["an array", "[]"],
  ["null", "null"],
  ["zeros", "\0".repeat(64)],
  ["another object", '{"session_id":"kaysession_1"}'],
  ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
  ["a number among the origins", '{"kay":1,"mode":"file","generation":1,"origins":{"x":1}}'],
  ["without a generation", '{"kay":1,"mode":"file","origins":{}}'],
] as const)("S07 a file that is %s is set aside with one warning, and counts as empty", async ([, bytes]) => {
  const { credentials, path, warnings } = writeProfile(bytes);
  expect([await credentials.read(ORIGIN), await credentials.read(ORIGIN)]).toEqual([NOTHING, NOTHING]);
  const aside = `${path}.corrupt-20261127T093000Z`;
  expect(warnings).toEqual([
    `The stored sign-in ${path} is damaged. A copy was saved as ${aside}. Run \`kay connect <service>\` to sign in again.`,
  ]);
  expect(readFileSync(aside)).toEqual(Buffer.from(bytes));
  expect(await credentials.write(ORIGIN, 0, { token: "T1" })).toBe(1);
  expect(readdirSync(dirname(path))).toEqual(["default.json", basename(aside)]);
});

test("S07 a second broken file does not replace the first", async () => {
  const { credentials, path } = writeProfile("one");
  await credentials.read(ORIGIN);
  writeFileSync(path, "two");
  await credentials.read(ORIGIN);
  const aside = `${path}.corrupt-20261127T093000Z`;
  expect([readFileSync(aside, "utf8"), readFileSync(`${aside}-1`, "utf8")]).toEqual(["one", "two"]);
});

test.for(["existing", "missing"])("S10 a linked file stays a link, and its %s target is written", async (target) => {
  const { credentials, path, folder } = openProfile();
  const dotfile = join(folder, "dotfiles", "kay.json");
  mkdirSync(dirname(path), { mode: 0o700 });
  mkdirSync(dirname(dotfile));
  if (target === "existing") writeFileSync(dotfile, GOOD, { mode: 0o644 });
  symlinkSync("../dotfiles/kay.json", path);
  await credentials.update(ORIGIN, () => ({ session_id: "kaysession_9" }));
  expect(readlinkSync(path)).toBe("../dotfiles/kay.json");
  expect(JSON.parse(readFileSync(dotfile, "utf8")).origins[ORIGIN]).toEqual({ session_id: "kaysession_9" });
  expect([lstatSync(dotfile).isFile(), statSync(dotfile).mode & 0o777]).toEqual([true, 0o600]);
  expect(readdirSync(dirname(dotfile))).toEqual(["kay.json"]);
});

test("S11 a folder in place of the file is an error that names path and errno", async () => {
  const { credentials, path } = openProfile();
  mkdirSync(path, { recursive: true });
  const problem = { code: "STORE_UNREADABLE", message: `Could not read ${path} (EISDIR).` };
  await expect(credentials.read(ORIGIN)).rejects.toMatchObject(problem);
  await expect(credentials.write(ORIGIN, 0, {})).rejects.toMatchObject(problem);
  expect(readdirSync(dirname(path))).toEqual(["default.json"]);
});

test.runIf(process.platform === "linux")(
  "S11 a file that the disk cannot read (EIO) does not count as empty",
  async () => {
    const { credentials, path } = openProfile();
    mkdirSync(dirname(path), { mode: 0o700 });
    symlinkSync("/proc/self/mem", path);
    await expect(credentials.read(ORIGIN)).rejects.toMatchObject({ message: `Could not read ${path} (EIO).` });
    expect(readlinkSync(path)).toBe("/proc/self/mem");
  },
);

test("S11 circular links are an error", async () => {
  const { credentials, path } = openProfile();
  mkdirSync(dirname(path), { mode: 0o700 });
  symlinkSync("default.json", path);
  await expect(credentials.read(ORIGIN)).rejects.toMatchObject({ message: `Could not read ${path} (ELOOP).` });
});

test.runIf(process.platform !== "win32")("S11 a file of mode 000 is an error and stays unchanged", () => {
  const { path, folder } = writeProfile(GOOD);
  chmodSync(path, 0o000);
  const answer = asNobody(folder);
  expect(answer).toEqual({ error: "STORE_UNREADABLE", message: `Could not read ${path} (EACCES).`, warnings: [] });
  expect(statSync(path).mode & 0o777).toBe(0);
});

test.runIf(process.platform !== "win32")(
  "S14 a settings folder that is not writable is one sentence with path, errno and variable",
  () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o555);
    expect(asNobody(folder)).toEqual({
      error: "STORE_UNREADABLE",
      message: `Could not write ${folder} (EACCES).`,
      warnings: [],
    });
  },
);

test.for([
  ["does not exist", "nowhere/.config/kay", "ENOENT"],
  ["is a file", "file/.config/kay", "ENOTDIR"],
] as const)("S14 a home that %s is never created", async ([, folder, errno]) => {
  const home = temporaryFolder();
  writeFileSync(join(home, "file"), "");
  const { credentials } = openProfile({ in: join(home, folder) });
  const problem = {
    code: "STORE_UNREADABLE",
    message: expect.stringMatching(new RegExp(`^Could not write ${home}/.* \\(${errno}\\)\\.$`)),
  };
  await expect(credentials.write(ORIGIN, 0, { token: "T1" })).rejects.toMatchObject(problem);
  expect(existsSync(join(home, "nowhere"))).toBe(false);
});

test("S14 the folders below an existing home are created", async () => {
  const home = temporaryFolder();
  const { credentials, path } = openProfile({ in: join(home, ".config", "kay") });
  expect(await credentials.read(ORIGIN)).toEqual(NOTHING);
  expect(existsSync(join(home, ".config"))).toBe(false);
  expect(await credentials.write(ORIGIN, 0, { token: "T1" })).toBe(1);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("S07 a broken file does not lose the key: the next sign-in is encrypted with it", async () => {
  const keychain = memoryKeychain();
  const { credentials, path, warnings } = openProfile({ preference: "auto", keychain });
  await credentials.write(ORIGIN, 0, { token: "T0" });
  writeFileSync(path, "");
  expect(await credentials.write(ORIGIN, 0, { token: "T1" })).toBe(1);
  expect((await credentials.describe()).mode).toBe("keychain");
  expect([keychain.given.length, warnings.length]).toEqual([1, 1]);
});

/** Reads the profile in a process that permissions apply to, because tests may run as root. */
function asNobody(folder: string): unknown {
  const isRoot = process.getuid?.() === 0;
  const job = JSON.stringify({ folder, does: "read" });
  if (isRoot) execFileSync("chown", ["-R", "65534:65534", folder]);
  const worker = join(import.meta.dirname, "../../support/refresh-worker.ts");
  const output = execFileSync(process.execPath, [worker, job], {
    encoding: "utf8",
    ...(isRoot && { uid: 65534, gid: 65534 }),
  });
  return JSON.parse(output);
}
