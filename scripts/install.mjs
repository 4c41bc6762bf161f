import { existsSync, lstatSync, readFileSync } from "node:fs";
import { run } from "./child.mjs";
import { runLocked } from "./lock.mjs";

/**
 * Installs the packages of package-lock.json, if node_modules differs. Compares npm's own record, so an `npm ci` or `npm install` by hand counts
 * too. If node_modules is a link to another checkout's, it is left alone.
 *
 * @param {string} root the repository's folder, with a trailing slash
 * @returns {Promise<number>} npm's exit code, 0 if nothing had to be done
 */
export async function install(root) {
  if (isInstalled(root)) return 0;
  return runLocked(`${root}.kay/install.lock`, async () => {
    if (isInstalled(root)) return 0;
    process.stderr.write("Installing packages (this takes about a minute)…\n");
    const { command, first } = npm();
    return run(command, [...first, "ci", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
      shell: command === "npm" && process.platform === "win32",
    });
  });
}

/** @param {string} root */
function isInstalled(root) {
  if (!existsSync(`${root}node_modules/.package-lock.json`)) return false;
  if (lstatSync(`${root}node_modules`).isSymbolicLink()) return true;
  const wanted = packages(`${root}package-lock.json`);
  const present = packages(`${root}node_modules/.package-lock.json`);
  return Object.entries(wanted).every(([path, entry]) => {
    const found = present[path];
    return (
      path === "" || (found ? found.version === entry.version && found.integrity === entry.integrity : entry.optional)
    );
  });
}

/**
 * @param {string} path
 * @returns {Record<string, { version?: string, integrity?: string, optional?: boolean }>}
 */
const packages = (path) => JSON.parse(readFileSync(path, "utf8")).packages;

/** The npm that started this script, with the Node it runs on; `npm` itself where another program did. */
function npm() {
  const script = process.env.npm_execpath ?? "";
  return script.endsWith("npm-cli.js")
    ? { command: process.env.npm_node_execpath ?? process.execPath, first: [script] }
    : { command: "npm", first: [] };
}
