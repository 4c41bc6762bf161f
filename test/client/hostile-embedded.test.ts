import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type EmbeddedBackend, type EmbeddedPorts, openEmbeddedBackend, stopEmbedded } from "#client/embedded/embedded";
import { withEmbeddedReconnect } from "#client/embedded/reconnect";
import type { Outgoing, Send } from "#net/ports";
import { Problem } from "#protocol/errors";
import { fakeClock } from "#test/client-clock";
import { folderWith, settingsIn } from "#test/settings";

const OLD = { url: "http://127.0.0.1:7", secret: "old" };
const NEW = { url: "http://127.0.0.1:8", secret: "new" };

/** A network on which only these backends answer. */
function network(...alive: EmbeddedBackend[]) {
  const sent: string[] = [];
  const send: Send = async ({ method, url, headers }: Outgoing) => {
    sent.push(`${method} ${url} ${headers?.["Kay-Local-Secret"]}`);
    if (alive.some((one) => url.startsWith(one.url))) return { status: 200, headers: {}, body: "" };
    throw new Problem("UNREACHABLE", "Cannot reach it.", { details: { sent: false, errno: "ECONNREFUSED" } });
  };
  return { sent, send };
}

const ask: Outgoing = {
  method: "POST",
  url: `${OLD.url}/ask?a=1`,
  headers: { "Kay-Local-Secret": "old" },
  timeoutMs: 1,
};

test("a request that found kay's own backend gone goes once to the one that runs now, and those after it too", async () => {
  const { sent, send } = network(NEW);
  let adoptions = 0;
  const out = withEmbeddedReconnect(OLD, async () => {
    adoptions++;
    return NEW;
  })(send);
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
  const out = withEmbeddedReconnect(OLD, async () => expect.fail("nothing is to be adopted"))(async () =>
    Promise.reject(lost),
  );
  await expect(out(ask)).rejects.toBe(lost);
});

test("a request that the new one does not take either fails as the second did", async () => {
  const { sent, send } = network();
  await expect(withEmbeddedReconnect(OLD, async () => NEW)(send)(ask)).rejects.toMatchObject({ code: "UNREACHABLE" });
  expect(sent.length).toBe(2);
});

/** A machine that does not tell when a process started, with a record of process 7, whose number is in use. */
async function timeless(alive: EmbeddedBackend[]) {
  const folder = await mkdtemp(join(tmpdir(), "kay-embedded-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const record = join(folder, "backend.json");
  const write = (pid: number, at: EmbeddedBackend) =>
    writeFile(record, JSON.stringify({ pid, started: "", ...at, version: "1", fingerprint: "other" }));
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
      return { ended: () => new Promise(() => {}) };
    },
  };
  return { ports, record, sent };
}

test("a record whose number belongs to another program, on a system that does not tell, is not taken for a backend", async () => {
  const { ports, record, sent } = await timeless([NEW]);
  expect(await openEmbeddedBackend(ports)).toMatchObject(NEW);
  expect(JSON.parse(await readFile(record, "utf8"))).toMatchObject({ pid: 8 });
  expect(sent).toEqual(["GET http://127.0.0.1:7/health undefined"]);
});

test("nobody is told to end a program that only has the number of a backend", async () => {
  const { ports, record } = await timeless([]);
  expect(await stopEmbedded(ports)).toBe("not running");
  expect(existsSync(record)).toBe(false);
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
