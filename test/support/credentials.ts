import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type CredentialsOptions, createCredentials } from "#client/credentials/create";
import type { Keychain } from "#client/credentials/keychain";
import { createProcesses, type Processes } from "#files/processes";
import { realClock } from "./client-clock.ts";

/** The backend the credentials of these tests belong to. */
export const ORIGIN = "https://kay.example.test";

/** This process, and the others of this machine. */
export const thisProcess: Processes = createProcesses(process.pid, () => true);

/** A folder of the test's own, removed when it ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "kay-credentials-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A keychain in memory that works, and remembers every value it was given. */
export function memoryKeychain(): Keychain & { keys: Map<string, Uint8Array>; given: Uint8Array[] } {
  const keys = new Map<string, Uint8Array>();
  const passwords: Uint8Array[] = [];
  return {
    keys,
    given: passwords,
    check: async () => ({ state: "usable" }),
    get: async (account) => keys.get(account) ?? null,
    async set(account, key) {
      keys.set(account, key);
      passwords.push(key);
    },
    delete: async (account) => void keys.delete(account),
  };
}

/** The credentials of a profile in a test folder, in a plain file by default, with their warnings. */
export function openProfile(changes: Partial<CredentialsOptions> & { in?: string } = {}) {
  const folder = changes.in ?? temporaryFolder();
  const warnings: string[] = [];
  const credentials = createCredentials({
    folder: () => folder,
    profile: "default",
    preference: "file",
    keychain: memoryKeychain(),
    clock: realClock,
    warn: (message) => warnings.push(message),
    processes: thisProcess,
    platform: process.platform,
    ...changes,
  });
  return { credentials, warnings, folder, path: join(folder, "credentials", "default.json") };
}

/** A sign-in as the first connection leaves it. */
export const SIGN_IN = { session_id: "kaysession_1", token: "token-0", refresh_token: "refresh-0" };

/** A keychain that was fine when the sign-in was stored and then changed. */
export async function signInThenChange(changes: Partial<Keychain>) {
  const good = memoryKeychain();
  const first = openProfile({ preference: "auto", keychain: good });
  await first.credentials.write(ORIGIN, 0, SIGN_IN);
  const sealed = readFileSync(first.path);
  const next = openProfile({ in: first.folder, preference: "auto", keychain: { ...good, ...changes } });
  const isUntouched = () => readFileSync(first.path).equals(sealed) && readdirSync(dirname(first.path)).length === 1;
  return { ...next, isUntouched, good };
}
