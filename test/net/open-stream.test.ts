import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createApi } from "#client/api/api";
import { createOpenStream } from "#net/open-stream";
import type { OutgoingStream, Timer } from "#net/ports";
import { createSend, createTransport } from "#net/send";
import { selfSigned } from "#test/certificate";
import { catchProblem } from "#test/client-api";
import { realClock } from "#test/client-clock";
import { collectParts, frames } from "#test/stream-world";

type Handle = (response: ServerResponse, request: IncomingMessage) => void;

/** A server on a socket, with or without TLS, and its number of connections. */
async function startServer(handle: Handle, tls?: { key: string; cert: string }) {
  const listener = (request: IncomingMessage, response: ServerResponse) => handle(response, request);
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  return { url: `${tls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`, connections };
}

/** A clock that only the test moves. */
function manualClock() {
  let now = 0;
  const waits = new Set<{ ends: number; wake(): void }>();
  const clock: Timer = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const wait = { ends: now + ms, wake: resolve };
        waits.add(wait);
        signal?.addEventListener("abort", () => {
          waits.delete(wait);
          resolve();
        });
      }),
  };
  const advance = (ms: number) => {
    now += ms;
    for (const wait of [...waits]) {
      if (wait.ends > now) continue;
      waits.delete(wait);
      wait.wake();
    }
    return new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { clock, advance, waits };
}

const ways = (clock: Timer, env = {}) => ({ builtin: process.getBuiltinModule, env, clock });

function open(url: string, clock: Timer = realClock, more: Partial<OutgoingStream> = {}, env = {}) {
  const openStream = createOpenStream({ transport: createTransport(ways(clock, env)), clock });
  return openStream({ method: "GET", url, headTimeoutMs: 30_000, idleTimeoutMs: 120_000, ...more });
}

/** Both transports: plain HTTP, and TLS with an authority from a file. */
async function bothWays() {
  const tls = selfSigned();
  const { mkdtempSync, rmSync, writeFileSync } = await import("node:fs");
  const { join } = await import("node:path");
  const { tmpdir } = await import("node:os");
  const folder = mkdtempSync(join(tmpdir(), "kay-ca-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "ca.pem"), tls.cert);
  return [
    { tls: undefined, env: {} },
    { tls, env: { KAY_CA_FILE: join(folder, "ca.pem") } },
  ];
}

test("the head arrives at once and the body as it is written, both ways, and the connection closes at the end", async () => {
  for (const { tls, env } of await bothWays()) {
    let write: ServerResponse | undefined;
    const { url, connections } = await startServer((response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Kay-Session-Id": "session_1" }).flushHeaders();
      write = response;
    }, tls);
    const { status, headers, body } = await open(url, realClock, {}, env);
    expect([status, headers["kay-session-id"]]).toEqual([200, "session_1"]);
    const chunks: string[] = [];
    write?.write("a");
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk).toString());
      if (chunks.length < 3) write?.write("bc"[chunks.length - 1]);
      else write?.end();
    }
    expect(chunks).toEqual(["a", "b", "c"]);
    await expect.poll(connections).toBe(0);
  }
});

test("leaving the loop, closing, or aborting ends the connection, both ways", async () => {
  for (const { tls, env } of await bothWays()) {
    const { url, connections } = await startServer((response) => void response.writeHead(200).write("a"), tls);
    for await (const _ of (await open(url, realClock, {}, env)).body) break;
    (await open(url, realClock, {}, env)).close();
    const abort = new AbortController();
    const { body } = await open(url, realClock, { signal: abort.signal }, env);
    const reading = (async () => {
      for await (const _ of body) abort.abort();
    })();
    expect(await catchProblem(reading)).toMatchObject({ code: "CANCELLED", details: { sent: true } });
    await expect.poll(connections).toBe(0);
  }
});

test("a slow reader is not overrun: the sender waits, and nothing is lost", async () => {
  const size = 48 * 1024 * 1024;
  for (const { tls, env } of await bothWays()) {
    let waited = false;
    const { url } = await startServer((response) => {
      waited = !response.writeHead(200).write(Buffer.alloc(size));
      response.end();
    }, tls);
    let read = 0;
    let first = true;
    for await (const chunk of (await open(url, realClock, {}, env)).body) {
      if (first) await new Promise((resolve) => setTimeout(resolve, 50));
      first = false;
      read += chunk.length;
    }
    expect([read, waited]).toEqual([size, true]);
  }
});

test("a stream that breaks off ends with a Problem, both ways", async () => {
  for (const { tls, env } of await bothWays()) {
    const { url } = await startServer((response, request) => {
      response.writeHead(200).write("a");
      setTimeout(() => request.socket.destroy(), 20);
    }, tls);
    const { body } = await open(url, realClock, {}, env);
    const reading = (async () => {
      for await (const _ of body);
    })();
    expect(await catchProblem(reading)).toMatchObject({
      code: "UNREACHABLE",
      message: `The connection to ${url} broke before the response was complete (ECONNRESET).`,
      details: { sent: true },
    });
  }
});

test("a head that does not arrive ends at its limit", async () => {
  const { url } = await startServer(() => {});
  const { clock, advance, waits } = manualClock();
  const opening = catchProblem(open(url, clock, { headTimeoutMs: 600_000 }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await advance(30_000);
  await advance(569_999);
  expect(waits.size).toBe(1);
  await advance(1);
  expect(await opening).toMatchObject({
    code: "TIMED_OUT",
    message: `${url} did not answer within 600 s.`,
    details: { sent: true },
  });
  expect(waits.size).toBe(0);
});

test("H11 a stream without data for 120 s ends with the time of silence", async () => {
  const { url } = await startServer((response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(
      frames([
        { type: "start", messageMetadata: { session_id: "session_1" } },
        { type: "text-delta", id: "t", delta: "A" },
      ]),
    );
  });
  const { clock, advance, waits } = manualClock();
  const send = createSend(ways(clock));
  const openStream = createOpenStream({ transport: createTransport(ways(clock)), clock });
  const random = (bytes: number) => new Uint8Array(bytes);
  const api = createApi({ baseUrl: url, send, openStream, clock, random, version: "0", token: "T0" });
  const stream = await api.askStream({ prompt: "x" });
  if (stream.kind !== "stream") return expect.fail("it should be a stream");
  const all = collectParts(stream.parts);
  await advance(0);
  await advance(119_999);
  expect(waits.size).toBe(1);
  await advance(1);
  const { parts, error } = await all;
  expect(parts.length).toBe(2);
  expect(error).toMatchObject({
    code: "OUTCOME_UNKNOWN",
    message: `The answer broke off, so it is unknown how much was done. No data from ${url} for 120 s. The connection appears to be dead.`,
    hint: "The backend continues the work. Run `kay attach session_1` to follow it, or `kay sessions` to list all conversations.",
  });
  expect(waits.size).toBe(0);
});

test("H10 a stream with a sign of life every 15 s may last as long as it likes", async () => {
  let response: ServerResponse | undefined;
  const { url } = await startServer((answer) => {
    response = answer;
    answer.writeHead(200).write(": keepalive\n\n");
  });
  const { clock, advance } = manualClock();
  let chunks = 0;
  for await (const _ of (await open(url, clock)).body) {
    chunks += 1;
    setTimeout(async () => {
      await advance(15_000);
      if (chunks > 24) response?.end();
      else response?.write(": keepalive\n\n");
    }, 5);
  }
  expect([chunks, clock.now()]).toEqual([25, 375_000]);
});

test("H10 the reader's own processing time does not count as silence", async () => {
  const { url } = await startServer((response) => {
    response.writeHead(200).write("a");
    setTimeout(() => response.end("b"), 100);
  });
  const { clock, advance } = manualClock();
  const chunks: string[] = [];
  for await (const chunk of (await open(url, clock)).body) {
    chunks.push(Buffer.from(chunk).toString());
    await advance(119_000);
    await advance(600_000);
  }
  expect(chunks.join("")).toBe("ab");
});

test("a redirect is not followed, and its body is not waited for", async () => {
  const { url, connections } = await startServer((response) => {
    response.writeHead(307, { Location: "http://127.0.0.1:9/x" }).end();
  });
  const { status, close } = await open(url);
  close();
  expect(status).toBe(307);
  await expect.poll(connections).toBe(0);
});
