import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createPaths } from "#client/paths";
import { ensurePrivateFolder } from "#files/folders";
import { folderWith, problemIn, settingsIn } from "#test/settings";

test("S06 a UTF-8 byte order mark is not part of the file, in reading and in writing", async () => {
  const { path, file } = folderWith('\ufeff{"profiles":{"default":{"model":"openai:a"}},"session_id":"kaysession_1"}');
  const { settings, warnings } = settingsIn(path);
  expect(settings.text("model")).toBe("openai:a");
  await settings.set("credentials", "file");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    profiles: { default: { model: "openai:a", credentials: "file" } },
    session_id: "kaysession_1",
  });
  expect(warnings).toEqual([]);
});

test("S06 a UTF-16 file is named with its encoding and left unchanged", () => {
  const text = '{"profiles":{}}';
  const little = Buffer.from(text, "utf16le");
  const big = Buffer.from(little).swap16();
  const cases: [Uint8Array, string][] = [
    [Buffer.concat([Buffer.from([0xff, 0xfe]), little]), "UTF-16 (little endian)"],
    [Buffer.concat([Buffer.from([0xfe, 0xff]), big]), "UTF-16 (big endian)"],
    [little, "UTF-16 (little endian)"],
    [big, "UTF-16 (big endian)"],
    [Buffer.from('{"a":"\xe9"}', "latin1"), "not UTF-8"],
  ];
  for (const [bytes, encoding] of cases) {
    const { path, file } = folderWith(bytes);
    const { settings } = settingsIn(path);
    expect(problemIn(() => settings.get("model"))).toBe(
      `BROKEN_SETTINGS: The settings file ${file} is ${encoding}. Save it as UTF-8. It was not changed.`,
    );
    expect(Buffer.compare(readFileSync(file), bytes)).toBe(0);
  }
});

test("S07 a damaged file is set aside with one warning, and kay starts afresh", async () => {
  for (const content of ["", '{"session_id":"kaysession_1', "[]", "null", "\u0000".repeat(64), '"text"']) {
    const { path, file } = folderWith(content);
    const { settings, warnings } = settingsIn(path);
    expect([settings.text("model"), settings.text("credentials")]).toEqual([undefined, "auto"]);
    const aside = `${file}.corrupt-2026-11-27T12-30-00`;
    expect(warnings).toEqual([
      `The settings file was damaged. A copy was saved as ${aside}, and kay starts with default settings.`,
    ]);
    expect(readFileSync(aside, "utf8")).toBe(content);
    expect(statSync(aside).mode & 0o777).toBe(0o600);
    await settings.set("credentials", "file");
    expect(settingsIn(path).settings.text("credentials")).toBe("file");
  }
});

test("B236 a file with a user's mistake stays where it is, and the mistake is named", () => {
  const mistakes: [string, string][] = [
    ['{\n // my backend\n "model": "offline"\n}', "a comment at line 2, column 2"],
    ['{\n "model": "offline", /* why */\n}', "a comment at line 2, column 22"],
    ['# mine\n{"model": "offline"}', "a comment at line 1, column 1"],
    ['{\n "model": "https://a.test/*",\n}\n', "a comma before a closing bracket at line 2, column 29"],
    ['{"profiles": {"default": {"model": "a",}}}', "a comma before a closing bracket at line 1, column 39"],
    ["{'model': 'offline'}", "unexpected text at line 1, column 2"],
    ['{"model": "offline"\n "api-url": "https://a.test"}', "unexpected text at line 2, column 2"],
    ['{"model": "offline"} // my backend', "a comment at line 1, column 22"],
  ];
  for (const [content, mistake] of mistakes) {
    const { path, file } = folderWith(content);
    const { settings, warnings } = settingsIn(path);
    expect(problemIn(() => settings.get("model"))).toBe(
      `BROKEN_SETTINGS: The settings file ${file} is not valid JSON: ${mistake}. Correct it there. It was not changed.`,
    );
    expect([readFileSync(file, "utf8"), readdirSync(path), warnings]).toEqual([content, ["config.json"], []]);
  }
});

test("a file whose profiles are not objects is named, not discarded", () => {
  const { path, file } = folderWith('{"profiles":[1]}');
  expect(problemIn(() => settingsIn(path).settings.get("model"))).toContain(
    `In the settings file ${file}, "profiles" must contain an object`,
  );
  expect(existsSync(file)).toBe(true);
});

test("S10 a symbolic link stays one, and its target is written with mode 0600", async () => {
  const { path, file } = folderWith();
  const target = join(path, "dotfiles", "kay.json");
  mkdirSync(dirname(target));
  writeFileSync(target, "{}", { mode: 0o644 });
  symlinkSync("dotfiles/kay.json", file);
  await settingsIn(path).settings.set("credentials", "file");
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(target, "utf8"))).toEqual({ profiles: { default: { credentials: "file" } } });
  expect(statSync(target).mode & 0o777).toBe(0o600);
});

test("S10 a damaged file behind a symbolic link is set aside, and the link stays", () => {
  const { path, file } = folderWith();
  const target = join(path, "kay.json");
  writeFileSync(target, "{cut");
  symlinkSync("kay.json", file);
  expect(settingsIn(path).settings.text("model")).toBeUndefined();
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(readFileSync(`${file}.corrupt-2026-11-27T12-30-00`, "utf8")).toBe("{cut");
  expect(lstatSync(`${file}.corrupt-2026-11-27T12-30-00`).isSymbolicLink()).toBe(false);
  expect(readFileSync(target, "utf8")).toBe("{}\n");
});

test("S11 an unreadable file names path and errno, and nothing is overwritten", () => {
  const { path, file } = folderWith();
  mkdirSync(file);
  expect(problemIn(() => settingsIn(path).settings.get("model"))).toBe(
    `BROKEN_SETTINGS: Could not read the settings file ${file} (EISDIR). Make it readable, or set KAY_CONFIG_DIR to another folder.`,
  );
  expect(statSync(file).isDirectory()).toBe(true);
});

test("S11 a file that cannot be inspected, such as a link to itself, names path and errno", () => {
  const { path, file } = folderWith();
  symlinkSync(file, file);
  expect(problemIn(() => settingsIn(path, { uid: process.getuid?.() }).settings.get("model"))).toBe(
    `BROKEN_SETTINGS: Could not read the settings file ${file} (ELOOP). Make it readable, or set KAY_CONFIG_DIR to another folder.`,
  );
});

test.runIf(process.platform !== "win32")(
  "S11 a pipe in place of the file is named, instead of waiting for its text",
  () => {
    const { path, file } = folderWith();
    execFileSync("mkfifo", [file]);
    expect(problemIn(() => settingsIn(path, { uid: process.getuid?.() }).settings.get("model"))).toContain(
      `BROKEN_SETTINGS: Could not read the settings file ${file} (it is a pipe).`,
    );
  },
);

test("S14 without any folder, settings from a flag, the environment or the default need none", () => {
  const paths = createPaths({ env: {}, platform: "linux", home: "/", cwd: "/" });
  const { settings } = settingsIn("", {
    paths,
    env: { KAY_API_URL: "https://kay.test" },
    flags: { model: "openai:a" },
  });
  expect([settings.text("api-url"), settings.text("model")]).toEqual(["https://kay.test", "openai:a"]);
  expect(problemIn(() => settings.get("credentials"))).toBe(
    "STORE_UNREADABLE: Could not find a folder for kay's files: the home folder is /. Set KAY_CONFIG_DIR or XDG_CONFIG_HOME to a writable directory.",
  );
});

test("S14 a missing home folder reads as empty and is never created in the root of the file system", async () => {
  const { settings } = settingsIn("/kay-nonexistent/.config/kay");
  expect(settings.text("credentials")).toBe("auto");
  await expect(settings.set("credentials", "file")).rejects.toMatchObject({
    code: "STORE_UNREADABLE",
    message: "Could not write /kay-nonexistent/.config/kay (ENOENT).",
    hint: "Set KAY_CONFIG_DIR to a writable directory.",
  });
  expect(existsSync("/kay-nonexistent")).toBe(false);
});

test("S14 a folder that cannot be created names path and errno", async () => {
  const { path, file } = folderWith("a file where the home folder should be");
  expect(problemIn(() => ensurePrivateFolder(join(file, ".config", "kay"), "XDG_CONFIG_HOME"))).toBe(
    `STORE_UNREADABLE: Could not write ${join(file, ".config", "kay")} (ENOTDIR). Set XDG_CONFIG_HOME to a writable directory.`,
  );
  ensurePrivateFolder(join(path, "new", "kay"));
  expect(statSync(join(path, "new")).mode & 0o777).toBe(0o700);
});

test("a folder in an impossible place also ends with its code", () => {
  expect(problemIn(() => ensurePrivateFolder("/proc/kay/.config/kay", "XDG_CONFIG_HOME"))).toContain("(ENOENT)");
});

test.runIf(process.getuid?.() === 0)("F10 settings that another user owns are not read", () => {
  for (const name of ["folder", "file"] as const) {
    const { path, file } = folderWith('{"profiles":{"default":{"api-url":"https://evil.example"}}}');
    chownSync(name === "folder" ? path : file, 65_533, 65_533);
    expect(problemIn(() => settingsIn(path, { uid: 0 }).settings.text("api-url"))).toContain(
      `STORE_UNREADABLE: Cannot use ${name === "folder" ? path : file}: it belongs to another user.`,
    );
  }
});

test.skipIf(process.platform === "win32")("F10 settings that every user can write to are not read", () => {
  const { path, file } = folderWith('{"profiles":{}}');
  const read = () => settingsIn(path, { uid: process.getuid?.() }).settings.text("model");
  expect(read()).toBeUndefined();
  chmodSync(file, 0o666);
  expect(problemIn(read)).toContain(`STORE_UNREADABLE: Cannot use ${file}: every user can write to it.`);
  chmodSync(file, 0o664);
  chmodSync(path, 0o777);
  expect(problemIn(read)).toContain(`STORE_UNREADABLE: Cannot use ${path}: every user can write to it.`);
});
