/**
 * The sign-in part of a kay process, for tests with many of them: reads its job from the arguments, requests a token
 * (or reads the store), and prints the result as JSON.
 */
import { createCredentials } from "#client/credentials/create";
import { createRefresher, type RefreshOutcome, type RefreshStep } from "#client/credentials/refresh";
import { createSystemKeychain } from "#client/credentials/system-keychain";
import { createProcesses } from "#files/processes";
import { Problem } from "#protocol/errors";
import { realClock } from "./client-clock.ts";

/** A worker's job. `stopAt` kills it there, like `kill -9`; `server` answers POST /auth/refresh. */
export type Job = {
  folder: string;
  does: "read" | "afterRejection";
  server?: string;
  rejected?: string;
  stopAt?: RefreshStep;
};

/** What it prints. */
export type Report = { token?: string | null; signIn?: unknown; error?: string; message?: string; warnings: string[] };

const ORIGIN = "https://kay.example.test";
const job: Job = JSON.parse(process.argv[2] ?? "{}");
const warnings: string[] = [];
const keychain = createSystemKeychain({
  platform: process.platform,
  env: process.env,
  uid: process.getuid?.() ?? 0,
  execPath: process.execPath,
  clock: realClock,
});
const credentials = createCredentials({
  folder: () => job.folder,
  profile: "default",
  preference: "file",
  keychain,
  clock: realClock,
  warn: (message) => warnings.push(message),
  processes: createProcesses(process.pid, () => true),
  platform: process.platform,
});
const refresher = createRefresher({
  origin: ORIGIN,
  credentials,
  clock: realClock,
  call,
  warn: (message) => warnings.push(message),
  step(name) {
    if (name === job.stopAt) process.kill(process.pid, "SIGKILL");
  },
});

const report = await work().catch((error: unknown): Omit<Report, "warnings"> => {
  if (!(error instanceof Problem)) throw error;
  return { error: error.code, message: error.message };
});
process.stdout.write(JSON.stringify({ ...report, warnings } satisfies Report));

async function work(): Promise<Omit<Report, "warnings">> {
  if (job.does === "read") return { signIn: (await credentials.read(ORIGIN)).signIn };
  return { token: await refresher.afterRejection(job.rejected ?? "") };
}

async function call(refresh_token: string): Promise<RefreshOutcome> {
  const answer = await fetch(`${job.server}/auth/refresh`, { method: "POST", body: JSON.stringify({ refresh_token }) });
  const body = (await answer.json()) as { token: string; refresh_token: string; error: string; message: string };
  if (answer.ok) return { kind: "ok", token: body.token, refresh_token: body.refresh_token };
  return { kind: "invalid", code: body.error, message: body.message };
}
