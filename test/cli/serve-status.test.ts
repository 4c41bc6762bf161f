import { expect, test } from "vitest";
import { showBackendStatus } from "#cli/commands/serve/status";
import type { Kay } from "#cli/kay";
import { useKay } from "#test/kay";

const kay = useKay();

test("a backend that strangers ask says only where it is and that it works", async () => {
  expect(await kay()("serve --status")).toEqual({
    exit: 0,
    stdout: "backend     http://127.0.0.1:4000 (kay 0.0.0-test, sandbox)\n",
    stderr: "",
  });
});

test("if the local backend is not running, that is reported with exit code 6, and none is started", async () => {
  const ann = kay({ own: true });
  expect(await ann("serve --status")).toEqual({
    exit: 6,
    stdout: "",
    stderr: "✗ The local backend is not running.\n  Start one with `kay serve`, or specify another with --port.\n",
  });
  expect(ann.starts()).toBe(0);
});

test("all known facts are shown, one per line; an unavailable database is an error after them", async () => {
  const lines: string[] = [];
  const status = {
    status: "degraded",
    version: "1.2.3",
    url: "http://127.0.0.1:4000",
    sandbox: true,
    public_url: "https://kay.example.test",
    pid: 7,
    uptime: 90_061,
    model: "openai:gpt-5",
    database: { status: "away", place: "db:5432/kay", connections: { open: 3, idle: 1, waiting: 2 } },
    node: 4,
    nodes: 2,
    generations: { running: 1, awaiting_auth: 2 },
    here: { working: 1, followers: 5 },
    memory: { rss: 104_857_600, heap_used: 52_428_800 },
  } as const;
  const fake = {
    backendStatus: async () => status,
    flags: {},
    out: { writeLine: (line: string) => void lines.push(line) },
  };
  await expect(showBackendStatus(fake as unknown as Kay, undefined)).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
    exit: 6,
  });
  expect(lines).toEqual([
    "backend     http://127.0.0.1:4000 (kay 1.2.3, process 7, sandbox)",
    "public      https://kay.example.test",
    "up          1 d 1 h",
    "model       openai:gpt-5",
    "database    away, connections: 3 open, 1 idle, 2 waiting",
    "node        number 4; alive: 2",
    "generations 1 running, 2 awaiting auth",
    "here        1 running, 5 followed",
    "memory      100 MiB, 50 MiB of it used by JavaScript",
  ]);
});
