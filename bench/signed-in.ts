import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GuideBackend } from "./guide-backend.ts";
import { finished, type Program } from "./rounds.ts";

/** kay as a program of its own, with a home below `folder` and nothing of this process' environment but PATH. */
export function kay(launcher: string, folder: string, args: string[], env: Record<string, string> = {}): Program {
  mkdirSync(folder, { recursive: true });
  const own = { PATH: process.env.PATH ?? "", HOME: folder, XDG_CACHE_HOME: "", CI: "true" };
  return { command: process.execPath, args: [launcher, ...args], env: { ...own, ...env } };
}

/** Signs in by `kay connect`, as a person would, and gives what lists the connections from then on. */
export async function signedIn(
  launcher: string,
  folder: string,
  backend: GuideBackend,
  env: Record<string, string>,
): Promise<Program> {
  const settings = { KAY_API_URL: backend.url, KAY_CREDENTIALS: "file", ...env };
  await finished(kay(launcher, folder, ["connect", "jira", "--no-browser"], settings));
  return kay(launcher, folder, ["connections"], settings);
}

/** A certificate for 127.0.0.1 that signs itself. */
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
