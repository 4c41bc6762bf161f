// Starts a task of scripts/tasks.ts on the pinned Node. Node 18 or later can start this file.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "./child.mjs";
import { install } from "./install.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const tasks = `${root}scripts/tasks.ts`;

process.exitCode = await main(process.argv.slice(2));

/** @param {string[]} args the task's name and its arguments */
async function main(args) {
  const code = await install(root);
  if (code !== 0) return code;
  const node = choose();
  if (node) return run(node, ["--disable-warning=ExperimentalWarning", tasks, ...args]);
  process.stderr.write(
    `✗ Node ${process.versions.node} is too old (${engines()} is needed) and the pinned Node is not there: run npm ci without --ignore-scripts.\n`,
  );
  return 1;
}

/** The pinned Node, else the running one if it is new enough. */
function choose() {
  const pinned = `${root}node_modules/node/bin/node${process.platform === "win32" ? ".exe" : ""}`;
  if (existsSync(pinned)) return realpathSync(pinned);
  return atLeast(process.versions.node, engines().replace(">=", "")) ? process.execPath : undefined;
}

/** @returns {string} */
function engines() {
  return JSON.parse(readFileSync(`${root}package.json`, "utf8")).engines.node;
}

/**
 * @param {string} version
 * @param {string} wanted
 */
function atLeast(version, wanted) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split(".").map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
