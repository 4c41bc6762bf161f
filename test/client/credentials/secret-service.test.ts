import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseBusAddress } from "#client/credentials/dbus";
import { probeSecretService } from "#client/credentials/secret-service";
import { realClock } from "#test/client-clock";
import { temporaryFolder } from "#test/credentials";

/** A bus that handles each connection like this; `path` begins with a zero byte for an abstract socket. */
async function busAt(path: string, serve: (socket: Socket) => void): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}

const impatient = { ...realClock, sleep: (_ms: number, signal?: AbortSignal) => realClock.sleep(150, signal) };
const look = (address: string | undefined, clock = realClock) =>
  probeSecretService({ env: { DBUS_SESSION_BUS_ADDRESS: address }, uid: 1000, clock });

test("the socket of a bus address is found among others, unescaped", () => {
  expect(parseBusAddress("unix:path=/run/user/1000/bus,guid=1234")).toBe("/run/user/1000/bus");
  expect(parseBusAddress("tcp:host=localhost,port=1;unix:abstract=/tmp/dbus%2dx")).toBe("\0/tmp/dbus-x");
  expect(parseBusAddress("unixexec:path=ssh")).toBe(null);
});

test("no-bus: no address, another kind of address, or nothing there", async () => {
  expect(await look(undefined)).toEqual({ state: "no-bus", detail: "DBUS_SESSION_BUS_ADDRESS is not set" });
  expect(await look("tcp:host=localhost,port=9")).toEqual({
    state: "no-bus",
    detail: "its address is not a unix socket",
  });
  const path = join(temporaryFolder(), "bus");
  expect(await look(`unix:path=${path}`)).toEqual({ state: "no-bus", detail: `nothing at ${path}` });
});

test("without an address, the bus of XDG_RUNTIME_DIR is used", async () => {
  const folder = temporaryFolder();
  const session = { env: { XDG_RUNTIME_DIR: folder }, uid: 1000, clock: realClock };
  expect(await probeSecretService(session)).toEqual({ state: "no-bus", detail: `nothing at ${join(folder, "bus")}` });
});

test("refused: the bus rejects this user, or closes the connection", async () => {
  const folder = temporaryFolder();
  const [rejecting, closing] = [join(folder, "rejecting"), join(folder, "closing")];
  await busAt(rejecting, (socket) => socket.once("data", () => socket.write("REJECTED EXTERNAL\r\n")));
  await busAt(closing, (socket) => socket.destroy());
  expect(await look(`unix:path=${rejecting}`)).toEqual({
    state: "refused",
    detail: `authentication rejected at ${rejecting}`,
  });
  expect((await look(`unix:path=${closing}`)).state).toBe("refused");
});

test.runIf(process.platform === "linux")("refused: nobody listens at an abstract address", async () => {
  expect(await look("unix:abstract=/tmp/kay-nobody")).toEqual({
    state: "refused",
    detail: "ECONNREFUSED at @/tmp/kay-nobody",
  });
});

test("mute: the bus accepts the connection and never answers, before or after the sign-in", async () => {
  const folder = temporaryFolder();
  const [silent, half] = [join(folder, "silent"), join(folder, "half")];
  await busAt(silent, () => {});
  await busAt(half, (socket) => socket.once("data", () => socket.write("OK 1234\r\n")));
  expect(await look(`unix:path=${silent}`, impatient)).toEqual({ state: "mute", detail: silent });
  expect(await look(`unix:path=${half}`, impatient)).toEqual({ state: "mute", detail: half });
});

test.runIf(process.platform === "linux")(
  "an abstract socket works like any other, and signs in with the user's number",
  async () => {
    let input = "";
    await busAt(`\0kay-test-${process.pid}`, (socket) =>
      socket.once("data", (bytes) => {
        input = bytes.toString("latin1");
        socket.write("REJECTED\r\n");
      }),
    );
    expect((await look(`unix:abstract=kay-test-${process.pid}`)).state).toBe("refused");
    expect(input).toBe(`\0AUTH EXTERNAL ${Buffer.from("1000").toString("hex")}\r\n`);
  },
);

test("an endless or garbled answer ends the check", async () => {
  const folder = temporaryFolder();
  const [endless, garbled] = [join(folder, "endless"), join(folder, "garbled")];
  await busAt(endless, (socket) => socket.write("x".repeat(10_000)));
  await busAt(garbled, (socket) => {
    socket.once("data", () => {
      socket.write("OK 1234\r\n");
      socket.once("data", () => socket.write(Buffer.alloc(64, 0xff)));
    });
  });
  expect((await look(`unix:path=${endless}`)).state).toBe("refused");
  expect((await look(`unix:path=${garbled}`)).state).toBe("refused");
});
