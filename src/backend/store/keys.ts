import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { chmod, link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { getErrno } from "#files/folders";

import { Problem } from "#protocol/errors";

/**
 * Length of the keys that kay creates, in bytes. Encryption keys must have exactly this length, signing keys at least
 * (RFC 7518, 3.2).
 */
const KEY_BYTES = 32;

const KeyEntry = z.looseObject({
  id: z.string().check(z.regex(/^[\w.-]{1,64}$/)),
  key: z.string().check(z.regex(/^[\w+/-]+=*$/)),
});
const Some = z.array(KeyEntry).check(z.minLength(1));
const KeyFile = z.looseObject({ version: z.literal(1), signing: z.union([Some, KeyEntry]), sealing: Some });

/** Secrets of the backend, as raw bytes. The first of each kind signs and seals, all of them verify and open (key rotation). */
export type Keys = {
  /** HS256 keys for access tokens. */
  signing: [Key, ...Key[]];
  /** AES-256-GCM keys for what is stored encrypted: service tokens, PKCE verifiers. 32 bytes each. */
  sealing: Key[];
};

type Key = { id: string; key: Uint8Array };

/** Source of the keys: `keys.json` in the data folder, which is created if missing, or the operator's `KAY_KEYS`. */
export type KeySource = { folder: string } | { value: string };

/**
 * The backend's keys, as JSON `{"version": 1, "signing": [{"id", "key"}, …], "sealing": [{"id", "key"}, …]}`, keys in
 * base64; one signing key may stand without a list. To rotate, put the new key first and keep the former ones after it.
 * `KAY_KEYS` holds the JSON itself or the path of a file with it.
 *
 * Throws STORE_UNREADABLE for keys that cannot be read. They are never created again automatically, because that would
 * lose every stored token.
 */
export async function loadBackendKeys(source: KeySource): Promise<Keys> {
  if ("folder" in source) return readFolderKeys(source.folder);
  if (source.value.trimStart().startsWith("{")) return parseKeys(source.value, "KAY_KEYS");
  // The value may be a key without its braces, so errors do not repeat it.
  return parseKeys(await readKeys(source.value, "the file of KAY_KEYS"), "the file of KAY_KEYS");
}

async function readFolderKeys(folder: string): Promise<Keys> {
  const file = join(folder, "keys.json");
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readFile(file, "utf8").catch(() => undefined)) === undefined) await createKeys(folder, file);
    await chmod(file, 0o600).catch(() => undefined);
  } catch (cause) {
    throw createUnreadableProblem(file, `they could not be stored (${getErrno(cause)})`);
  }
  return parseKeys(await readKeys(file, file), file);
}

/** Returns a key as OpenSSL uses it. Cached, because creating one takes longer than a decryption or an HMAC. */
export function getKeyObject(key: Uint8Array): KeyObject {
  const cached = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, cached);
  return cached;
}

const keyObjects = new WeakMap<Uint8Array, KeyObject>();

/** Writes a temporary file and links it to its name. Of several processes, only the first succeeds. */
async function createKeys(folder: string, file: string): Promise<void> {
  const temporaryFile = `${file}.new-${randomBytes(6).toString("hex")}`;
  const createKey = () => ({ id: randomBytes(6).toString("hex"), key: randomBytes(KEY_BYTES).toString("base64url") });
  const text = `${JSON.stringify({ version: 1, signing: createKey(), sealing: [createKey()] }, null, 2)}\n`;
  try {
    await writeThrough(temporaryFile, text);
    await link(temporaryFile, file).catch((error) => {
      if (getErrno(error) !== "EEXIST") throw error;
    });
  } finally {
    await rm(temporaryFile, { force: true });
  }
  const directory = await open(folder, "r").catch(() => undefined);
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}

async function writeThrough(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readKeys(file: string, where: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw createUnreadableProblem(
      where,
      getErrno(cause) === "ENOENT" ? "the file does not exist" : `it cannot be read (${getErrno(cause)})`,
    );
  }
}

/** The parsers' errors quote their input, so they are not passed on. */
function parseKeys(text: string, where: string): Keys {
  const result = KeyFile.safeParse(parseJson(text, where));
  if (!result.success) {
    throw createUnreadableProblem(
      where,
      `${result.error.issues[0]?.path.join(".") || "the whole"} is missing or not of the right form`,
    );
  }
  const [signing, sealing] = [[result.data.signing].flat().map(decode), result.data.sealing.map(decode)];
  for (const { id, key } of signing) {
    if (key.length < KEY_BYTES)
      throw createUnreadableProblem(where, `the signing key ${id} has less than ${KEY_BYTES} bytes`);
  }
  for (const { id, key } of sealing) {
    if (key.length !== KEY_BYTES)
      throw createUnreadableProblem(where, `the sealing key ${id} has not ${KEY_BYTES} bytes`);
  }
  for (const [kind, keys] of Object.entries({ signing, sealing })) {
    if (new Set(keys.map(({ id }) => id)).size < keys.length)
      throw createUnreadableProblem(where, `two ${kind} keys have one id`);
  }
  return { signing: signing as Keys["signing"], sealing };
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw createUnreadableProblem(where, "this is not JSON");
  }
}

function decode({ id, key }: { id: string; key: string }): { id: string; key: Uint8Array } {
  return { id, key: new Uint8Array(Buffer.from(key, "base64")) };
}

function createUnreadableProblem(where: string, reason: string): Problem {
  return new Problem("STORE_UNREADABLE", `The backend's keys in ${where} cannot be used: ${reason}.`, {
    hint: "Restore a copy of them. Without them every stored sign-in is lost, so kay does not create new ones.",
  });
}
