import { createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createSend } from "#net/send";
import { realClock } from "#test/client-clock";

/** Starts a server that answers every request with these bytes and, without `linger`, ends the connection. */
async function serveBytes(bytes: string, linger = false): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", () => (linger ? socket.write(bytes) : socket.end(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function outcome(url: string): Promise<unknown> {
  const send = createSend({ builtin: process.getBuiltinModule, env: {}, clock: realClock });
  return send({ method: "GET", url, timeoutMs: 5_000 }).then(
    ({ status, body }) => ({ status, body }),
    ({ code, message }) => ({ code, message: message.replace(url, "BACKEND") }),
  );
}

test.for([[true], [false]])("an answer that changes the protocol ends the exchange at once", async ([linger]) => {
  const url = await serveBytes(
    "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
    linger,
  );
  expect(await outcome(url)).toEqual({
    code: "BAD_ANSWER",
    message: "BACKEND answered 101 and switched to a protocol other than HTTP.",
  });
});

test.for([
  ["nothing", ""],
  ["half a status line", "HTTP/1.1 2"],
  ["half a header", "HTTP/1.1 200 OK\r\nContent-"],
  ["an interim answer only", "HTTP/1.1 103 Early Hints\r\n\r\n"],
  ["half a body", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"],
  ["half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{"],
])("a connection that ends after %s broke off", async ([, bytes = ""]) => {
  expect(await outcome(await serveBytes(bytes))).toEqual({
    code: "UNREACHABLE",
    message: "The connection to BACKEND broke before the response was complete (ECONNRESET).",
  });
});

test("interim answers before the answer are ignored", async () => {
  const url = await serveBytes("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
  expect(await outcome(url)).toEqual({ status: 200, body: "{}" });
});
