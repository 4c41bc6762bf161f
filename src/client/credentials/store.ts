import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkCredentialFolder, ensureCredentialFolder, restrictPermissions } from "#files/credential-folder";
import { type FileInspection, inspectFile } from "#files/inspect";
import { quarantineFile, readFileIfExists, replaceFile } from "#files/replace-file";
import { type Room, replaceInRoom, takeRoom } from "#files/room";
import type { Timer, Warn } from "#net/ports";
import { Problem } from "#protocol/errors";
import type { StorageMode } from "./credentials.ts";
import { type Envelope, formatEnvelope, parseEnvelope, type SignInsByOrigin } from "./envelope.ts";
import type { Keys } from "./keys.ts";

/** Decoded content of a profile's file. Generation 0 and no mode mean that nothing is stored. */
type Content = { mode: StorageMode | null; generation: number; origins: SignInsByOrigin };

/** The file of one profile. */
export type Store = {
  path: string;
  /** Reads and decodes the file. A damaged one is first set aside, with one warning. */
  load(): Promise<Content>;
  /**
   * Writes the next generation in the chosen mode, into the reserved room if there is one. Must run under the write
   * lock.
   */
  save(current: Content, origins: SignInsByOrigin, room?: Room): Promise<void>;
  /**
   * Reserves room for the next generation, with the key that encrypts it.
   *
   * @throws Problem if it could not be written
   */
  takeRoom(): Promise<Room>;
};

export type StoreOptions = {
  path: string;
  keys: Keys;
  clock: Timer;
  warn: Warn;
  platform: string;
  /** ID of this user; undefined on Windows. */
  uid: number | undefined;
  random: (bytes: number) => Uint8Array;
  /** Runs work under the write lock, or directly if it is already held. */
  withWriteLock<T>(work: () => Promise<T>): Promise<T>;
};

/** Creates the store for a file; see {@link Store}. */
export function createStore(options: StoreOptions): Store {
  const { path, keys, random, platform } = options;
  const createUnique = () => Buffer.from(random(6)).toString("hex");
  const load = async (): Promise<Content> => {
    const bytes = readFileIfExists(path);
    if (!bytes) {
      await checkCredentialFolder(join(path, ".."));
      return NOTHING;
    }
    if (platform !== "win32") repairPermissions(options);
    const content = await decodeStore(bytes, path, keys);
    if (typeof content !== "string") return content;
    await setAside(options, bytes, content);
    return load();
  };
  return {
    path,
    load,
    async save(current, origins, room) {
      const generation = current.generation + 1;
      const choice = await keys.choose(current.mode);
      const envelope =
        choice.mode === "file"
          ? { mode: "file" as const, generation, origins }
          : (await loadSealing()).seal(choice.key, random(12), generation, origins);
      const text = formatEnvelope(envelope);
      if (room) return replaceInRoom(room, text, createUnique());
      await ensureCredentialFolder(join(path, ".."));
      await replaceFile(path, text, createUnique());
    },
    async takeRoom() {
      const bytes = readFileIfExists(path)?.length ?? 0;
      await keys.choose((await load()).mode);
      await ensureCredentialFolder(join(path, ".."));
      return takeRoom(path, 2 * bytes + ROOM_BYTES, { unique: createUnique(), now: options.clock.now() });
    },
  };
}

/**
 * Returns the path of a profile's file. It has a separate folder beside the settings, so that restricting its
 * permissions never affects another folder.
 */
export function getStorePath(folder: string, profile: string): string {
  if (/^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,63}$/u.test(profile)) return join(folder, "credentials", `${profile}.json`);
  throw new Problem("USAGE", "A profile name may contain only letters, digits, dots, dashes and underscores.");
}

/** Loaded late, because node:crypto takes several ms and only the mode `keychain` needs it. */
const loadSealing = () => import("./envelope.ts");

/** Additional room for longer tokens, in bytes. */
const ROOM_BYTES = 8 * 1024;

const NOTHING: Content = { mode: null, generation: 0, origins: {} };

/** Decodes the content, or returns a clause that says why it cannot be decoded. */
async function decodeStore(bytes: Buffer, path: string, keys: Keys): Promise<Content | string> {
  const envelope = parseEnvelope(bytes, path);
  if (!envelope) return "is damaged";
  const { mode, generation } = envelope;
  if (mode === "file") return { mode, generation, origins: envelope.origins };
  const key = await keys.getKey();
  if (!key) return "is sealed with a key that is no longer in the keychain";
  const { unseal } = await loadSealing();
  const origins = unseal(key, envelope) ?? (await unsealWithFreshKey(envelope, keys));
  return origins ? { mode, generation, origins } : "does not match the key in the keychain";
}

/** Tries again with a freshly read key, because it may have been replaced while this process ran. */
async function unsealWithFreshKey(
  envelope: Extract<Envelope, { mode: "keychain" }>,
  keys: Keys,
): Promise<SignInsByOrigin | null> {
  const key = await keys.getKey(true);
  return key && (await loadSealing()).unseal(key, envelope);
}

/**
 * Sets a damaged file aside. Checks it again under the lock, so that only those bytes are moved, never a newer file.
 */
async function setAside(
  { path, warn, clock, withWriteLock: guarded }: StoreOptions,
  bytes: Buffer,
  reason: string,
): Promise<void> {
  await guarded(async () => {
    if (!readFileIfExists(path)?.equals(bytes)) return;
    const aside = await quarantineFile(path, clock.now());
    warn(
      `The stored sign-in ${path} ${reason}. A copy was saved as ${aside}. Run \`kay connect <service>\` to sign in again.`,
    );
  });
}

function repairPermissions({ path, uid, warn }: StoreOptions): void {
  const problem = restrictPermissions(path, uid);
  if (problem) warn(problem);
}

/** State of a profile's credentials file. `open` includes its folder. */
export type StoreInspection = FileInspection & {
  /** The storage mode, if the file records it. */
  mode?: StorageMode;
  /** Plain-text tokens in the file. */
  secrets: string[];
};

/** Inspects a profile's credentials file without the side effects of reading it. */
export async function inspectStore(path: string): Promise<StoreInspection> {
  const read = (bytes: Buffer) => {
    const envelope = parseEnvelope(bytes, path);
    if (envelope === null) return null;
    const signIns = envelope.mode === "file" ? Object.values(envelope.origins) : [];
    const secrets = signIns.flatMap(({ token, refresh_token, session_id }) => [token, refresh_token, session_id]);
    return { mode: envelope.mode, secrets: secrets.filter((record) => record !== undefined) };
  };
  const nothing: Pick<StoreInspection, "mode" | "secrets"> = { secrets: [] };
  const sight = await inspectFile(path, nothing, { read, unreadable: "STORE_UNREADABLE" });
  if (sight.owner === undefined) return sight;
  const folder = await stat(dirname(path));
  return { ...sight, open: sight.open || (folder.mode & 0o077) !== 0 };
}
