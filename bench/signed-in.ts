import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GuideBackend } from "./guide-backend.ts";
import { type Program, runProgram } from "./rounds.ts";

/** kay in a separate process, with a home below `folder` and only PATH from this process's environment. */
export function kay(launcher: string, folder: string, args: string[], env: Record<string, string> = {}): Program {
  mkdirSync(folder, { recursive: true });
  const own = { PATH: process.env.PATH ?? "", HOME: folder, XDG_CACHE_HOME: "", CI: "true" };
  return { command: process.execPath, args: [launcher, ...args], env: { ...own, ...env } };
}

/** Signs in with `kay connect` like a user. Returns the command that lists the connections from then on. */
export async function signIn(
  launcher: string,
  folder: string,
  backend: GuideBackend,
  env: Record<string, string>,
): Promise<Program> {
  const settings = { KAY_API_URL: backend.url, KAY_CREDENTIALS: "file", ...env };
  await runProgram(kay(launcher, folder, ["connect", "jira", "--no-browser"], settings));
  return kay(launcher, folder, ["connections"], settings);
}

/** Creates a self-signed certificate for 127.0.0.1. */
export function certificate(folder: string): { key: string; cert: string; file: string } {
  mkdirSync(folder, { recursive: true });
  const [key, file] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  execFileSync("openssl", ["req", "-x509", ...curve, ...names, "-keyout", key, "-out", file, "-days", "2"], {
    stdio: "ignore",
  });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(file, "utf8"), file };
}
