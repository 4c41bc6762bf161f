import type { Timer, Warn } from "#net/ports";
import { Problem } from "#protocol/errors";
import type { StorageMode } from "./credentials.ts";
import { type Keychain, toKeychainProblem } from "./keychain.ts";

/** Values of KAY_CREDENTIALS. */
export type Preference = "auto" | "keychain" | "file";

/** How the next write stores the sign-in. */
type Choice = { mode: "file" } | { mode: "keychain"; key: Uint8Array };

/** The key of one profile, and the choice whether to use one. */
export type Keys = {
  /** Returns the key that seals the file, or null if the keychain has none. `fresh` asks the keychain again. */
  getKey(fresh?: boolean): Promise<Uint8Array | null>;
  /**
   * Chooses how to write, given the recorded mode. Only that mode or the user's preference decides, never a temporary
   * fault.
   */
  choose(recorded: StorageMode | null): Promise<Choice>;
};

export type KeysOptions = {
  profile: string;
  preference: Preference;
  keychain: Keychain;
  clock: Timer;
  warn: Warn;
  platform: string;
  random: (bytes: number) => Uint8Array;
};

/**
 * Creates the keys of a profile. Every keychain call ends within 4.5 s, if necessary with Problem KEYCHAIN_LOCKED or
 * KEYCHAIN_UNAVAILABLE.
 */
export function createKeys(options: KeysOptions): Keys {
  const { profile, preference, keychain, warn, random } = options;
  let cachedKey: Uint8Array | null = null;
  const getKey = async (fresh = false) => {
    if (fresh || !cachedKey) cachedKey = await withTimeLimit(options, keychain.get(profile));
    return cachedKey;
  };
  const chooseKeychain = async (): Promise<Choice> => {
    const key = (await getKey()) ?? random(32);
    if (cachedKey) return { mode: "keychain", key };
    await withTimeLimit(options, keychain.set(profile, key));
    const storedKey = await getKey(true);
    if (!storedKey || !Buffer.from(storedKey).equals(key)) {
      throw toKeychainProblem({ state: "failed", detail: "it did not store the key" });
    }
    return { mode: "keychain", key };
  };
  return {
    getKey,
    async choose(recorded) {
      const mode = preference === "auto" ? recorded : preference;
      if (mode === "keychain") return chooseKeychain();
      if (mode === "file") {
        if (recorded === "keychain")
          warn("Moving the sign-in from the keychain to a plain file, because KAY_CREDENTIALS is set to file.");
        return { mode: "file" };
      }
      try {
        return await chooseKeychain();
      } catch (error) {
        if (!isKeychainProblem(error)) throw error;
        warn(formatPlainFileWarning(error));
        return { mode: "file" };
      }
    },
  };
}

const LIMIT_MS = 4_500;

async function withTimeLimit<T>({ clock, platform }: KeysOptions, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const silence = clock.sleep(LIMIT_MS, timer.signal).then(
    () => Promise.reject(toKeychainProblem({ state: "silent" })),
    () => work,
  );
  try {
    return await Promise.race([work, silence]);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const { toKeychainStatus } = await import("./native.ts");
    const message = error instanceof Error ? error.message : "";
    throw toKeychainProblem(toKeychainStatus({ error: message, stage: "call" }, platform), error);
  } finally {
    timer.abort();
  }
}

function isKeychainProblem(error: unknown): error is Problem {
  return error instanceof Problem && ["KEYCHAIN_LOCKED", "KEYCHAIN_UNAVAILABLE"].includes(error.code);
}

function formatPlainFileWarning({ message, hint }: Problem): string {
  const note = "The sign-in is stored in a plain file instead, which only you can read.";
  return `${message} ${note} To use the keychain: ${hint.charAt(0).toLowerCase()}${hint.slice(1)} Then connect with KAY_CREDENTIALS=keychain set.`;
}
