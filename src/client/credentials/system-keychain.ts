import type { Timer } from "#net/ports";
import { type Keychain, toKeychainProblem } from "./keychain.ts";
import type { NativeRequest } from "./native.ts";
import type { BusSession } from "./secret-service.ts";

/** Environment of the system's keychain. */
export type SystemKeychainOptions = {
  platform: string;
  env: Record<string, string | undefined>;
  /** ID of the user, for the bus (Linux). */
  uid: number;
  /** Node executable for the child processes of native calls. */
  execPath: string;
  clock: Timer;
  /** Name of kay's items in the keychain. */
  service?: string;
  /** Address of the native module for `import()`. */
  module?: string;
};

/**
 * Creates the keychain of this machine: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows.
 *
 * Native calls can block an event loop forever, so each runs in a child process that is killed after 4 s. On Linux,
 * reading needs no native call, and writing makes one only after the service responded.
 */
export function createSystemKeychain(options: SystemKeychainOptions): Keychain {
  const { platform, service = "kay" } = options;
  const native: Native = async (does, account, value) => {
    const { callNative, toKeychainStatus: nativeLook } = await loadNative();
    const answer = await callNative(options, { does, account, service, ...(value && { value: encodeKey(value) }) });
    if (answer.error !== undefined) throw toKeychainProblem(nativeLook(answer, platform));
    return answer.value ?? null;
  };
  if (platform === "linux") return createLinuxKeychain(options, service, native);
  return {
    async check() {
      const { callNative, toKeychainStatus: nativeLook } = await loadNative();
      const answer = await callNative(options, { does: "load", account: "", service });
      return answer.error === undefined ? { state: "usable" } : nativeLook(answer, platform);
    },
    get: async (account) => decodeKey(await native("get", account)),
    set: async (account, key) => void (await native("set", account, key)),
    delete: async (account) => void (await native("delete", account)),
  };
}

/** Loaded late: plain files need neither, and reading on Linux needs no child process. */
const loadNative = () => import("./native.ts");
const loadSecretService = () => import("./secret-service.ts");

type Native = (does: NativeRequest["does"], account: string, value?: Uint8Array) => Promise<string | null>;

/**
 * Creates the Linux keychain. The native module writes items, so that they look like those of other programs that use
 * it.
 */
function createLinuxKeychain(session: BusSession, service: string, native: Native): Keychain {
  const lookNow = async () => (await loadSecretService()).probeSecretService(session);
  const mustBeUsable = async () => {
    const look = await lookNow();
    if (look.state !== "usable") throw toKeychainProblem(look);
  };
  return {
    check: lookNow,
    async get(account) {
      const { readSecret } = await loadSecretService();
      const { look, secret } = await readSecret(session, { service, username: account });
      if (look.state !== "usable") throw toKeychainProblem(look);
      return decodeKey(secret);
    },
    async set(account, key) {
      await mustBeUsable();
      await native("set", account, key);
    },
    async delete(account) {
      await mustBeUsable();
      await native("delete", account);
    },
  };
}

function encodeKey(key: Uint8Array): string {
  return Buffer.from(key).toString("base64");
}

/** Decodes a key; an item with any other content counts as missing. */
function decodeKey(text: string | null): Uint8Array | null {
  const key = Buffer.from(text ?? "", "base64");
  return key.length === 32 ? key : null;
}
