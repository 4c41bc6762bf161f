/**
 * One process of kay as far as its sign-in goes, for tests with many of them: reads its job from the arguments, asks for a token (or reads
 * the store), prints what became of it as JSON.
 */
import { setTimeout as wait } from "node:timers/promises";
import { createCredentials } from "#client/credentials/create";
import type { Look } from "#client/credentials/keychain";
import { systemProcesses } from "#client/credentials/processes";
import { systemKeychain } from "#client/credentials/system-keychain";
import type { Clock } from "#client/ports";
import { createRefresher, type RefreshOutcome, type RefreshStep } from "#client/refresh";
import { Problem } from "#protocol/errors";

/** What a worker is told to do. `stopAt` kills it there, as `kill -9` does; `server` answers POST /auth/refresh. */
export type Job = {
  folder: string;
  does: "read" | "accessToken" | "afterRejection" | "look";
  server?: string;
  rejected?: string;
  stopAt?: RefreshStep;
  preference?: "auto" | "keychain" | "file";
  service?: string;
};

/** What it prints. */
export type Report = {
  token?: string | null;
  signIn?: unknown;
  look?: Look;
  error?: string;
  message?: string;
  hint?: string;
  warnings: string[];
  ms?: number;
};

const ORIGIN = "https://kay.example.test";
const job: Job = JSON.parse(process.argv[2] ?? "{}");
const warnings: string[] = [];
const clock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => void (await wait(ms, undefined, { signal })),
};
const keychain = systemKeychain({
  platform: process.platform,
  env: process.env,
  uid: process.getuid?.() ?? 0,
  execPath: process.execPath,
  clock,
  service: job.service ?? "kay-test",
});
const credentials = createCredentials({
  folder: () => job.folder,
  profile: "default",
  preference: job.preference ?? "file",
  keychain,
  clock,
  warn: (message) => warnings.push(message),
  processes: systemProcesses(process.pid, () => true),
  platform: process.platform,
});
const refresher = createRefresher({
  origin: ORIGIN,
  credentials,
  clock,
  call,
  warn: (message) => warnings.push(message),
  step(name) {
    if (name === job.stopAt) process.kill(process.pid, "SIGKILL");
  },
});

const started = performance.now();
const report = await work().catch((error: unknown): Omit<Report, "warnings"> => {
  if (!(error instanceof Problem)) throw error;
  return { error: error.code, message: error.message, ...(job.does !== "read" && { hint: error.hint }) };
});
const ms = job.does === "look" ? { ms: performance.now() - started } : {};
process.stdout.write(JSON.stringify({ ...report, warnings, ...ms } satisfies Report));

async function work(): Promise<Omit<Report, "warnings">> {
  if (job.does === "look") return { look: await keychain.look() };
  if (job.does === "read") return { signIn: (await credentials.read(ORIGIN)).signIn };
  if (job.does === "accessToken") return { token: await refresher.accessToken() };
  return { token: await refresher.afterRejection(job.rejected ?? "") };
}

async function call(refresh_token: string): Promise<RefreshOutcome> {
  const answer = await fetch(`${job.server}/auth/refresh`, { method: "POST", body: JSON.stringify({ refresh_token }) });
  const body = (await answer.json()) as { token: string; refresh_token: string; error: string; message: string };
  if (answer.ok) return { kind: "ok", token: body.token, refresh_token: body.refresh_token };
  return { kind: "invalid", code: body.error, message: body.message };
}
