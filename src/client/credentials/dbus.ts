import { connect, type Socket } from "node:net";
import {
  type DbusCall,
  type DbusMessage,
  type DbusValue,
  decodeMessage,
  encodeCall,
  readMessageSize,
} from "./dbus-wire.ts";

/** A connection to a message bus. */
export type Bus = {
  /** Calls a method and returns the values of its answer. @throws BusError for an error answer */
  call(call: DbusCall): Promise<DbusValue[]>;
  close(): void;
};

/**
 * An error answer of the bus or a service, with its D-Bus name, such as `org.freedesktop.DBus.Error.ServiceUnknown`.
 */
export class BusError extends Error {
  override name = "BusError";
}

/**
 * Returns the first unix socket of a bus address list (`unix:path=…`, `unix:abstract=…`) for node:net, or null if it
 * has none. The name of an abstract socket starts with a zero byte.
 */
export function parseBusAddress(addresses: string): string | null {
  for (const address of addresses.split(";")) {
    if (!address.startsWith("unix:")) continue;
    for (const pair of address.slice("unix:".length).split(",")) {
      const [key, value = ""] = pair.split("=", 2);
      const unescaped = value.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
      if (key === "path") return unescaped;
      if (key === "abstract") return `\0${unescaped}`;
    }
  }
  return null;
}

/**
 * Connects to a bus and authenticates as this user (SASL EXTERNAL). Has no time limit; end it with `signal`.
 *
 * @param socketPath from {@link parseBusAddress}
 * @throws the socket's error, or BusError when the bus rejects the user
 */
export async function connectBus(socketPath: string, uid: number, signal: AbortSignal): Promise<Bus> {
  const socket = connect({ path: socketPath });
  const onAbort = () => socket.destroy(new BusError("no answer in time"));
  signal.addEventListener("abort", onAbort, { once: true });
  const close = () => {
    signal.removeEventListener("abort", onAbort);
    socket.destroy();
  };
  try {
    signal.throwIfAborted();
    await authenticate(socket, uid);
    const bus = createBus(socket, close);
    await bus.call({ to: BUS, path: "/org/freedesktop/DBus", of: BUS, method: "Hello" });
    return bus;
  } catch (error) {
    close();
    throw error;
  }
}

const BUS = "org.freedesktop.DBus";
const METHOD_RETURN = 2;
const ERROR = 3;

async function authenticate(socket: Socket, uid: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let line = "";
  const onData = (bytes: Buffer) => {
    line += bytes.toString("latin1");
    if (line.includes("\r\n")) resolve(line);
    else if (line.length > 4096) reject(new BusError("not a D-Bus"));
  };
  const onClose = () => reject(new BusError("closed while signing in"));
  socket.on("error", reject).on("data", onData).on("close", onClose);
  socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(uid)).toString("hex")}\r\n`);
  const answer = await promise.finally(() => socket.off("data", onData).off("close", onClose));
  if (!answer.startsWith("OK ")) throw new BusError("authentication rejected");
  socket.write("BEGIN\r\n");
}

type PendingCalls = Map<number, PromiseWithResolvers<DbusValue[]>>;

function createBus(socket: Socket, close: () => void): Bus {
  const calls: PendingCalls = new Map();
  let received: Buffer = Buffer.alloc(0);
  let serial = 0;
  const fail = (error: Error) => {
    for (const call of calls.values()) call.reject(error);
    calls.clear();
  };
  socket.on("error", fail).on("close", () => fail(new BusError("the bus closed the connection")));
  socket.on("data", (bytes: Buffer) => {
    try {
      received = settleAll(Buffer.concat([received, bytes]), calls);
    } catch (error) {
      socket.destroy(new BusError("garbled answer", { cause: error }));
    }
  });
  return {
    call(call) {
      if (socket.destroyed) return Promise.reject(new BusError("the bus closed the connection"));
      const answer = Promise.withResolvers<DbusValue[]>();
      calls.set(++serial, answer);
      socket.write(encodeCall(serial, call));
      return answer.promise;
    },
    close,
  };
}

/** Settles the calls whose answers are complete in the buffer, and returns the rest of it. */
function settleAll(received: Buffer, calls: PendingCalls): Buffer {
  let rest = received;
  for (let size = readMessageSize(rest); size > 0 && rest.length >= size; size = readMessageSize(rest)) {
    settleCall(decodeMessage(rest.subarray(0, size)), calls);
    rest = rest.subarray(size);
  }
  return rest;
}

function settleCall(message: DbusMessage, calls: PendingCalls): void {
  const answer = calls.get(message.replyTo);
  if (!answer || (message.type !== METHOD_RETURN && message.type !== ERROR)) return;
  calls.delete(message.replyTo);
  if (message.type === ERROR) answer.reject(new BusError(message.error));
  else answer.resolve(message.body);
}
