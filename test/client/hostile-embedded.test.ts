import { existsSync } from "node:fs";
import { chmod, chown, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  type EmbeddedBackend,
  type EmbeddedPorts,
  isStillRunning,
  openEmbeddedBackend,
  stopEmbedded,
} from "#client/embedded/embedded";
import { withEmbeddedReconnect } from "#client/embedded/reconnect";
import { computeProof } from "#client/embedded/record";
import type { Outgoing, Send } from "#net/ports";
import { Problem } from "#protocol/errors";
import { fakeClock } from "#test/client-clock";
import { folderWith, settingsIn } from "#test/settings";

const OLD: EmbeddedBackend = { url: "http://127.0.0.1:7", secret: "old", pid: 7, started: "" };
const NEW: EmbeddedBackend = { url: "http://127.0.0.1:8", secret: "new", pid: 8, started: "" };
const ALWAYS = async () => true;

/** A network on which only these backends answer. */
function network(...alive: EmbeddedBackend[]) {
  const requests: string[] = [];
  const send: Send = async ({ method, url, headers }: Outgoing) => {
    requests.push(`${method} ${url.replace(/challenge=.*/, "…")} ${headers?.["Kay-Local-Secret"]}`);
    const { searchParams } = new URL(url);
    const backend = alive.find((candidate) => url.startsWith(candidate.url));
    const body = backend ? computeProof(backend.secret, backend.url, searchParams.get("challenge") ?? "") : "";
    if (backend) return { status: 200, headers: {}, body };
    throw new Problem("UNREACHABLE", "Cannot reach it.", { details: { sent: false, errno: "ECONNREFUSED" } });
  };
  return { sent: requests, send };
}

const ask: Outgoing = {
  method: "POST",
  url: `${OLD.url}/ask?a=1`,
  headers: { "Kay-Local-Secret": "old" },
  timeoutMs: 1,
};

test("a request that found the local backend gone is sent once to the running one, and so are later ones", async () => {
  const { sent, send } = network(NEW);
  let adoptions = 0;
  const out = withEmbeddedReconnect(
    OLD,
    async () => {
      adoptions++;
      return NEW;
    },
    ALWAYS,
  )(send);
  await Promise.all([out(ask), out(ask)]);
  await out(ask);
  expect(adoptions).toBe(1);
  expect(sent.sort()).toEqual([
    "POST http://127.0.0.1:7/ask?a=1 old",
    "POST http://127.0.0.1:7/ask?a=1 old",
    "POST http://127.0.0.1:8/ask?a=1 new",
    "POST http://127.0.0.1:8/ask?a=1 new",
    "POST http://127.0.0.1:8/ask?a=1 new",
  ]);
});

test("a request whose answer was lost is not sent again", async () => {
  const lost = new Problem("UNREACHABLE", "It broke off.", { details: { sent: true } });
  const adopt = async () => expect.fail("nothing is to be adopted");
  const out = withEmbeddedReconnect(OLD, adopt, ALWAYS)(async () => Promise.reject(lost));
  await expect(out(ask)).rejects.toBe(lost);
});

test("a request that the new backend does not accept either fails like the second attempt", async () => {
  const { sent, send } = network();
  await expect(withEmbeddedReconnect(OLD, async () => NEW, ALWAYS)(send)(ask)).rejects.toMatchObject({
    code: "UNREACHABLE",
  });
  expect(sent.length).toBe(2);
});

/** Creates a machine that does not report process start times, with a record of process 7, whose number is in use. */
async function createTimeless(alive: EmbeddedBackend[]) {
  const folder = await mkdtemp(join(tmpdir(), "kay-embedded-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const record = join(folder, "backend.json");
  const write = (pid: number, backend: EmbeddedBackend) =>
    writeFile(record, JSON.stringify({ ...backend, pid, version: "1", fingerprint: "other" }));
  await write(7, OLD);
  const { sent, send } = network(...alive);
  const ports: EmbeddedPorts = {
    folder,
    build: "1",
    env: {},
    shaping: {},
    clock: fakeClock({ jump: () => true }),
    signal: new AbortController().signal,
    processes: { pid: 1, getStartTime: async () => "" },
    send,
    note: () => {},
    spawn: () => {
      void write(8, NEW);
      return { waitForExit: () => new Promise(() => {}) };
    },
  };
  return { ports, record, sent };
}

test("a record whose number belongs to another program, on a system that does not say, is not taken for a backend", async () => {
  const { ports, record, sent } = await createTimeless([NEW]);
  expect(await openEmbeddedBackend(ports)).toMatchObject(NEW);
  expect(JSON.parse(await readFile(record, "utf8"))).toMatchObject({ pid: 8 });
  const proofRequest = (port: number) => `GET http://127.0.0.1:${port}/local/proof?… undefined`;
  expect(sent).toEqual([proofRequest(7), proofRequest(8)]);
});

test("a program that only has the number of a backend is not told to end", async () => {
  const { ports, record } = await createTimeless([]);
  expect(await stopEmbedded(ports)).toBe("not running");
  expect(existsSync(record)).toBe(false);
});

test("a program that took the port of the local backend gets neither its secret nor a request", async () => {
  const { ports, record, sent } = await createTimeless([{ ...OLD, secret: "another" }, NEW]);
  expect(await openEmbeddedBackend(ports)).toMatchObject(NEW);
  expect(JSON.parse(await readFile(record, "utf8"))).toMatchObject({ pid: 8 });
  expect(sent.join(" ")).not.toMatch(/ (old|new|another)\b/);
});

test("a program that takes the port during a command gets no request", async () => {
  const { ports, sent } = await createTimeless([{ ...OLD, secret: "another" }, NEW]);
  const out = withEmbeddedReconnect(
    OLD,
    async () => NEW,
    (backend) => isStillRunning(ports, backend),
  );
  await out(ports.send)(ask);
  expect(sent).toEqual(["GET http://127.0.0.1:7/local/proof?… undefined", "POST http://127.0.0.1:8/ask?a=1 new"]);
});

test.runIf(process.getuid?.() === 0).for(["the record", "its folder"])(
  "F10 a record is ignored if another user owns %s",
  async (attack) => {
    const { ports, record } = await createTimeless([OLD]);
    const path = attack === "the record" ? record : ports.folder;
    await chown(path, 65534, 65534);
    const rootPorts: EmbeddedPorts = { ...ports, processes: { ...ports.processes, uid: 0 } };
    await expect(openEmbeddedBackend(rootPorts)).rejects.toMatchObject({
      code: "STORE_UNREADABLE",
      message: `Cannot use ${path}: it belongs to another user.`,
    });
  },
);

test.for(["the record", "its folder"])("F10 a record is ignored if others can write to %s", async (attack) => {
  const { ports, record } = await createTimeless([OLD, NEW]);
  const path = attack === "the record" ? record : ports.folder;
  await chmod(path, 0o777);
  const ownPorts: EmbeddedPorts = { ...ports, processes: { ...ports.processes, uid: process.getuid?.() } };
  expect(await openEmbeddedBackend(ownPorts)).toMatchObject(NEW);
  expect((await stat(ports.folder)).mode & 0o022).toBe(0);
});

test("F10 a record that is a link is ignored", async () => {
  const { ports, record } = await createTimeless([OLD]);
  await rename(record, `${record}.other`);
  await symlink(`${record}.other`, record);
  await expect(openEmbeddedBackend(ports)).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
});

test("settings that two commands set at once are both kept", async () => {
  const { path } = folderWith();
  await Promise.all([
    settingsIn(path).settings.set("model", "offline"),
    settingsIn(path).settings.set("credentials", "file"),
    settingsIn(path, { profile: "work" }).settings.set("browser", "none"),
  ]);
  const { settings } = settingsIn(path);
  const work = settingsIn(path, { profile: "work" }).settings;
  expect([settings.text("model"), settings.text("credentials"), work.text("browser")]).toEqual([
    "offline",
    "file",
    "none",
  ]);
});
