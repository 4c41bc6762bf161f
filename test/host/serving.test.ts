import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchBackendStatus } from "#client/embedded/status";
import type { RunningHost } from "#host/ports";
import { startServing } from "#host/run";
import type { Send } from "#net/ports";
import { StatusResponse } from "#protocol/status";
import { createLog } from "#telemetry/log";
import { type TestDatabase, testDatabase } from "#test/database";
import { thisMachine } from "#test/machine";
import { formatUrl } from "#test/served";

const PASSWORD = "pass-word-0123456789";
const TOKEN = "metrics-token-0123456789";
const processes = { pid: process.pid, getStartTime: async () => "then" };
const lines: string[] = [];
let folder: string;
let database: TestDatabase;
let host: RunningHost;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kay-serving-"));
  database = await testDatabase();
  const url = new URL(formatUrl(database.config));
  if (!url.password) url.password = PASSWORD;
  host = await startServing(
    { host: "127.0.0.1", port: 0, sandbox: true, dataFolder: folder, databaseUrl: url.href, metricsPort: 0 },
    {
      version: "1.2.3",
      env: { KAY_METRICS_TOKEN: TOKEN },
      setting: () => undefined,
      model: () => ({ model: "offline", env: {} }),
      machine: thisMachine(folder),
      clock: Date,
      random: randomBytes,
      log: createLog((line) => void lines.push(line), { level: "debug", clock: Date }),
      processes,
      state: folder,
    },
  );
});
afterAll(async () => {
  await host.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const send: Send = async ({ url, method, headers }) => {
  const response = await fetch(url, { method, ...(headers ? { headers } : {}) });
  return { status: response.status, headers: {}, body: await response.text() };
};
const get = (path: string, headers: Record<string, string> = {}) => fetch(host.url + path, { headers });

test("the user who started it sees everything through the record, which only that user can read", async () => {
  const [record = ""] = (await readdir(folder)).filter((name) => name.startsWith("serve-"));
  expect((await stat(join(folder, record))).mode & 0o777).toBe(0o600);
  const status = await fetchBackendStatus({ folder, processes, send, token: undefined }, host.url);
  expect(StatusResponse.safeParse(status).success).toBe(true);
  expect(status).toMatchObject({
    status: "ok",
    version: "1.2.3",
    url: host.url,
    sandbox: true,
    model: "offline",
    node: host.node,
    nodes: 1,
    generations: {},
    here: { working: 0, followers: 0 },
    database: { status: "ok", place: expect.not.stringContaining(PASSWORD) },
  });
});

test("strangers find neither status nor metrics, even from this machine", async () => {
  for (const path of ["/status", "/metrics"]) {
    expect((await get(path)).status).toBe(404);
    expect((await get(path, { "kay-local-secret": "x" })).status).toBe(404);
    expect(await (await get(path, { authorization: "Bearer wrong" })).json()).toMatchObject({ code: "TOKEN_INVALID" });
  }
  const status = await fetchBackendStatus(
    { folder: join(folder, "other"), processes, send, token: undefined },
    host.url,
  );
  expect(status).toEqual({ name: "kay", version: "1.2.3", sandbox: true, status: "ok", url: host.url });
});

test("the token opens both", async () => {
  const key = { authorization: `Bearer ${TOKEN}` };
  expect(await (await get("/metrics", key)).text()).toContain('kay_info{version="1.2.3"} 1');
  const status = await fetchBackendStatus({ folder: join(folder, "other"), processes, send, token: TOKEN }, host.url);
  expect(status.node).toBe(host.node);
});

test("none of its keys is in the log", async () => {
  const [record = ""] = (await readdir(folder)).filter((name) => name.startsWith("serve-"));
  const { secret } = JSON.parse(await readFile(join(folder, record), "utf8"));
  for (const word of [secret, TOKEN, PASSWORD]) expect(lines.join("")).not.toContain(word);
});
