import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Bench } from "./commands.ts";
import { median } from "./rounds.ts";
import { kay } from "./signed-in.ts";
import { type Row, time } from "./table.ts";

const rounds = 5;

/**
 * Measures `kay serve --sandbox` from its start until it prints its address, with a new database and with an existing
 * one.
 */
export async function readyTimes({ launcher, folder }: Bench): Promise<Row[]> {
  const cold: number[] = [];
  const warm: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const data = join(folder, `data-${round}`);
    cold.push(await ready(launcher, folder, data));
    warm.push(await ready(launcher, folder, data));
  }
  return [time("backend ready, new database", median(cold), 2500), time("backend ready, warm", median(warm), 800)];
}

async function ready(launcher: string, folder: string, data: string): Promise<number> {
  const { command, args, env } = kay(launcher, folder, ["serve", "--port", "0", "--sandbox", "--data-dir", data]);
  const start = performance.now();
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const exit = once(child, "exit");
  let output = "";
  const listening = new Promise<number>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      output += chunk;
      if (/http:\/\/127\.0\.0\.1:\d+/.test(output)) resolve(performance.now() - start);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    exit.then(() => reject(new Error(`kay serve ended: ${output}`)));
  });
  try {
    return await listening;
  } finally {
    child.kill("SIGTERM");
    await exit;
  }
}
