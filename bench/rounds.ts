import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export type Program = { command: string; args: string[]; env: Record<string, string> };

/**
 * Runs the programs in turn, round after round, so that other load affects all alike. The first round is not counted
 * because it fills caches.
 *
 * @returns the median of each, in the order given
 */
export async function measureMedians(programs: Program[], rounds: number): Promise<number[]> {
  const times = programs.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, program] of programs.entries()) {
      const took = await measureTime(program);
      if (round > 0) times[index]?.push(took);
    }
  }
  return times.map(median);
}

/**
 * Runs the programs in turn and returns the processor time of each run, in ms. The system counts in hundredths of a
 * second, so only the sum of all rounds is meaningful.
 */
export async function processorTimes(programs: Program[], rounds: number): Promise<number[]> {
  const sums = programs.map(() => 0);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, program] of programs.entries()) {
      const before = readChildrenTicks();
      await runProgram(program);
      if (round > 0) sums[index] = (sums[index] ?? 0) + readChildrenTicks() - before;
    }
  }
  return sums.map((ticks) => (ticks * 10) / rounds);
}

/** Processor time of all programs that this process ran, in hundredths of a second. */
function readChildrenTicks(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
    .map(Number);
  return (fields[13] ?? 0) + (fields[14] ?? 0);
}

/** Milliseconds from the start of the program to its end. A program that fails fails the measurement. */
async function measureTime(program: Program): Promise<number> {
  const start = performance.now();
  await runProgram(program);
  return performance.now() - start;
}

/** The program's stdout. */
export function runProgram({ command, args, env }: Program): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${command} ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`));
    });
  });
}

export function median(values: number[]): number {
  return quantile(values, 0.5);
}

/** Returns the value below which this share of all values lies. */
export function quantile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
}

/**
 * Estimates the cost of each additional item from samples of count and total, robust against one-time growth and
 * release.
 */
export function slope(samples: [count: number, bytes: number][]): number {
  const slopes = samples.flatMap(([count, bytes], index) =>
    samples.slice(index + 1).map(([more, then]) => (then - bytes) / (more - count)),
  );
  return median(slopes);
}
