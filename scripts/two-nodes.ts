import { parseArgs } from "node:util";
import { type Scene, twoNodes } from "#test/nodes/run";
import { unrest } from "#test/nodes/unrest";
import type { Figure } from "#test/nodes/verdict";
import { untilSignal } from "./until-signal.ts";

/**
 * Runs two nodes with one Postgres, and kills, stops and restarts their processes under load: `npm run nodes --
 * --minutes 10`. Prints what was done and a table of figures. Ctrl+C, SIGTERM and SIGHUP end it with all its processes.
 *
 * @returns the exit code: not 0 if an effect was lost or doubled, or another check failed
 */
export async function nodes(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: "string", default: "10" },
      people: { type: "string", default: "4" },
      talkers: { type: "string", default: "3" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
    },
  });
  const seed = Number(values.seed);
  print(`two nodes, ${values.minutes} minutes, seed ${seed}`);
  const act = async (scene: Scene) => {
    const began = Date.now();
    const at = () => `${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  `;
    await unrest(scene, AbortSignal.timeout(Number(values.minutes) * 60_000), (what) => print(at() + what));
  };
  const crowd = { people: Number(values.people), talkers: Number(values.talkers), seed };
  const { figures, faults, complaints } = await untilSignal((signal) => twoNodes({ ...crowd, signal }, act));
  for (const [line, count] of countKinds(complaints)) print(`${count} × ${line}`);
  for (const fault of faults.slice(0, 100)) print(`✗ ${fault}`);
  print(table(figures));
  return figures.every(({ ok }) => ok !== false) ? 0 : 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Errors of the nodes, by kind. */
function countKinds(lines: string[]): Map<string, number> {
  const kinds = new Map<string, number>();
  for (const line of lines) {
    const kind = line.replace(/"time":"[^"]*",|\b\w+_[0-9a-f]{32}\b|"(request|client)":"[^"]*"/g, "").slice(0, 240);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return kinds;
}

function table(figures: Figure[]): string {
  const width = Math.max(...figures.map(({ what }) => what.length));
  const lines = figures.map(({ what, measured, goal, ok }) => {
    const verdict = ok === undefined ? "" : ok ? "  ok" : "  NOT";
    return `${what.padEnd(width)}  ${measured}${goal ? `  (${goal})` : ""}${verdict}`;
  });
  return `\n${lines.join("\n")}`;
}
