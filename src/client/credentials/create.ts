import { dirname } from "node:path";
import { checkCredentialFolder } from "#files/credential-folder";
import { type Lock, withLock } from "#files/lock";
import type { Processes } from "#files/processes";
import { readFileIfExists, removeFile } from "#files/replace-file";
import { deleteSpare, leaveRoom, type Room } from "#files/room";
import type { Timer, Warn } from "#net/ports";
import type { Problem } from "#protocol/errors";
import type { Credentials } from "./credentials.ts";
import { normalizeSignIn, parseEnvelope } from "./envelope.ts";
import { describeKeychain, type Keychain, toKeychainProblem } from "./keychain.ts";
import { createKeys, type Preference } from "./keys.ts";
import { createStore, getStorePath, type Store } from "./store.ts";

/** Options of a profile's credentials. */
export type CredentialsOptions = {
  /** Returns kay's settings folder; called on first use, because it throws if the machine has no place for one. */
  folder: () => string;
  profile: string;
  /** KAY_CREDENTIALS. "auto" uses the keychain if it is available when the first sign-in is stored. */
  preference: Preference;
  keychain: Keychain;
  clock: Timer;
  warn: Warn;
  processes: Processes;
  platform: string;
  random?: (bytes: number) => Uint8Array;
};

/**
 * Creates the credentials of a profile in `<folder>/credentials/<profile>.json`, readable only by the user: sealed with
 * a key in the keychain, or plain (mode `file`). Nothing is read or checked before the first call.
 */
export function createCredentials(options: CredentialsOptions): Credentials {
  const { folder, profile, keychain, preference } = options;
  let opened: OpenProfile | null = null;
  /** Reserved room of running work; each write uses one. */
  const rooms: Room[] = [];
  const takeFreeRoom = async () => {
    const room = rooms.pop();
    if (room) await deleteSpare(room);
    return room;
  };
  const open = () => {
    opened ??= openProfile(options, getStorePath(folder(), profile));
    return opened;
  };
  return {
    async read(origin) {
      const { generation, origins, mode } = await open().store.load();
      if (mode === null && preference === "keychain") await checkKeychain(keychain);
      return { generation, signIn: Object.hasOwn(origins, origin) ? { ...origins[origin] } : {} };
    },
    async write(origin, expected, signIn) {
      const { withWriteLock, locked } = open();
      const room = await takeFreeRoom();
      return withWriteLock(async () => {
        const current = await locked.load();
        if (current.generation !== expected) {
          // The caller tries again with the current content.
          if (room) rooms.push(room);
          return null;
        }
        await locked.save(current, { ...current.origins, [origin]: normalizeSignIn(signIn) }, room);
        return expected + 1;
      });
    },
    async update(origin, change) {
      const { withWriteLock, locked } = open();
      const room = await takeFreeRoom();
      return withWriteLock(async () => {
        const current = await locked.load();
        const previous = Object.hasOwn(current.origins, origin) ? { ...current.origins[origin] } : {};
        await locked.save(current, { ...current.origins, [origin]: normalizeSignIn(change(previous)) }, room);
      });
    },
    async withRoom(work) {
      const room = await open().store.takeRoom();
      rooms.push(room);
      try {
        return await work();
      } finally {
        const index = rooms.indexOf(room);
        if (index >= 0) rooms.splice(index, 1);
        await leaveRoom(room);
      }
    },
    origins: async () => (await open().store.load()).origins,
    async remove() {
      const { withWriteLock, store } = open();
      return withWriteLock(() => removeCredentials({ path: store.path, profile, keychain }));
    },
    exclusively: async (work, signal) => withLock(open().refreshLock, work, signal),
    checkWritable: () => checkCredentialFolder(dirname(open().store.path)),
    describe: async () => describeStorage(open().store.path, keychain),
  };
}

type OpenProfile = {
  store: Store;
  /** The store for use under the write lock. */
  locked: Store;
  withWriteLock<T>(work: () => Promise<T>): Promise<T>;
  refreshLock: Lock;
};

function openProfile(options: CredentialsOptions, path: string): OpenProfile {
  const { clock, processes, random = createRandomBytes, profile } = options;
  const createLock = (name: string): Lock => ({
    path: path.replace(/json$/, name),
    clock,
    processes,
    unique: () => Buffer.from(random(8)).toString("hex"),
  });
  const withWriteLock = <T>(work: () => Promise<T>) => withLock(createLock("write.lock"), work);
  const warned = new Set<string>();
  const warn = (message: string) => {
    if (!warned.has(message)) options.warn(message);
    warned.add(message);
  };
  const keys = createKeys({ ...options, profile, random, warn });
  const shared = { path, keys, clock, warn, platform: options.platform, uid: processes.uid, random };
  return {
    store: createStore({ ...shared, withWriteLock }),
    locked: createStore({ ...shared, withWriteLock: (work) => work() }),
    withWriteLock,
    refreshLock: createLock("lock"),
  };
}

function createRandomBytes(bytes: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(bytes));
}

async function checkKeychain(keychain: Keychain): Promise<void> {
  const look = await keychain.check();
  if (look.state !== "usable") throw toKeychainProblem(look);
}

async function describeStorage(path: string, keychain: Keychain): ReturnType<Credentials["describe"]> {
  const bytes = readFileIfExists(path);
  const mode = bytes ? (parseEnvelope(bytes, path)?.mode ?? "none") : "none";
  if (mode === "file") return { mode, path, note: "a plain file that only you can read" };
  const look = await keychain.check();
  return look.state === "usable" ? { mode, path } : { mode, path, note: describeKeychain(look).says };
}

/** Removes a profile's credentials; see `Credentials.remove`. Must run under the write lock. */
async function removeCredentials(options: {
  path: string;
  profile: string;
  keychain: Keychain;
}): Promise<Problem | null> {
  const { path, profile, keychain } = options;
  const bytes = readFileIfExists(path);
  const isSealed = bytes !== null && parseEnvelope(bytes, path)?.mode === "keychain";
  const look = await keychain.check();
  // A locked keychain can be unlocked, and then everything is removed together.
  if (isSealed && look.state === "locked") throw toKeychainProblem(look);
  await removeFile(path);
  if (look.state !== "usable") return isSealed ? toKeychainProblem(look) : null;
  return keychain.delete(profile).then(
    () => null,
    (error: Problem) => error,
  );
}
