import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Waits until `look` returns something, and returns that. For effects of other processes that only polling can detect.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  otherwise: string | (() => string),
  limitMs = 30_000,
): Promise<NonNullable<Exclude<T, false>>> {
  for (const end = performance.now() + limitMs; ; await pause(20)) {
    const result = await look();
    if (result !== undefined && result !== null && result !== false) return result as NonNullable<Exclude<T, false>>;
    if (performance.now() > end) throw new Error(typeof otherwise === "string" ? otherwise : otherwise());
  }
}

/** Waits for work, or throws the reason of a signal as soon as that aborts. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
  return await Promise.race([work, aborted]);
}

/** Returns whether a process runs; a zombie does not count. */
export async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return status !== "" && !/\) [ZX] /.test(status);
}

/** Lists the processes whose environment has a variable with this value. */
export async function listProcessesWith(name: string, value: string): Promise<number[]> {
  return await filterProcesses(async (pid) =>
    (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0").includes(`${name}=${value}`),
  );
}

/** Lists the processes that work in a folder or below it. */
export async function listProcessesIn(folder: string): Promise<number[]> {
  return await filterProcesses(async (pid) => `${await readlink(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`));
}

/** What cannot be read has ended, or belongs to another user. */
async function filterProcesses(fits: (pid: number) => Promise<boolean>): Promise<number[]> {
  const all = (await readdir("/proc").catch(() => [])).map(Number).filter(Number.isInteger);
  const fitting = await Promise.all(all.map((pid) => fits(pid).catch(() => false)));
  return all.filter((_, index) => fitting[index]);
}

/** Ends a process of the test and waits for it; kills it after 20 s. */
export async function end(pid: number | undefined, signal: NodeJS.Signals): Promise<void> {
  if (pid === undefined || !(await isRunning(pid))) return;
  send(pid, signal);
  const hasEnded = () => isRunning(pid).then((running) => !running);
  await until(hasEnded, "", 20_000).catch(() => {
    send(pid, "SIGKILL");
    return until(hasEnded, `process ${pid} does not end`, 5_000);
  });
}

/** Sends a signal to a process that may have ended already. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
