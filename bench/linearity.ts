import { fileURLToPath } from "node:url";
import type { Bench } from "./commands.ts";
import { runProgram } from "./rounds.ts";
import type { Row } from "./table.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Runs the tests that give every text function and every pattern 10 kB and 100 kB. */
export async function linearity(_: Bench): Promise<Row[]> {
  const args = [`${root}scripts/with-node.mjs`, "test", "test/linear-text.test.ts", "test/linear-patterns.test.ts"];
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
  const output = await runProgram({ command: process.execPath, args, env });
  const measured = /^\d+ passed, \d+ failed/m.exec(output)?.[0] ?? "no test ran";
  const goal = "≤ 15 each";
  return [{ what: "text functions and patterns, 100 kB / 10 kB", measured, goal, ok: measured.endsWith(" 0 failed") }];
}
