import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Home, openHome, readPostmasterPid } from "#test/built/home";
import { end, isRunning, until } from "#test/built/processes";
import { connect } from "#test/built/serve";

const CONNECTED = { exit: 0, stdout: expect.stringMatching(/^jira\tconnected\tDana Demo/) };
const connections = (home: Home, env?: Record<string, string>) => home.run(["connections"], { env, limitMs: 60_000 });

/** How often a backend started to listen, according to its log. */
const starts = (home: Home) => readFileSync(join(home.state, "backend.log"), "utf8").split('"listening"').length - 1;

test("concurrent commands on a fresh machine start one backend, and all of them work", {
  timeout: 90_000,
}, async () => {
  const home = openHome();
  const links = await Promise.all(
    ["jira", "confluence", "bitbucket"].map((service) =>
      home.run(["connect", service, "--no-wait", "--json", "--profile", service], { limitMs: 60_000 }),
    ),
  );
  expect(links.map(({ exit }) => exit)).toEqual([0, 0, 0]);
  expect(starts(home)).toBe(1);
});

test("a killed backend leaves its Postgres, and the next command continues with it, still signed in", {
  timeout: 90_000,
}, async () => {
  const home = openHome();
  home.hasDatabase();
  await connect(home, "jira");
  const postgres = readPostmasterPid(home.postgres());
  const killed = home.record()?.pid;
  await end(killed, "SIGKILL");
  expect(await isRunning(postgres ?? 0)).toBe(true);
  expect(await connections(home)).toMatchObject(CONNECTED);
  expect(readPostmasterPid(home.postgres())).toBe(postgres);
  expect(home.record()?.pid).not.toBe(killed);
});

/** A server that ends neither with its input nor by SIGTERM, and answers a call with its ID. */
const STUBBORN = `
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
  const results = {
    initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "stub", version: "1" } },
    "tools/list": { tools: [{ name: "look", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] },
    "tools/call": { content: [{ type: "text", text: String(process.pid) }] },
  };
  require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
  });`;

test("B260: a stubborn program of a killed backend is ended by the next backend", {
  timeout: 90_000,
}, async () => {
  const home = openHome();
  home.hasDatabase();
  await connect(home, "jira");
  const command = [process.execPath, "-e", STUBBORN];
  await home.run(["services", "add", "--yes", "--name", "stub", "--mcp", "--", ...command], { limitMs: 60_000 });
  const look = async () => Number((await home.run(["tools", "call", "stub.look"], { limitMs: 60_000 })).stdout);
  const program = await look();
  expect(await isRunning(program)).toBe(true);
  await end(home.record()?.pid, "SIGKILL");
  expect(await isRunning(program)).toBe(true);
  expect(await connections(home)).toMatchObject(CONNECTED);
  expect(await isRunning(program)).toBe(false);
  const next = await look();
  expect(next).not.toBe(program);
  expect((await home.run(["serve", "--stop"], { limitMs: 60_000 })).exit).toBe(0);
  await until(async () => !(await isRunning(next)), "The program still runs.");
});

test("a killed Postgres is started again by its backend", { timeout: 90_000 }, async () => {
  const home = openHome();
  home.hasDatabase();
  await connect(home, "jira");
  const [backend, postgres] = [home.record(), readPostmasterPid(home.postgres())];
  await end(postgres, "SIGKILL");
  const first = await connections(home);
  expect([0, 6]).toContain(first.exit);
  expect(await connections(home)).toMatchObject(CONNECTED);
  expect(home.record()).toEqual(backend);
  expect(readPostmasterPid(home.postgres())).not.toBe(postgres);
});

test("a power loss during a change costs no sign-in and no data, and the outcome of the change is reported as unknown", {
  timeout: 120_000,
}, async () => {
  const home = openHome();
  home.hasDatabase();
  await connect(home, "jira");
  const sandbox = await findSandbox(home);
  const plan = JSON.parse((await home.run(["ask", "--confirm", "--json", "close KAY-3"])).stdout);
  const fault = { match: { method: "POST", path: "*/transitions" }, delay_ms: 60_000 };
  await fetch(`${sandbox}/_sandbox/faults`, { method: "PUT", body: JSON.stringify(fault) });
  const running = home.start(["confirm", plan.confirmation_token, "--approve"]);
  await until(async () => (await countFaults(sandbox)) === 0, "the change was never sent");
  await Promise.all([end(home.record()?.pid, "SIGKILL"), end(readPostmasterPid(home.postgres()), "SIGKILL")]);
  const lost = await running.ended;
  expect({ ...lost, stderr: "" }).toEqual({ exit: 1, stdout: "", stderr: "" });
  expect(lost.stderr).toMatch(/unknown|The answer was lost/);

  expect(await connections(home)).toMatchObject(CONNECTED);
  const secondResult = await home.run(["confirm", plan.confirmation_token, "--approve"]);
  expect(secondResult.exit).toBe(1);
  expect((await home.run(["ask", "what is open in project KAY?"])).stdout).toMatch(/\bKAY-3\b/);
});

test("a backend with other settings or of another version is replaced, and all data stays", {
  timeout: 120_000,
}, async () => {
  const home = openHome();
  home.hasDatabase();
  await connect(home, "jira");
  const first = home.record();
  const other = { KAY_CLIENT_KYG_ID: "mine" };
  expect(await connections(home, other)).toMatchObject(CONNECTED);
  const second = home.record();
  expect([second?.pid === first?.pid, await isRunning(first?.pid ?? 0)]).toEqual([false, false]);
  expect(await connections(home, other)).toMatchObject(CONNECTED);
  expect(home.record()).toEqual(second);

  writeFileSync(join(home.state, "backend.json"), JSON.stringify({ ...second, version: "0.0.1", fingerprint: "old" }));
  expect(await connections(home, other)).toMatchObject(CONNECTED);
  expect([home.record()?.pid === second?.pid, await isRunning(second?.pid ?? 0)]).toEqual([false, false]);
});

test("an idle backend ends itself, with its Postgres and its record", {
  timeout: 90_000,
}, async () => {
  const home = openHome({ KAY_IDLE_LIMIT_MS: "1500" });
  home.hasDatabase();
  const { exit } = await home.run(["connect", "jira", "--no-wait", "--json"], { limitMs: 60_000 });
  expect(exit).toBe(0);
  const { pid = 0 } = home.record() ?? {};
  await until(async () => !(await isRunning(pid)), "it runs on");
  expect(existsSync(join(home.state, "backend.json"))).toBe(false);
  expect(readPostmasterPid(home.postgres())).toBe(undefined);
  expect(readFileSync(join(home.state, "backend.log"), "utf8")).toMatch(/"stopping"/);
});

test("a backend that cannot start says why in one sentence, with its log file", { timeout: 60_000 }, async () => {
  const home = openHome({ DATABASE_URL: "postgres://kay@127.0.0.1:1/kay" });
  const { exit, stdout, stderr } = await home.run(["connect", "jira"], { limitMs: 60_000 });
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(stderr).toMatch(
    /^Starting a local backend.*\n✗ Could not start the local backend: .*\n {2}(.*\. )?Its log: .*backend\.log\n$/,
  );
});

test("a data folder that cannot be created is reported in one sentence", { timeout: 60_000 }, async () => {
  const home = openHome();
  writeFileSync(join(home.folder, "file"), "");
  const { exit, stderr } = await home.run(["connect", "jira"], { env: { XDG_DATA_HOME: join(home.folder, "file") } });
  expect(exit).toBe(1);
  expect(stderr).toMatch(/\n✗ Could not start the local backend: Could not create the data folder .* \(ENOTDIR\)\.\n/);
});

test("a state folder that cannot be created is reported in one sentence, with what to set", async () => {
  const home = openHome();
  writeFileSync(join(home.folder, "file"), "");
  const { exit, stdout, stderr } = await home.run(["connect", "jira"], {
    env: { XDG_STATE_HOME: join(home.folder, "file") },
  });
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(stderr).toBe(
    `Starting a local backend (stops after 30 minutes of inactivity).
✗ Could not write ${home.folder}/file/kay/backend.log (ENOTDIR).
  Set XDG_STATE_HOME to a writable folder.
`,
  );
});

/** Address of the local backend's sandbox, from the link to its consent page. */
async function findSandbox(home: Home): Promise<string> {
  const begun = await home.run(["connect", "jira", "--no-wait", "--json", "--profile", "other"]);
  return new URL(JSON.parse(begun.stdout).authorization_url).origin;
}

/** Number of unused faults of the sandbox. */
async function countFaults(sandbox: string): Promise<number> {
  const { faults } = (await (await fetch(`${sandbox}/_sandbox/faults`)).json()) as { faults: unknown[] };
  return faults.length;
}
