import { expect, test } from "vitest";
import { fetchNewerVersion } from "#client/update/registry";
import type { Incoming, Outgoing } from "#net/ports";
import { Problem } from "#protocol/errors";

const BIN = { kay: "bin/kay.js" };
const NATIVE = { "@napi-rs/keyring": "2.1.2" };
const RUNNING = { version: "1.2.3", bin: BIN, optionalDependencies: NATIVE };

/** The registry's data about kay: versions with their differences, and the latest. */
function createPackument(latest: string, versions: Record<string, object> = { "1.2.3": {}, [latest]: {} }) {
  const usual = { name: "kay", bin: BIN, optionalDependencies: NATIVE };
  const all = Object.entries(versions).map(([version, manifest]) => [version, { ...usual, version, ...manifest }]);
  return { name: "kay", "dist-tags": { latest }, versions: Object.fromEntries(all) };
}

async function look(answer: unknown, options: { running?: object; env?: Record<string, string> } = {}) {
  const requests: Outgoing[] = [];
  const send = async (request: Outgoing): Promise<Incoming> => {
    requests.push(request);
    if (answer instanceof Error) throw answer;
    return { status: 200, headers: {}, body: typeof answer === "string" ? answer : JSON.stringify(answer) };
  };
  const newer = await fetchNewerVersion(
    { ...RUNNING, ...options.running },
    { send, env: options.env ?? {}, node: "24.21.0" },
  );
  return { newer, asked: requests };
}

test("the registry gets only the name, and has ten seconds", async () => {
  const { newer, asked } = await look(createPackument("1.3.0"));
  expect(newer).toBe("1.3.0");
  expect(asked).toEqual([
    {
      method: "GET",
      url: "https://registry.npmjs.org/kay",
      headers: { accept: "application/vnd.npm.install-v1+json", "user-agent": "kay" },
      timeoutMs: 10_000,
    },
  ]);
});

test("npm_config_registry is used instead; one with a password, or an invalid one, never", async () => {
  const urls = ["http://127.0.0.1:4873/npm", "https://ann:secret@registry.test/", "file:///etc/", "nonsense"];
  const looks = await Promise.all(
    urls.map((url) => look(createPackument("1.3.0"), { env: { npm_config_registry: url } })),
  );
  expect(looks.map(({ newer, asked }) => [newer, ...asked.map(({ url }) => url)])).toEqual([
    ["1.3.0", "http://127.0.0.1:4873/npm/kay"],
    [null],
    [null],
    [null],
  ]);
});

test.each([
  ["1.2.3", "1.2.4", "1.2.4"],
  ["1.2.3", "1.10.0", "1.10.0"],
  ["1.2.3", "1.2.3", null],
  ["1.2.3", "1.2.2", null],
  ["1.2.3", "2.0.0-beta.1", null],
  ["2.0.0-beta.2", "2.0.0-beta.10", "2.0.0-beta.10"],
  ["2.0.0-beta.2", "2.0.0", "2.0.0"],
  ["2.0.0", "2.0.0-rc.1", null],
])("on %s, with %s as the latest, %s is announced", async (version, latest, announced) => {
  const answer = createPackument(latest, { [version]: {}, [latest]: {} });
  expect((await look(answer, { running: { version } })).newer).toBe(announced);
});

test("another product of the same name announces nothing: it lacks this version, with these programs and native packages", async () => {
  const strangers = [
    createPackument("9.0.0", { "9.0.0": {} }),
    createPackument("9.0.0", { "1.0.0": { bin: undefined }, "9.0.0": {} }),
    createPackument("9.0.0", { "1.2.3": { bin: { kay: "cli.js" } }, "9.0.0": {} }),
    createPackument("9.0.0", { "1.2.3": { bin: undefined }, "9.0.0": {} }),
    createPackument("9.0.0", { "1.2.3": { optionalDependencies: {} }, "9.0.0": {} }),
    createPackument("9.0.0", { "1.2.3": { optionalDependencies: undefined }, "9.0.0": {} }),
    { ...createPackument("9.0.0"), name: "okay" },
  ];
  expect(await Promise.all(strangers.map(async (answer) => (await look(answer)).newer))).toEqual(
    strangers.map(() => null),
  );
});

test("an older registry entry without programs does not matter", async () => {
  const older = { bin: undefined, optionalDependencies: undefined };
  expect((await look(createPackument("1.3.0", { "0.0.1": older, "1.2.3": {}, "1.3.0": {} }))).newer).toBe("1.3.0");
});

test("a withdrawn version, or one that needs a newer Node, is not announced", async () => {
  const withdrawn = createPackument("1.3.0", { "1.2.3": {}, "1.3.0": { deprecated: "It eats files." } });
  const tooNew = createPackument("1.3.0", { "1.2.3": {}, "1.3.0": { engines: { node: ">=26" } } });
  const fits = createPackument("1.3.0", { "1.2.3": {}, "1.3.0": { engines: { node: ">=24" } } });
  expect([(await look(withdrawn)).newer, (await look(tooNew)).newer, (await look(fits)).newer]).toEqual([
    null,
    null,
    "1.3.0",
  ]);
});

test("a registry that is down, slow, or answers anything else announces nothing and breaks nothing", async () => {
  const hostile = createPackument("1.3.0\u001b[31m", { "1.2.3": {}, "1.3.0\u001b[31m": {} });
  const answers = [
    new Problem("UNREACHABLE", "It is down."),
    new Problem("TIMED_OUT", "It is slow."),
    "<html>Sign in to the hotel's network</html>",
    "",
    "null",
    { error: "Not found" },
    { ...createPackument("1.3.0"), "dist-tags": { latest: "__proto__" } },
    hostile,
  ];
  expect(await Promise.all(answers.map(async (answer) => (await look(answer)).newer))).toEqual(answers.map(() => null));
});
