import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { atOnce, overHttp, overHttps, startTimes } from "./commands.ts";
import { generations } from "./generations.ts";
import { growth } from "./growth.ts";
import { linearity } from "./linearity.ts";
import { load } from "./load.ts";
import { peers } from "./peers.ts";
import { question } from "./question.ts";
import { readyTimes } from "./ready.ts";
import { scale } from "./scale.ts";
import { session, streaming } from "./session.ts";
import { size } from "./size.ts";
import { markdown, type Row, table } from "./table.ts";

const launcher = fileURLToPath(new URL("../bin/kay.js", import.meta.url));
const [given = "15", only = "all", waiting = "2000", format = ""] = process.argv.slice(2);
const [rounds, paused] = [Number(given), Number(waiting)];
const folder = mkdtempSync(join(tmpdir(), "kay-bench-"));
const commands = [startTimes, overHttp, overHttps, atOnce, readyTimes, session, streaming, peers];
const groups = [...commands, question, generations, load, growth, scale, linearity, size];

try {
  const chosen = groups.filter(({ name }) => only === "all" || name === only);
  if (chosen.length === 0) throw new Error(`No group is named ${only}: ${groups.map(({ name }) => name).join(", ")}.`);
  const rows: Row[] = [];
  const before = describeLoad();
  for (const group of chosen) rows.push(...(await measure(group)));
  const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`;
  process.stdout.write(`${machine}; load average ${before} before, ${describeLoad()} after; ${rounds} rounds.\n\n`);
  process.stdout.write(format === "md" ? markdown(rows) : table(rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A group that cannot be measured on this machine is a row that says why. */
async function measure(group: (typeof groups)[number]): Promise<Row[]> {
  process.stderr.write(`${group.name} …\n`);
  const begun = performance.now();
  try {
    return await group({ launcher, folder: join(folder, group.name), rounds, paused });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${reason}\n`);
    return [{ what: group.name, measured: `cannot be measured, because: ${reason.split("\n")[0]?.slice(0, 200)}` }];
  } finally {
    process.stderr.write(`  ${((performance.now() - begun) / 60_000).toFixed(1)} minutes\n`);
  }
}

function describeLoad(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}
