import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

export type Counts = { passed: number; failed: number; skipped: number };

/** A vitest reporter that writes the counts of the run to the file in `KAY_TEST_COUNTS`. */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const counts: Counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) add(counts, module);
    if (process.env.KAY_TEST_COUNTS) writeFileSync(process.env.KAY_TEST_COUNTS, JSON.stringify(counts));
  }
}

/** A file that fails outside its tests (at import, in a hook) is one failure. */
function add(counts: Counts, module: TestModule) {
  const states = [...module.children.allTests()].map((test) => test.result().state);
  const failed = states.filter((state) => state === "failed").length;
  counts.passed += states.filter((state) => state === "passed").length;
  counts.skipped += states.filter((state) => state === "skipped").length;
  counts.failed += failed || (module.state() === "failed" ? 1 : 0);
}
