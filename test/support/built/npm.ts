import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The package of the built kay, packed by npm in a separate folder; `remove` deletes it. */
export async function packKay(signal?: AbortSignal): Promise<{ tarball: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "kay-package-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await npm(["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: root, signal });
    return { tarball: join(folder, readdirSync(folder)[0] ?? ""), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * `registry`: an address, or the usual one with all of the person's own settings; none by default. `node`: folder of
 * another Node. `signal` ends npm.
 */
type NpmOptions = { cwd: string; registry?: string; node?: string; signal?: AbortSignal };

/**
 * Runs npm with separate settings and cache, unless the usual registry is requested.
 *
 * @throws with its output if it fails
 */
export async function npm(
  args: string[],
  { cwd, registry = "http://127.0.0.1:1/", node, signal }: NpmOptions,
): Promise<string> {
  const state = mkdtempSync(join(tmpdir(), "kay-npm-"));
  const npmEnv = { HOME: state, npm_config_cache: join(state, "cache"), npm_config_registry: registry };
  const env = {
    ...(registry === "usual" ? process.env : npmEnv),
    PATH: node ? `${node}:${process.env.PATH}` : process.env.PATH,
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_fetch_retries: registry === "usual" ? "2" : "0",
  };
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn("npm", args, { cwd, env, signal, stdio: ["ignore", "pipe", "pipe"] });
      let [stdout, stderr] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
      // An npm that is aborted has begun, and ends later.
      child.once("error", (error) => child.pid === undefined && reject(error));
      child.once("close", (code) =>
        code === 0 ? resolve(stdout) : reject(new Error(`npm ${args[0]} ended with ${code}: ${stdout}${stderr}`)),
      );
    });
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}
