import { expect, test } from "vitest";
import { unwell } from "#test/doctor";
import { type MachineOptions, parseDocument, useKay } from "#test/kay";

const kay = useKay();

/** A desktop on which nothing is missing. */
const DESKTOP: MachineOptions = {
  signedIn: true,
  programs: ["xdg-open"],
  env: { DISPLAY: ":0", LANG: "C.UTF-8", TERM: "xterm-kitty", KITTY_WINDOW_ID: "1", COLORTERM: "truecolor" },
};

/** Values that differ between machines. */
const maskValues = (text: string) => text.replace(/[\d.]+ (GiB|MiB) free/, "N free").replace(/in [\d.]+ s/, "in N s");

test("doctor checks everything that kay needs; in a pipe each check is a row", async () => {
  const { exit, stdout, stderr } = await kay(DESKTOP)("doctor");
  expect({ exit, stderr, rows: maskValues(stdout).split("\n") }).toEqual({
    exit: 0,
    stderr: "Everything works.\n",
    rows: [
      "runtime\tok\tkay 0.0.0-test on Node 24.0.0 (linux x64), /usr/bin/node; started from /usr/bin/kay.\t",
      "settings\tok\tProfile default; none are set yet (/home/ann/kay/config.json). From the environment: KAY_API_URL.\t",
      "store\tok\t/home/ann/kay/credentials/default.json, encrypted with a key from the keychain.\t",
      "keychain\tok\tWorking: a test entry was written, read and deleted.\t",
      "terminal\tok\tstdin, stdout, stderr: not a terminal, so output has no color, and kay does not prompt.\t",
      "browser\tok\tLinks are opened by /usr/bin/xdg-open.\t",
      "data\tok\t/home/ann/kay can be written, N free.\t",
      "network.proxy\tok\tNone: no proxy is set for this address.\t",
      "network.name\tskipped\t127.0.0.1 is an IP address, so no lookup is needed.\t",
      "network.connect\tok\tPort 4000: IPv4 in 1 ms.\t",
      "network.http\tok\tIt answered in 0 ms.\t",
      "backend\tok\tkay 0.0.0-test at http://127.0.0.1:4000, with sandbox services.\t",
      "clock\tok\tIn sync with the backend.\t",
      "stream\tok\t3 events arrived as they were sent.\t",
      "sign-in\tok\tThe backend accepts the access token, valid for 30 min. `kay doctor --refresh` tests the refresh.\t",
      "connections\tok\t1 of 15 services are connected: jira.\t",
      "model\tok\tOffline planner: No model is configured, no provider key is set, and no local model server was found. It answered in N s, and calls tools.\t",
      "",
    ],
  });
});

test("doctor --json is one document", async () => {
  const result = await kay(DESKTOP)("doctor --json");
  const { ok, checks } = parseDocument(result) as { ok: boolean; checks: Record<string, unknown>[] };
  expect({ exit: result.exit, stderr: result.stderr, ok, clock: checks.find(({ id }) => id === "clock") }).toEqual({
    exit: 0,
    stderr: "",
    ok: true,
    clock: {
      id: "clock",
      state: "ok",
      title: "Clock",
      detail: "In sync with the backend.",
      ms: expect.any(Number),
    },
  });
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
});

test("doctor changes nothing: it sends no write, opens no browser, and leaves no keychain entry", async () => {
  const ann = kay(DESKTOP);
  await ann("whoami");
  const oldSignIn = await ann.stored();
  ann.place.network.seen.length = 0;
  await ann("doctor");
  expect(ann.place.network.calls().filter((call) => !call.startsWith("GET"))).toEqual(["POST /model/test"]);
  expect(await ann.stored()).toEqual(oldSignIn);
  expect(ann.launched).toEqual([]);
});

test.for([
  [
    80,
    [
      "✗ failed   Clock         It is 10 min ahead of the backend's clock. Tokens and",
      "                         links may appear expired or not yet valid.",
      "                         → Set this machine's clock from the network:",
      "                           `timedatectl set-ntp true` on Linux, or Date & Time",
      "                           in the settings.",
      "✓ ok       Stream        3 events arrived as they were sent.",
    ],
  ],
  [
    40,
    [
      "✗ failed  Clock",
      "  It is 10 min ahead of the backend's",
      "  clock. Tokens and links may appear",
      "  expired or not yet valid.",
      "  → Set this machine's clock from the",
      "    network: `timedatectl set-ntp true`",
      "    on Linux, or Date & Time in the",
      "    settings.",
      "✓ ok  Stream",
    ],
  ],
] as const)("on a terminal of %i columns a failure has a mark, a word and a fix", async ([columns, expected]) => {
  const ann = kay(DESKTOP);
  await ann("whoami");
  const date = new Date(ann.place.clock.now() - 600_000).toUTCString();
  ann.place.network.on("GET /capabilities", { json: { name: "kay", version: "1" }, headers: { date } });
  const { exit, stdout, stderr } = await ann("doctor", { terminal: true, columns, env: { NO_COLOR: "1" } });
  const lines = stdout.split("\n");
  const start = lines.indexOf(expected[0]);
  expect(lines.slice(start, start + expected.length)).toEqual(expected);
  expect(lines.filter((line) => line.length > columns && !/[/`]/.test(line))).toEqual([]);
  expect({ exit, stderr: stderr.trim().replaceAll("\n", " ") }).toEqual({
    exit: 1,
    stderr: "1 failed. Start with the first one; it may cause the others.",
  });
});

test("with colors a state is still a word; for a screen reader each check is one line", async () => {
  const ann = kay(DESKTOP);
  const { stdout } = await ann("doctor", { terminal: true });
  expect(stdout).toContain("\u001b[32m✓ ok       \u001b[39mClock         In sync");
  const plain = await ann("doctor", { terminal: true, env: { ACCESSIBLE: "1", LANG: "C" } });
  expect(plain.stdout).toContain("ok: Clock: In sync with the backend.\n");
  expect(plain.stdout).toMatch(/^warning: Terminal: .* The locale is not UTF-8, .* What to do: Set LANG=C\.UTF-8/m);
});

test("on a fresh machine the local backend is started, and nothing fails", async () => {
  const ann = kay({ own: true });
  const result = await ann("doctor --json");
  expect({ exit: result.exit, starts: ann.starts(), unwell: unwell(result) }).toEqual({
    exit: 0,
    starts: 1,
    unwell: { browser: "warning", "sign-in": "warning", connections: "skipped" },
  });
  expect((await ann("doctor")).stdout).toContain(
    "\tok\tkay 0.0.0-test at http://127.0.0.1:4000, with sandbox services. Its log is /home/ann/kay/backend.log.\t\n",
  );
});

test("Ctrl+C ends it at once with 130", async () => {
  const ann = kay(DESKTOP);
  await ann("whoami");
  ann.place.network.on("GET /capabilities", () => {
    setTimeout(() => ann.interrupt(), 10);
    return "hang";
  });
  const began = Date.now();
  expect(await ann("doctor")).toMatchObject({ exit: 130 });
  expect(Date.now() - began).toBeLessThan(5_000);
});
