import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { atOnce, overHttp, overHttps, startTimes } from "./commands.ts";
import { generations } from "./generations.ts";
import { load } from "./load.ts";
import { peers } from "./peers.ts";
import { question } from "./question.ts";
import { readyTimes } from "./ready.ts";
import { session, streaming } from "./session.ts";
import { type Row, table } from "./table.ts";

const launcher = fileURLToPath(new URL("../bin/kay.js", import.meta.url));
const rounds = Number(process.argv[2] ?? 15);
const only = process.argv[3];
const paused = Number(process.argv[4] ?? 2_000);
const folder = mkdtempSync(join(tmpdir(), "kay-bench-"));
const groups = [
  startTimes,
  overHttp,
  overHttps,
  atOnce,
  readyTimes,
  session,
  streaming,
  peers,
  question,
  generations,
  load,
];

try {
  const rows: Row[] = [];
  for (const group of groups.filter(({ name }) => only === undefined || name === only))
    rows.push(...(await measured(group)));
  process.stdout.write(table(rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A group that cannot be measured on this machine is a row that says why. */
async function measured(group: (typeof groups)[number]): Promise<Row[]> {
  process.stderr.write(`${group.name} …\n`);
  try {
    return await group({ launcher, folder: join(folder, group.name), rounds, paused });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return [{ what: group.name, measured: "not measured, see above" }];
  }
}
