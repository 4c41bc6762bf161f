import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "./child.mjs";

type Report = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
};

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * Runs the tests, then says in one line each what they missed on this machine, and last, alone on a line, `N passed, N failed`.
 *
 * @param args for vitest: file names, `-t`, `--project` …
 * @returns the exit code: not 0 when anything failed, and when no test ran
 */
export async function test(args: string[]): Promise<number> {
  mkdirSync(`${root}.kay`, { recursive: true });
  const folder = mkdtempSync(`${root}.kay/test-`);
  try {
    const report = `${folder}/report.json`;
    const missing = `${folder}/missing`;
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const code = await run(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, "run", ...reporters, ...args], {
      cwd: root,
      env: { ...process.env, KAY_TEST_MISSING: missing },
    });
    if (existsSync(missing)) process.stdout.write(linesOnce(readFileSync(missing, "utf8")));
    return existsSync(report) ? close(JSON.parse(readFileSync(report, "utf8")) as Report, code) : code || 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const linesOnce = (text: string) => `${[...new Set(text.trim().split("\n"))].sort().join("\n")}\n`;

function close(report: Report, code: number): number {
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((one) => one.status === "failed"),
  );
  const passed = report.numPassedTests;
  const failed = report.numFailedTests + broken.length || (code === 0 ? 0 : 1);
  const skipped = report.numPendingTests + report.numTodoTests;
  process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
  return code || (failed > 0 || passed === 0 ? 1 : 0);
}
