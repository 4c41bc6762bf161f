import { fileURLToPath } from "node:url";
import { build } from "./build.ts";
import { check } from "./check.ts";
import { run } from "./child.mjs";
import { test } from "./test.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

const tasks: Record<string, (args: string[]) => Promise<number>> = {
  try: (args) => runBuilt(() => tour(args)),
  test,
  check,
  build,
  contract,
  soak,
  nodes: (args) => runBuilt(async () => (await import("./two-nodes.ts")).nodes(args)),
  dojo: (args) => runBuilt(async () => (await import("./dojo.ts")).dojo(args)),
  bench: (args) => runBuilt(() => node("bench/bench.ts", ...args)),
  releases: (args) => runBuilt(async () => (await import("./releases.ts")).releases(args)),
  audit: () => runBuilt(async () => (await import("./audit.ts")).audit()),
  record: () => runBuilt(async () => (await import("./record.ts")).record()),
};

const [name = "", ...args] = process.argv.slice(2);
const task = tasks[name];
if (!task) process.stderr.write(`✗ There is no task ${name}: ${Object.keys(tasks).join(", ")}.\n`);
process.exitCode = task ? await task(args) : 2;

/** Runs the checks of the integration guide against a running backend: `npm run contract -- http://127.0.0.1:4000`. */
async function contract([url = "", ...args]: string[]): Promise<number> {
  if (!URL.canParse(url)) {
    process.stderr.write("✗ Give the address of a backend: npm run contract -- http://127.0.0.1:4000\n");
    return 2;
  }
  process.env.KAY_CONTRACT_URL = url;
  return test(["test/contract", "--no-file-parallelism", "--test-timeout=660000", ...args]);
}

/**
 * Runs kills at every and at random moments, and two sessions that race for cards: `npm run soak -- 5` for five times
 * as many of the latter. KAY_SOAK_SEED repeats a run.
 */
async function soak([rounds = "1", ...args]: string[]): Promise<number> {
  process.env.KAY_SOAK = rounds;
  return test(["--project", "in process", ...args]);
}

/** Runs `kay try`, and says how to get the command that it names. */
async function tour(args: string[]): Promise<number> {
  const code = await node("bin/kay.js", "try", ...args);
  if (code === 0 && args.length === 0)
    process.stderr.write("To install the command `kay`: npm pack, then npm install -g kay-*.tgz\n");
  return code;
}

async function runBuilt(next: () => Promise<number>): Promise<number> {
  const code = await build();
  return code === 0 ? next() : code;
}

function node(script: string, ...args: string[]): Promise<number> {
  return run(process.execPath, [...process.execArgv, root + script, ...args]);
}
