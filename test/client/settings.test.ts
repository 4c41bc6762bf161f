import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createPaths } from "#client/paths";
import { createSettings, type SettingsPorts, settingKey } from "#client/settings";
import { ensureFolder } from "#client/settings/folder";
import { Problem } from "#protocol/errors";

/** A settings folder of its own, with a file in it if `content` is given. */
function folderWith(content?: string | Uint8Array): { path: string; file: string } {
  const path = mkdtempSync(join(tmpdir(), "kay-settings-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  const file = join(path, "config.json");
  if (content !== undefined) writeFileSync(file, content);
  return { path, file };
}

function settingsIn(folder: string, more: Partial<SettingsPorts> = {}) {
  const warnings: string[] = [];
  const settings = createSettings({
    paths: { config: () => folder },
    env: {},
    clock: { now: () => Date.UTC(2026, 10, 27, 12, 30) },
    warn: (message) => void warnings.push(message),
    ...more,
  });
  return { settings, warnings };
}

function problemIn(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof Problem ? `${error.code}: ${error.message} ${error.hint}` : expect.fail(String(error));
  }
  return expect.fail("it should fail");
}

test("a flag beats the environment, which beats the profile, which beats the default, and each says where it came from", () => {
  const { path } = folderWith('{"profiles":{"default":{"model":"openai:a","credentials":"file"}}}');
  const env = { KAY_MODEL: "google:b", KAY_CREDENTIALS: "" };
  const origin = (more: Partial<SettingsPorts>, key: "model" | "credentials") => {
    const { value, source, where } = settingsIn(path, more).settings.get(key);
    return [value, source, where];
  };
  expect(origin({ env, flags: { model: "ollama:c" } }, "model")).toEqual(["ollama:c", "flag", "--model"]);
  expect(origin({ env }, "model")).toEqual(["google:b", "environment", "KAY_MODEL"]);
  expect(origin({}, "model")).toEqual(["openai:a", "profile", "model of profile default"]);
  expect(origin({ env }, "credentials")).toEqual(["file", "profile", "credentials of profile default"]);
  expect(origin({ profile: "work" }, "credentials")).toEqual(["auto", "default", "default"]);
  expect(origin({ profile: "work" }, "model")).toEqual([undefined, "default", "default"]);
});

test("settings are kept by profile, in a file that only this user can read", async () => {
  const { path, file } = folderWith();
  await settingsIn(path).settings.set("api-url", "https://KAY.example.test/");
  await settingsIn(path, { env: { KAY_PROFILE: "work" } }).settings.set("allow-insecure", "yes");
  const home = settingsIn(path).settings;
  expect([home.text("api-url"), home.isOn("allow-insecure")]).toEqual(["https://kay.example.test", false]);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    profiles: { default: { "api-url": "https://kay.example.test" }, work: { "allow-insecure": true } },
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await home.unset("api-url")).toBe(true);
  expect(await home.unset("api-url")).toBe(false);
  expect(settingsIn(path).settings.text("api-url")).toBeUndefined();
  expect(readdirSync(path)).toEqual(["config.json"]);
});

test("a file readable by others is made private when it is written", async () => {
  const { path, file } = folderWith("{}");
  chmodSync(file, 0o644);
  await settingsIn(path).settings.set("credentials", "file");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("what kay does not know in the file is left alone", async () => {
  const { path, file } = folderWith('{"session_id":"kaysession_1","profiles":{"default":{"newer":[1]}}}');
  await settingsIn(path).settings.set("credentials", "file");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    session_id: "kaysession_1",
    profiles: { default: { newer: [1], credentials: "file" } },
  });
});

test("secrets are never shown by list", async () => {
  const { path } = folderWith();
  const { settings } = settingsIn(path, { env: { KAY_CLIENT_KYG_SECRET: "hush" } });
  await settings.set("atlassian.client-secret", "very secret");
  await settings.set("atlassian.client-id", "public");
  const rows = settings.list().filter(({ source }) => source !== "default");
  expect(rows.map(({ key, shown, source, secret }) => [key, shown, source, secret])).toEqual([
    ["atlassian.client-id", "public", "profile", false],
    ["atlassian.client-secret", "********", "profile", true],
    ["kyg.client-secret", "********", "environment", true],
  ]);
  expect(settings.text("atlassian.client-secret")).toBe("very secret");
});

test("a value that is not accepted says what is, and where it stands", async () => {
  const { path } = folderWith('{"profiles":{"default":{"credentials":"vault","allow-insecure":[]}}}');
  const { settings } = settingsIn(path, { env: { KAY_API_URL: "localhost:4000" }, flags: { model: "gpt 5" } });
  expect(problemIn(() => settings.get("credentials"))).toContain(
    "USAGE: credentials of profile default: The value must be auto, keychain or file.",
  );
  expect(problemIn(() => settings.get("allow-insecure"))).toContain(
    "USAGE: allow-insecure of profile default: The value must be a text.",
  );
  expect(problemIn(() => settings.get("api-url"))).toContain(
    'USAGE: KAY_API_URL: The backend\'s address is not a URL: "localhost:4000".',
  );
  expect(problemIn(() => settings.get("model"))).toContain(
    "USAGE: --model: A model is given as provider:model, a provider alone, or offline.",
  );
  await expect(settings.set("kyg.token-url", "http://kyg.test/token")).rejects.toMatchObject({ code: "INSECURE_URL" });
  await expect(settings.set("browser", "a\nb")).rejects.toMatchObject({
    code: "USAGE",
    message: "browser: A value of one line is needed.",
  });
});

test("an unknown setting names the nearest one", () => {
  expect(settingKey("api-url")).toBe("api-url");
  expect(problemIn(() => settingKey("api_ulr"))).toBe('USAGE: There is no setting "api_ulr". Did you mean api-url?');
  expect(problemIn(() => settingKey("zzzzzzzz"))).toBe(
    'USAGE: There is no setting "zzzzzzzz". Run `kay config list` to see every setting.',
  );
  expect(problemIn(() => settingKey("constructor"))).toContain("There is no setting");
});

test("a profile's name is checked, and no name reaches into the object's own parts", () => {
  const { path } = folderWith("{}");
  for (const profile of ["", "A", "a b", "../x", "__proto__", "a".repeat(33)]) {
    expect(problemIn(() => settingsIn(path, { profile }))).toContain("is no name for a profile.");
  }
  expect(settingsIn(path, { profile: "constructor" }).settings.text("model")).toBeUndefined();
});

test("S06 a UTF-8 byte order mark is no part of the file, in reading and in writing", async () => {
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

test("S06 a file in UTF-16 is named with its encoding and left as it is", () => {
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
      `BROKEN_SETTINGS: The settings file ${file} is ${encoding}. Save it as UTF-8; it was left as it is.`,
    );
    expect(Buffer.compare(readFileSync(file), bytes)).toBe(0);
  }
});

test("S07 a damaged file is kept aside with one warning, and kay starts afresh", async () => {
  for (const content of ["", '{"session_id":"kaysession_1', "[]", "null", "\u0000".repeat(64), '"text"']) {
    const { path, file } = folderWith(content);
    const { settings, warnings } = settingsIn(path);
    expect([settings.text("model"), settings.text("credentials")]).toEqual([undefined, "auto"]);
    const aside = `${file}.corrupt-2026-11-27T12-30-00`;
    expect(warnings).toEqual([
      `The settings file was damaged; it is kept as ${aside}, and kay starts with fresh settings.`,
    ]);
    expect(readFileSync(aside, "utf8")).toBe(content);
    expect(statSync(aside).mode & 0o777).toBe(0o600);
    await settings.set("credentials", "file");
    expect(settingsIn(path).settings.text("credentials")).toBe("file");
  }
});

test("a file whose profiles are no objects is named, not thrown away", () => {
  const { path, file } = folderWith('{"profiles":[1]}');
  expect(problemIn(() => settingsIn(path).settings.get("model"))).toContain(
    `In the settings file ${file}, "profiles" must hold an object`,
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

test("S10 a damaged file behind a symbolic link is kept aside, and the link stays", () => {
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

test("S11 a file that cannot be read names path and errno, and nothing is overwritten", () => {
  const { path, file } = folderWith();
  mkdirSync(file);
  expect(problemIn(() => settingsIn(path).settings.get("model"))).toBe(
    `BROKEN_SETTINGS: The settings file ${file} cannot be read (EISDIR). Make it readable, or set KAY_CONFIG_DIR to another folder.`,
  );
  expect(statSync(file).isDirectory()).toBe(true);
});

test("S14 without any folder, settings given by flag, environment or default need none", () => {
  const paths = createPaths({ env: {}, platform: "linux", home: "/", cwd: "/" });
  const { settings } = settingsIn("", {
    paths,
    env: { KAY_API_URL: "https://kay.test" },
    flags: { model: "openai:a" },
  });
  expect([settings.text("api-url"), settings.text("model")]).toEqual(["https://kay.test", "openai:a"]);
  expect(problemIn(() => settings.get("credentials"))).toBe(
    "STORE_UNREADABLE: There is no place for kay's files: the home folder is /. Set KAY_CONFIG_DIR or XDG_CONFIG_HOME to a folder that you may write to.",
  );
});

test("S14 a home folder that does not exist reads as empty and is never made in the root of the file system", async () => {
  const { settings } = settingsIn("/kay-nonexistent/.config/kay");
  expect(settings.text("credentials")).toBe("auto");
  await expect(settings.set("credentials", "file")).rejects.toMatchObject({
    code: "STORE_UNREADABLE",
    message: "Cannot write /kay-nonexistent/.config/kay (ENOENT).",
    hint: "Set KAY_CONFIG_DIR to a folder that you may write to.",
  });
  expect(existsSync("/kay-nonexistent")).toBe(false);
});

test("S14 a folder that cannot be made names path and errno", async () => {
  const { path, file } = folderWith("a file where the home folder should be");
  expect(problemIn(() => ensureFolder(join(file, ".config", "kay"), "XDG_CONFIG_HOME"))).toBe(
    `STORE_UNREADABLE: Cannot write ${join(file, ".config", "kay")} (ENOTDIR). Set XDG_CONFIG_HOME to a folder that you may write to.`,
  );
  ensureFolder(join(path, "new", "kay"));
  expect(statSync(join(path, "new")).mode & 0o777).toBe(0o700);
});
