import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { computeFingerprint, type EmbeddedPorts, openEmbeddedBackend, stopEmbedded } from "#client/embedded/embedded";
import type { Incoming, Outgoing } from "#net/ports";
import { Problem } from "#protocol/errors";
import { fakeClock } from "#test/client-clock";
import { answerProofs } from "#test/own-backend";

const STARTING = "Starting a local backend (stops after 30 minutes of inactivity).";

type Shaped = { build?: string; env?: Record<string, string> };

/** A machine with processes, a record and a log, on which a backend may run. */
async function machine(changes: Partial<EmbeddedPorts> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "kay-embedded-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const running = new Map<number, string>();
  const notes: string[] = [];
  const spawned: string[] = [];
  const requests: Outgoing[] = [];
  const world = {
    folder,
    running,
    notes,
    spawned,
    sent: requests,
    /** Runs in place of a started backend: returns its exit code, or never ends. */
    onSpawn: async (_log: string): Promise<number | null> => new Promise(() => {}),
    answerToStop: (): Incoming => ({ status: 202, headers: {}, body: "" }),
    /** The backend of process 7 runs, with these settings. */
    async runs(pid: number, shaped: Shaped = {}) {
      running.set(pid, `start of ${pid}`);
      const secret = `secret of ${pid}`;
      const mark = computeFingerprint(secret, shaped.build ?? "build 1", shaped.env ?? {}, {});
      const record = {
        pid,
        started: `start of ${pid}`,
        url: `http://127.0.0.1:${pid}`,
        secret,
        version: "1",
        fingerprint: mark,
      };
      await writeFile(join(folder, "backend.json"), JSON.stringify(record));
    },
  };
  const ports: EmbeddedPorts = {
    folder,
    build: "build 1",
    env: {},
    shaping: {},
    clock: fakeClock({ jump: () => true }),
    signal: new AbortController().signal,
    processes: { pid: 1, getStartTime: async (pid) => running.get(pid) ?? null },
    send: answerProofs(
      async (request) => {
        requests.push(request);
        return world.answerToStop();
      },
      (url) => `secret of ${new URL(url).port}`,
    ),
    note: (text) => notes.push(text),
    spawn: (log) => {
      spawned.push(log);
      const ended = world.onSpawn(log);
      return { waitForExit: () => ended };
    },
    ...changes,
  };
  return { world, folder, running, notes, spawned, sent: requests, ports };
}

test("a running backend with the same build and settings is used, and nothing is started", async () => {
  const { ports, world, notes, spawned } = await machine();
  await world.runs(7);
  expect(await openEmbeddedBackend(ports)).toMatchObject({ url: "http://127.0.0.1:7", secret: "secret of 7" });
  expect([notes, spawned]).toEqual([[], []]);
});

test.for([
  "its process is gone",
  "its number belongs to another process now",
  "it is damaged",
  "there is none",
  "it leads to another machine",
])("a backend is started if the record names none: %s", async (reason) => {
  const { ports, world, folder, running, notes, spawned } = await machine();
  if (reason !== "there is none") await world.runs(7);
  if (reason === "its process is gone") running.delete(7);
  if (reason.startsWith("its number")) running.set(7, "another start");
  if (reason === "it is damaged") await writeFile(join(folder, "backend.json"), '{"pid": 7, "url"');
  if (reason.startsWith("it leads")) {
    const record = await readFile(join(folder, "backend.json"), "utf8");
    await writeFile(join(folder, "backend.json"), record.replace("127.0.0.1:7", "198.51.100.7:7"));
  }
  world.onSpawn = async () => world.runs(8).then(() => new Promise(() => {}));
  expect(await openEmbeddedBackend(ports)).toMatchObject({ url: "http://127.0.0.1:8" });
  expect([notes, spawned]).toEqual([[STARTING], [join(folder, "backend.log")]]);
});

test.for<[Shaped, Partial<EmbeddedPorts>]>([
  [{ build: "build 2" }, {}],
  [{ env: { OPENAI_API_KEY: "other" } }, {}],
  [{}, { env: { KAY_CLIENT_ATLASSIAN_ID: "mine" } }],
  [{}, { shaping: { "atlassian.client-id": "mine" } }],
])("a backend with another build or other settings is stopped first: %j, now %j", async ([then, now]) => {
  const { ports, world, running, notes, sent } = await machine(now);
  await world.runs(7, then);
  world.answerToStop = () => {
    running.delete(7);
    return { status: 202, headers: {}, body: "" };
  };
  world.onSpawn = async () => world.runs(8).then(() => new Promise(() => {}));
  expect(await openEmbeddedBackend(ports)).toMatchObject({ url: "http://127.0.0.1:8" });
  expect(notes).toEqual([STARTING]);
  expect(sent).toEqual([
    {
      method: "POST",
      url: "http://127.0.0.1:7/local/stop",
      headers: { "Kay-Local-Secret": "secret of 7" },
      timeoutMs: expect.any(Number),
    },
  ]);
});

test("settings that do not affect a backend leave the running one alone", async () => {
  const { ports, world, spawned } = await machine({ env: { PATH: "/elsewhere", KAY_PROFILE: "work", NO_COLOR: "1" } });
  await world.runs(7);
  expect(await openEmbeddedBackend(ports)).toMatchObject({ url: "http://127.0.0.1:7" });
  expect(spawned).toEqual([]);
});

test("N36 a busy backend is used as it is, and a note names the command that applies the new settings", async () => {
  const { ports, world, notes, spawned } = await machine();
  await world.runs(7, { build: "build 2" });
  world.answerToStop = () => ({ status: 409, headers: {}, body: "" });
  expect(await openEmbeddedBackend(ports)).toMatchObject({ url: "http://127.0.0.1:7" });
  expect(notes).toEqual([
    "The local backend is running with older settings. New settings apply after `kay serve --stop`.",
  ]);
  expect(spawned).toEqual([]);
});

test("a backend that does not stop is named by its process", async () => {
  const { ports, world } = await machine();
  await world.runs(7, { build: "build 2" });
  await expect(openEmbeddedBackend(ports)).rejects.toMatchObject({
    code: "BACKEND_START_FAILED",
    message: "The local backend (PID 7) did not stop.",
    hint: "End process 7 and try again.",
  });
});

test("a failed start reports the last error of its log, and no older one", async () => {
  const { ports, world, folder } = await machine();
  const log = join(folder, "backend.log");
  await writeFile(log, `${JSON.stringify({ level: "error", message: "Yesterday's fault." })}\n`);
  const describeFailure = (output: string) => ({
    code: "BACKEND_START_FAILED",
    message: `Could not start the local backend${output}.`,
    hint: `Its log: ${log}`,
  });
  world.onSpawn = async () => 1;
  await expect(openEmbeddedBackend(ports)).rejects.toMatchObject(describeFailure(""));
  const lines = [
    { level: "info", event: "x" },
    { level: "error", event: "start_failed", message: "No \u001b[31mPostgres here.", hint: "Install\none." },
  ];
  world.onSpawn = async () => {
    await appendFile(log, `${lines.map((line) => JSON.stringify(line)).join("\n")}\nTrace: not of the log\n`);
    return 1;
  };
  await expect(openEmbeddedBackend(ports)).rejects.toMatchObject({
    message: expect.stringMatching(/^Could not start the local backend: No .*Postgres here\.$/),
    hint: `Install one. Its log: ${log}`,
  });
});

test("a start that another one overtook uses that backend", async () => {
  const { ports, world } = await machine();
  world.onSpawn = async () => {
    await world.runs(9);
    return 0;
  };
  expect(await openEmbeddedBackend(ports)).toMatchObject({ url: "http://127.0.0.1:9" });
});

test("a start that never finishes is given up after a minute", async () => {
  const { ports } = await machine();
  const begun = ports.clock.now();
  await expect(openEmbeddedBackend(ports)).rejects.toMatchObject({ code: "BACKEND_START_FAILED" });
  expect(ports.clock.now() - begun).toBe(60_000);
});

test("Ctrl+C ends the wait for a start", async () => {
  const ending = new AbortController();
  const { ports } = await machine({
    signal: ending.signal,
    clock: { now: () => 0, sleep: async (_, signal) => signal?.throwIfAborted() },
    spawn: () => {
      ending.abort("SIGINT");
      return { waitForExit: () => new Promise(() => {}) };
    },
  });
  await expect(openEmbeddedBackend(ports)).rejects.toBe("SIGINT");
});

test("stopEmbedded reports whether there was a backend, and whether it was busy", async () => {
  const { ports, world, running } = await machine();
  expect(await stopEmbedded(ports)).toBe("not running");
  await world.runs(7);
  world.answerToStop = () => ({ status: 409, headers: {}, body: "" });
  expect(await stopEmbedded(ports)).toBe("busy");
  world.answerToStop = () => {
    running.delete(7);
    return { status: 202, headers: {}, body: "" };
  };
  expect(await stopEmbedded(ports)).toBe("stopped");
});

test.each([
  ["ends on SIGTERM", "SIGTERM", ["7 SIGTERM"]],
  ["ends only on SIGKILL", "SIGKILL", ["7 SIGTERM", "7 SIGKILL"]],
])(
  "a backend that runs but does not answer, and %s, is named and can be stopped with force",
  async (_, last, ended) => {
    const silent = new Problem("UNREACHABLE", "Cannot reach it.", { details: { sent: false, errno: "ECONNREFUSED" } });
    const { ports, world, running } = await machine({ send: () => Promise.reject(silent) });
    await world.runs(7);
    const expected = {
      code: "UNREACHABLE",
      message: "The local backend (PID 7) is running but does not answer at http://127.0.0.1:7 (ECONNREFUSED).",
      hint: expect.stringContaining("`kay serve --stop --force`"),
    };
    await expect(openEmbeddedBackend(ports)).rejects.toMatchObject(expected);
    await expect(stopEmbedded(ports)).rejects.toMatchObject(expected);
    const signals: string[] = [];
    const end = (pid: number, signal: string) => {
      signals.push(`${pid} ${signal}`);
      if (signal === last) running.delete(pid);
    };
    expect(await stopEmbedded(ports, { force: true, end })).toBe("stopped");
    expect(signals).toEqual(ended);
  },
);

test("the fingerprint reveals the set keys only with the secret", () => {
  const env = { OPENAI_API_KEY: "sk-1" };
  expect(computeFingerprint("a", "1", env, {})).toMatch(/^[0-9a-f]{64}$/);
  expect(computeFingerprint("a", "1", env, {})).toBe(computeFingerprint("a", "1", { ...env, PATH: "x" }, {}));
  expect(computeFingerprint("a", "1", env, {})).not.toBe(computeFingerprint("b", "1", env, {}));
});
