import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { parseSettingKey, type SettingsPorts } from "#client/settings/settings";
import { Problem } from "#protocol/errors";
import { folderWith, problemIn, settingsIn } from "#test/settings";

test("a flag overrides the environment, which overrides the profile, which overrides the default, and each names its source", () => {
  const { path } = folderWith('{"profiles":{"default":{"model":"openai:a","credentials":"file"}}}');
  const env = { KAY_MODEL: "google:b", KAY_CREDENTIALS: "" };
  const origin = (overrides: Partial<SettingsPorts>, key: "model" | "credentials") => {
    const { value, source, where } = settingsIn(path, overrides).settings.get(key);
    return [value, source, where];
  };
  expect(origin({ env, flags: { model: "ollama:c" } }, "model")).toEqual(["ollama:c", "flag", "--model"]);
  expect(origin({ env }, "model")).toEqual(["google:b", "environment", "KAY_MODEL"]);
  expect(origin({}, "model")).toEqual(["openai:a", "profile", "model of profile default"]);
  expect(origin({ env }, "credentials")).toEqual(["file", "profile", "credentials of profile default"]);
  expect(origin({ profile: "work" }, "credentials")).toEqual(["auto", "default", "default"]);
  expect(origin({ profile: "work" }, "model")).toEqual([undefined, "default", "default"]);
});

test("settings are stored per profile, in a file that only this user can read", async () => {
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

test("unknown fields of the file are kept", async () => {
  const { path, file } = folderWith('{"session_id":"kaysession_1","profiles":{"default":{"newer":[1]}}}');
  await settingsIn(path).settings.set("credentials", "file");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    session_id: "kaysession_1",
    profiles: { default: { newer: [1], credentials: "file" } },
  });
});

test("list never shows secrets", async () => {
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

test("an invalid value says what is valid, and where it is set", async () => {
  const { path } = folderWith('{"profiles":{"default":{"credentials":"vault","allow-insecure":[]}}}');
  const { settings } = settingsIn(path, { env: { KAY_API_URL: "localhost:4000" }, flags: { model: "gpt 5" } });
  expect(problemIn(() => settings.get("credentials"))).toContain(
    "USAGE: credentials of profile default: The value must be auto, keychain or file.",
  );
  expect(problemIn(() => settings.get("allow-insecure"))).toContain(
    "USAGE: allow-insecure of profile default: The value must be text.",
  );
  expect(problemIn(() => settings.get("api-url"))).toContain(
    'USAGE: KAY_API_URL: The URL is not valid: "localhost:4000".',
  );
  expect(problemIn(() => settings.get("model"))).toContain(
    "USAGE: --model: Specify a model as provider:model, a provider name, or offline.",
  );
  await expect(settings.set("kyg.token-url", "http://kyg.test/token")).rejects.toMatchObject({ code: "INSECURE_URL" });
  await expect(settings.set("browser", "a\nb")).rejects.toMatchObject({
    code: "USAGE",
    message: "browser: The value must be a single line.",
  });
});

test("an unknown setting names the nearest one", () => {
  expect(parseSettingKey("api-url")).toBe("api-url");
  expect(problemIn(() => parseSettingKey("api_ulr"))).toBe('USAGE: Unknown setting "api_ulr". Did you mean api-url?');
  expect(problemIn(() => parseSettingKey("zzzzzzzz"))).toBe(
    'USAGE: Unknown setting "zzzzzzzz". Run `kay config list` to list every setting.',
  );
  expect(problemIn(() => parseSettingKey("constructor"))).toContain("Unknown setting");
});

test("a profile's name is validated, and no name reaches into the object's own parts", () => {
  const { path } = folderWith("{}");
  for (const profile of ["", "A", "a b", "../x", "__proto__", "a".repeat(33)]) {
    expect(problemIn(() => settingsIn(path, { profile }))).toContain("is not a valid profile name.");
  }
  expect(settingsIn(path, { profile: "constructor" }).settings.text("model")).toBeUndefined();
});

test("a settings folder of another user is refused in its own words, not as one that cannot be written", async () => {
  const foreign = new Problem("STORE_UNREADABLE", "Cannot use /home/ann: it belongs to another user.", {
    hint: "Run kay as its owner.",
  });
  const { settings } = settingsIn(folderWith().path, { exclusively: () => Promise.reject(foreign) });
  await expect(settings.set("model", "planner")).rejects.toBe(foreign);
});
