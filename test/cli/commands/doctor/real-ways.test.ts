import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "#backend/http/listen";
import { streamBeats } from "#backend/routes/about";
import { createSystemKeychain } from "#client/credentials/system-keychain";
import { createOpenStream } from "#net/open-stream";
import { probeRoute } from "#net/probe/probe";
import { createSend, createTransport } from "#net/send";
import { realClock } from "#test/client-clock";
import { temporaryFolder } from "#test/credentials";
import { readChecks } from "#test/doctor";
import { type Machine, type MachineOptions, useKay } from "#test/kay";

const kay = useKay();

/** A machine with real network access: sockets on 127.0.0.1 and real time. */
function real(env: Record<string, string>, world: MachineOptions["world"] = {}): Machine {
  const ways = { builtin: process.getBuiltinModule, env, clock: realClock };
  return kay({
    env: { BROWSER: "none", ...env },
    world: {
      clock: realClock,
      send: createSend(ways),
      openStream: createOpenStream({ transport: createTransport(ways), clock: realClock }),
      ...world,
      machine: { walk: (address, signal) => probeRoute(address, { ...ways, signal }) },
    },
  });
}

/** A buffering proxy in front of a backend. */
async function startBufferingProxy(target: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${target}${request.url}`);
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a buffering proxy is detected with a stream of the real backend, and another one passes", async () => {
  const { place } = kay();
  // Time stands still at the backend of a test, but beats tell it.
  const answer = (request: Request) =>
    new URL(request.url).pathname === "/health/stream" ? streamBeats(realClock) : place.backend.fetch(request);
  const listener = await listen(answer, { host: "127.0.0.1", port: 0 });
  onTestFinished(listener.close);
  expect(readChecks(await real({ KAY_API_URL: listener.url })("doctor --json"))).toMatchObject({
    "network.connect": expect.stringMatching(/^ok: Port \d+: IPv4 in \d+ ms\.$/),
    stream: "ok: 3 events arrived as they were sent.",
  });
  const proxy = await startBufferingProxy(listener.url);
  expect(readChecks(await real({ KAY_API_URL: proxy })("doctor --json"))).toMatchObject({
    "network.http": expect.stringMatching(/^ok/),
    stream: expect.stringMatching(/^failed: An event stream arrives all at once/),
  });
});

test("a silent D-Bus is reported within its time, and so is everything else", async () => {
  const path = join(temporaryFolder(), "bus");
  const bus = createSocketServer((socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => bus.listen(path, resolve));
  onTestFinished(() => void bus.close());
  const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}`, KAY_API_URL: "http://127.0.0.1:1" };
  const keychain = createSystemKeychain({
    platform: "linux",
    env,
    uid: 0,
    execPath: process.execPath,
    clock: realClock,
  });
  const began = Date.now();
  const checks = readChecks(await real(env, { keychain })("doctor --json"));
  expect(Date.now() - began).toBeLessThan(10_000);
  expect(checks).toMatchObject({
    keychain: expect.stringMatching(
      /^warning: The D-Bus session bus does not respond, so the keychain cannot be reached/,
    ),
    "network.connect":
      "failed: Could not connect to port 1 of 127.0.0.1 (127.0.0.1: ECONNREFUSED). → Nothing is listening. Check the port and that the server is running.",
    "network.http": "skipped: Not reached.",
    backend: "skipped: Not reached.",
  });
});
