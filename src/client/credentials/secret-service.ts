import { getErrno } from "#files/folders";

import type { Timer } from "#net/ports";
import { type Bus, BusError, connectBus, parseBusAddress } from "./dbus.ts";
import { type DbusArgument, toArray } from "./dbus-wire.ts";
import type { KeychainStatus } from "./keychain.ts";

/** Ports for finding the session bus on Linux, from DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR. */
export type BusSession = { env: Record<string, string | undefined>; uid: number; clock: Timer };

/** Result of a read: the state of the service, and the secret if it has one. */
export type SecretResult = { look: KeychainStatus; secret: string | null };

/**
 * Checks whether the Secret Service can be used, before any native call: those block the event loop if a service hangs
 * or shows a dialog. Ends within 1.5 s.
 *
 * @see https://specifications.freedesktop.org/secret-service-spec/latest/
 */
export async function probeSecretService(session: BusSession): Promise<KeychainStatus> {
  return (await withSecretService(session, async () => null)).look;
}

/**
 * Checks the service and reads a secret on the same connection, without the start time and blocking of the native
 * module. The secret travels as `plain` over the user's own session bus: a process that could listen could also request
 * it.
 */
export async function readSecret(session: BusSession, attributes: Record<string, string>): Promise<SecretResult> {
  return withSecretService(session, async (bus) => {
    const [unlocked, locked] = await bus.call(toServiceCall("SearchItems", { kind: "a{ss}", value: attributes }));
    const item = toArray(unlocked)[0];
    if (item === undefined) {
      if (toArray(locked).length) throw new LockedItem();
      return null;
    }
    const [, result] = await bus.call(
      toServiceCall("OpenSession", { kind: "s", value: "plain" }, { kind: "v", value: "" }),
    );
    const args: DbusArgument[] = [{ kind: "o", value: String(result) }];
    const itemInterface = "org.freedesktop.Secret.Item";
    const [secret] = await bus.call({ to: SECRETS, path: String(item), of: itemInterface, method: "GetSecret", args });
    return String(toArray(secret)[2]);
  });
}

const LIMIT_MS = 1_400;
const SECRETS = "org.freedesktop.secrets";

/** The item is in a separate collection that is locked, although the default one is not. */
class LockedItem extends Error {}

async function withSecretService(
  session: BusSession,
  read: (bus: Bus) => Promise<string | null>,
): Promise<SecretResult> {
  const { env, uid, clock } = session;
  const addresses = env.DBUS_SESSION_BUS_ADDRESS || (env.XDG_RUNTIME_DIR && `unix:path=${env.XDG_RUNTIME_DIR}/bus`);
  if (!addresses) return toEmptyResult({ state: "no-bus", detail: "DBUS_SESSION_BUS_ADDRESS is not set" });
  const socket = parseBusAddress(addresses);
  if (!socket) return toEmptyResult({ state: "no-bus", detail: "its address is not a unix socket" });
  const closing = new AbortController();
  const timer = new AbortController();
  clock.sleep(LIMIT_MS, timer.signal).then(
    () => closing.abort(),
    () => {},
  );
  try {
    const bus = await connectBus(socket, uid, closing.signal);
    return await queryCollection(bus, read, closing.signal);
  } catch (error) {
    return toEmptyResult(toKeychainStatus(error, socket.replace("\0", "@"), closing.signal));
  } finally {
    timer.abort();
  }
}

async function queryCollection(
  bus: Bus,
  read: (bus: Bus) => Promise<string | null>,
  signal: AbortSignal,
): Promise<SecretResult> {
  try {
    const [alias] = await bus.call(toServiceCall("ReadAlias", { kind: "s", value: "default" }));
    if (typeof alias !== "string" || alias === "/") return toEmptyResult({ state: "no-collection" });
    const property = "org.freedesktop.DBus.Properties";
    const args: DbusArgument[] = ["org.freedesktop.Secret.Collection", "Locked"].map((value) => ({ kind: "s", value }));
    const [locked] = await bus.call({ to: SECRETS, path: alias, of: property, method: "Get", args });
    if (locked === true) return toEmptyResult({ state: "locked" });
    return { look: { state: "usable" }, secret: await read(bus) };
  } catch (error) {
    if (error instanceof LockedItem) return toEmptyResult({ state: "locked" });
    const name = error instanceof BusError ? error.message : getErrno(error);
    if (signal.aborted || name.endsWith(".NoReply")) return toEmptyResult({ state: "frozen" });
    return toEmptyResult(ABSENT.test(name) ? { state: "no-provider" } : { state: "failed", detail: name });
  } finally {
    bus.close();
  }
}

/** D-Bus errors which mean that no process offers this service, or that it could not be started. */
const ABSENT = /ServiceUnknown|NameHasNoOwner|\.Spawn\.|UnknownInterface|UnknownMethod/;

function toServiceCall(method: string, ...args: DbusArgument[]) {
  return { to: SECRETS, path: "/org/freedesktop/secrets", of: "org.freedesktop.Secret.Service", method, args };
}

function toKeychainStatus(error: unknown, address: string, signal: AbortSignal): KeychainStatus {
  if (signal.aborted) return { state: "mute", detail: address };
  if (getErrno(error) === "ENOENT") return { state: "no-bus", detail: `nothing at ${address}` };
  return { state: "refused", detail: `${error instanceof BusError ? error.message : getErrno(error)} at ${address}` };
}

function toEmptyResult(look: KeychainStatus): SecretResult {
  return { look, secret: null };
}
