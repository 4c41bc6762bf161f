import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { GlobalFlags, Kay } from "#cli/kay";
import { notifyOfUpdate } from "#cli/output/update-notice";
import { refreshUpdateRecord } from "#client/update/registry";

const DAY = 24 * 60 * 60_000;
const NOTICE = "kay 1.3.0 is available (you have 1.2.3). Upgrade with `npm install -g kay@latest`.";

type Setting = {
  argv?: string[];
  env?: Record<string, string>;
  flags?: Partial<GlobalFlags>;
  stdout?: boolean;
  stderr?: boolean;
  setting?: string;
  version?: string;
  upgrade?: string | null;
  aborted?: boolean;
};

/** A user whose commands run one after another; the registry reports `latest`. */
function person(latest: string | null = "1.3.0") {
  const home = mkdtempSync(join(tmpdir(), "kay-update-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const state = join(home, "state/kay");
  const world = { now: 1_000_000_000_000, looks: 0, latest, answers: true };
  const ends = async (setting: Setting = {}) => {
    const lines: string[] = [];
    const lookCount = world.looks;
    await notifyOfUpdate(setting.argv ?? ["connections"], createKay(setting, world, lines), {
      paths: { state: () => state } as never,
      upgrade: async () => (setting.upgrade === undefined ? "npm install -g kay@latest" : setting.upgrade),
      look: () => {
        world.looks += 1;
      },
    });
    if (world.looks > lookCount && world.answers) await answer(setting.version ?? "1.2.3");
    return { said: lines, looked: world.looks > lookCount };
  };
  const answer = (version: string) => {
    const versions = { [version]: { bin: "b", optionalDependencies: {} }, [String(world.latest)]: {} };
    const body = JSON.stringify({ name: "kay", "dist-tags": { latest: world.latest }, versions });
    return refreshUpdateRecord(
      { version, bin: "b", optionalDependencies: {} },
      { send: async () => ({ status: 200, headers: {}, body }), env: {}, node: "24.0.0", folder: state, unique: "u" },
    );
  };
  return { ends, world, state, record: () => JSON.parse(readFileSync(join(state, "update.json"), "utf8")) };
}

function createKay(setting: Setting, world: { now: number }, lines: string[]): Kay {
  const sink = (isTerminal = true) => ({ isTerminal });
  return {
    version: setting.version ?? "1.2.3",
    env: setting.env ?? {},
    flags: { json: false, quiet: false, ...setting.flags },
    terminal: { stdout: sink(setting.stdout), stderr: sink(setting.stderr) },
    signal: setting.aborted ? AbortSignal.abort("SIGINT") : new AbortController().signal,
    clock: { now: () => world.now },
    random: (bytes: number) => new Uint8Array(bytes),
    out: { writeProgress: (text: string) => lines.push(text) },
    settings: async () => ({ text: () => setting.setting ?? "auto" }),
  } as unknown as Kay;
}

const NOTHING = { said: [], looked: false };

test("the first command queries the registry, the next one notifies, and neither happens again that day", async () => {
  const { ends, world } = person();
  expect(await ends()).toEqual({ said: [], looked: true });
  expect(await ends()).toEqual({ said: [NOTICE], looked: false });
  expect(await ends()).toEqual(NOTHING);
  world.now += DAY - 1;
  expect(await ends()).toEqual(NOTHING);
  world.now += 1;
  expect(await ends()).toEqual({ said: [NOTICE], looked: true });
});

test("without a newer version nothing is printed, and the registry is queried again the next day", async () => {
  const { ends, world } = person("1.2.3");
  expect(await ends()).toEqual({ said: [], looked: true });
  expect(await ends()).toEqual(NOTHING);
  world.now += DAY;
  expect(await ends()).toEqual({ said: [], looked: true });
});

test("a registry that never answers is not queried again before the next day", async () => {
  const { ends, world } = person();
  world.answers = false;
  expect(await ends()).toEqual({ said: [], looked: true });
  expect(await ends()).toEqual(NOTHING);
  world.now += DAY;
  expect(await ends()).toEqual({ said: [], looked: true });
});

test("after an upgrade or downgrade, the record of another version is ignored", async () => {
  const { ends } = person();
  await ends();
  expect(await ends({ version: "1.3.0" })).toEqual({ said: [], looked: true });
  expect(await ends({ version: "1.3.0" })).toEqual(NOTHING);
});

test("a clock that was set back suppresses nothing for longer than a day", async () => {
  const { ends, world } = person();
  await ends();
  await ends();
  world.now -= 300 * DAY;
  expect(await ends()).toEqual({ said: [NOTICE], looked: true });
  expect(await ends()).toEqual(NOTHING);
});

const silent: Record<string, Setting> = {
  "without a terminal for the answer (C04)": { stdout: false },
  "without a terminal for what is said": { stderr: false },
  "with --json": { flags: { json: true } },
  "with --quiet": { flags: { quiet: true } },
  "in CI": { env: { CI: "true" } },
  "on a runner that does not set CI": { env: { TF_BUILD: "True" } },
  "with DO_NOT_TRACK": { env: { DO_NOT_TRACK: "1" } },
  "with KAY_NO_UPDATE_NOTIFIER": { env: { KAY_NO_UPDATE_NOTIFIER: "1" } },
  "with NO_UPDATE_NOTIFIER": { env: { NO_UPDATE_NOTIFIER: "true" } },
  "with the setting off": { setting: "off" },
  "by npx and its like, or out of the repository": { upgrade: null },
  "after Ctrl+C": { aborted: true },
  "for the list of commands": { argv: [] },
  "for help": { argv: ["help", "json"] },
  "for --help": { argv: ["ask", "--help"] },
};

for (const [name, setting] of Object.entries(silent)) {
  test(`${name} nothing is queried, printed or written`, async () => {
    const { ends, state } = person();
    expect(await ends(setting)).toEqual(NOTHING);
    expect(existsSync(state)).toBe(false);
    await ends();
    expect(await ends(setting)).toEqual(NOTHING);
  });
}

test("DO_NOT_TRACK=0 and CI=false disable nothing", async () => {
  expect(await person().ends({ env: { DO_NOT_TRACK: "0", CI: "false" } })).toEqual({ said: [], looked: true });
});

test("a broken record, or one with an invalid version, counts as missing", async () => {
  for (const text of ["", "{", "null", '{"looked":1}', '{"looked":1,"running":"1.2.3","newer":"9\\u001b[2J"}']) {
    const { ends, state } = person();
    await ends();
    writeFileSync(join(state, "update.json"), text);
    expect(await ends()).toEqual({ said: [], looked: true });
    expect(await ends()).toEqual({ said: [NOTICE], looked: false });
  }
});

test("the record is complete, private to its owner, and leaves no other file", async () => {
  const { ends, state, record } = person();
  await ends();
  await ends();
  expect(readdirSync(state)).toEqual(["update.json"]);
  expect(statSync(join(state, "update.json")).mode & 0o777).toBe(0o600);
  expect(record()).toEqual({ looked: 1_000_000_000_000, running: "1.2.3", newer: "1.3.0", told: 1_000_000_000_000 });
});

test("if the state folder is not writable, nothing is queried", async () => {
  const { ends, state } = person();
  await ends();
  // A file in its place blocks everyone, including root.
  rmSync(state, { recursive: true });
  writeFileSync(state, "");
  expect(await ends()).toEqual(NOTHING);
});
