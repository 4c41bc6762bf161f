import { spawn } from "node:child_process";
import type { Timer } from "#net/ports";
import type { KeychainStatus } from "./keychain.ts";

/** One call of the native keychain module. `load` only checks whether it can be loaded. */
export type NativeRequest = {
  does: "load" | "get" | "set" | "delete";
  service: string;
  account: string;
  value?: string;
};

/** Answer of the module: a value (null if absent), or an error and the stage where it occurred. */
export type NativeAnswer = { value?: string | null; error?: string; code?: string; stage?: "load" | "call" | "child" };

/** Environment of the child process. */
export type NativeHost = {
  platform: string;
  env: Record<string, string | undefined>;
  execPath: string;
  clock: Timer;
  module?: string;
};

/**
 * Calls the native keychain module (`@napi-rs/keyring`) in a child process, which is killed after 4 s without an
 * answer. The key travels through pipes, never through arguments or the environment.
 */
export async function callNative(host: NativeHost, request: NativeRequest): Promise<NativeAnswer> {
  const { env, execPath, platform, clock, module = resolveModule() } = host;
  const child = spawn(execPath, ["--input-type=module", "--eval", CHILD], {
    env: { ...env, NODE_OPTIONS: undefined, NODE_EXTRA_CA_CERTS: undefined },
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  const { promise, resolve } = Promise.withResolvers<NativeAnswer>();
  let output = "";
  child.stdout.on("data", (bytes: Buffer) => {
    output += bytes.toString("utf8");
  });
  child.stdin.on("error", () => {});
  child.on("error", (error) => resolve({ error: error.message, stage: "child" }));
  child.on("close", () => resolve(parseAnswer(output)));
  child.stdin.end(JSON.stringify({ ...request, module, platform }));
  const timer = new AbortController();
  const silence = clock.sleep(LIMIT_MS, timer.signal).then(
    (): NativeAnswer => ({ error: "no answer", code: SILENT, stage: "child" }),
    () => promise,
  );
  const answer = await Promise.race([promise, silence]);
  timer.abort();
  if (answer.code === SILENT) child.kill("SIGKILL");
  return answer;
}

/** Returns the state of the keychain for an error of the native module. */
export function toKeychainStatus(answer: NativeAnswer, platform: string): KeychainStatus {
  const { error = "", code = "", stage } = answer;
  if (code === SILENT) return { state: "silent" };
  if (stage === "load") return { state: "no-module", detail: code || "cannot be loaded" };
  if (/interaction is not allowed|no UI possible|-253(08|20)|locked/i.test(error)) {
    return platform === "darwin" ? { state: "locked", fix: UNLOCK_MAC } : { state: "locked" };
  }
  return { state: "failed", detail: error.replaceAll(/[^\x20-\x7e]/g, " ").slice(0, 120) };
}

const LIMIT_MS = 4_000;
const SILENT = "SILENT";
const UNLOCK_MAC = "Run `security unlock-keychain`, then try again";

function resolveModule(): string {
  try {
    return import.meta.resolve("@napi-rs/keyring");
  } catch {
    return "@napi-rs/keyring"; // not installed: the child reports the error
  }
}

function parseAnswer(output: string): NativeAnswer {
  try {
    return JSON.parse(output);
  } catch {
    return { error: "the keychain process ended without an answer", stage: "child" };
  }
}

/** Program of the child process. A missing item is null for `get` and success for `delete`, on every platform. */
const CHILD = `
import { text } from "node:stream/consumers";
const { does, module, service, account, value, platform } = JSON.parse(await text(process.stdin));
let stage = "load";
let answer = { value: null };
try {
  const loaded = await import(module);
  const { AsyncEntry } = loaded.AsyncEntry ? loaded : loaded.default;
  stage = "call";
  if (does !== "load") {
    const options = platform === "linux" ? { linux: { store: "secret-service" } } : undefined;
    const entry = new AsyncEntry(service, account, options);
    if (does === "get") answer = { value: (await entry.getPassword()) ?? null };
    if (does === "set") await entry.setPassword(value);
    if (does === "delete") await entry.deletePassword();
  }
} catch (error) {
  const absent = /not be found|not found|no matching entry|no entry/i.test(String(error.message));
  if (stage === "load" || does === "set" || !absent) {
    answer = { error: String(error.message), code: String(error.code ?? ""), stage };
  }
}
process.stdout.write(JSON.stringify(answer), () => process.exit());
`;
