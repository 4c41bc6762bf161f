import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "./child.mjs";
import type { Counts } from "./counts.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * Runs the tests, then prints one line for each missing program, and last, on a separate line, `N passed, N failed`.
 *
 * @param args for vitest: file names, `-t`, `--project` …
 * @returns the exit code: not 0 when anything failed, and when no test ran
 */
export async function test(args: string[]): Promise<number> {
  mkdirSync(`${root}.kay`, { recursive: true });
  const folder = mkdtempSync(`${root}.kay/test-`);
  try {
    const env = { ...process.env, KAY_TEST_COUNTS: `${folder}/counts.json`, KAY_TEST_MISSING: `${folder}/missing` };
    const vitest = ["node_modules/vitest/vitest.mjs", "run", "--reporter=default", "--reporter=./scripts/counts.ts"];
    const code = await run(process.execPath, [...vitest, ...args], { cwd: root, env });
    if (existsSync(env.KAY_TEST_MISSING)) process.stdout.write(linesOnce(readFileSync(env.KAY_TEST_MISSING, "utf8")));
    if (!existsSync(env.KAY_TEST_COUNTS)) return code || 1;
    return close(JSON.parse(readFileSync(env.KAY_TEST_COUNTS, "utf8")) as Counts, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const linesOnce = (text: string) => `${[...new Set(text.trim().split("\n"))].sort().join("\n")}\n`;

function close(counts: Counts, code: number): number {
  const { passed, skipped } = counts;
  const failed = counts.failed || (code === 0 ? 0 : 1);
  process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
  return code || (failed > 0 || passed === 0 ? 1 : 0);
}
