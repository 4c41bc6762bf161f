import { fileURLToPath } from "node:url";
import { run } from "./child.mjs";
import { test } from "./test.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const tool = (path: string, ...args: string[]) =>
  run(process.execPath, [`${root}node_modules/${path}`, ...args], { cwd: root });

const steps: [name: string, step: () => Promise<number>][] = [
  ["format and lint", () => tool("@biomejs/biome/bin/biome", "check", "--error-on-warnings")],
  ["types", () => tool("typescript/bin/tsc", "-p", ".")],
  [
    "rooms",
    () => tool("dependency-cruiser/bin/dependency-cruiser.mjs", "--output-type", "err", "src", "bin", "scripts"),
  ],
  ["dead code", () => tool("knip/bin/knip.js")],
];

/**
 * Runs all checks in order, cheapest first, until one fails; tests are last.
 *
 * @param args `--no-tests` skips the tests; everything else is passed to them
 */
export async function check(args: string[]): Promise<number> {
  for (const [name, step] of steps) {
    process.stdout.write(`${name}\n`);
    const code = await step();
    if (code !== 0) return reportFailure(name, code);
  }
  if (args.includes("--no-tests")) return 0;
  process.stdout.write("tests\n");
  return test(args);
}

function reportFailure(name: string, code: number): number {
  process.stderr.write(`✗ ${name}\n`);
  return code;
}
