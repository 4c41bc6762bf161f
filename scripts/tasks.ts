import { fileURLToPath } from "node:url";
import { build } from "./build.ts";
import { check } from "./check.ts";
import { run } from "./child.mjs";
import { test } from "./test.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

const tasks: Record<string, (args: string[]) => Promise<number>> = {
  try: (args) => built(() => node("bin/kay.js", "try", ...args)),
  test,
  check,
  build,
  bench: (args) => built(() => node("bench/bench.ts", ...args)),
};

const [name = "", ...args] = process.argv.slice(2);
const task = tasks[name];
if (!task) process.stderr.write(`✗ There is no task ${name}: ${Object.keys(tasks).join(", ")}.\n`);
process.exitCode = task ? await task(args) : 2;

async function built(next: () => Promise<number>): Promise<number> {
  const code = await build();
  return code === 0 ? next() : code;
}

function node(script: string, ...args: string[]): Promise<number> {
  return run(process.execPath, [...process.execArgv, root + script, ...args]);
}
