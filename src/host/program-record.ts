import { execFile, spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { promisify } from "node:util";
import * as z from "zod/mini";
import { readOwnFile } from "#files/own-file";
import type { Machine } from "#files/processes";
import { createProcesses, identifyProcess } from "#files/processes";
import { writeWholeFile } from "#files/replace-file";
import type { Log } from "#telemetry/log";

/** File in the state folder with the programs that the local backend runs. */
export const PROGRAMS_FILE = "programs.json";

/** How long a program may take to exit after SIGTERM, and how often that is checked, in ms. */
const EXIT_LIMIT_MS = 1_000;
const PAUSE_MS = 50;

/** Maximum number of programs that are read from a file. */
const MAX_PROGRAMS = 500;

/** Identifies a process by ID, owner and start time, because the system reuses IDs. */
const ProgramEntry = z.object({ pid: z.number(), owner: z.number(), started: z.string() });
type ProgramEntry = z.infer<typeof ProgramEntry>;
const Entries = z.array(ProgramEntry);

/** Records the running programs on disk, so that the next backend can end those of a killed one. */
export type ProgramRecord = {
  add(pid: number): void;
  remove(pid: number): void;
  /** Resolves when the file contains all changes so far. */
  flush(): Promise<void>;
};

type RecordMachine = Pick<Machine, "kill" | "platform" | "uid" | "pid">;

/** Creates the record at `path`. Changes are written one after the other. */
export function createProgramRecord(path: string, machine: RecordMachine): ProgramRecord {
  const running = new Map<number, ProgramEntry>();
  let last = Promise.resolve();
  const change = (apply: () => Promise<void>) => {
    // Other writes to the folder report that it is not writable.
    last = last.then(apply).catch(() => {});
  };
  const write = () => writeWholeFile(path, `${JSON.stringify([...running.values()])}\n`, machine.pid);
  return {
    add: (pid) =>
      change(async () => {
        const identity = await readIdentity(pid, machine.platform);
        if (identity === undefined) return;
        running.set(pid, { pid, ...identity });
        await write();
      }),
    remove: (pid) =>
      change(async () => {
        if (running.delete(pid)) await write();
      }),
    flush: () => last,
  };
}

/**
 * Ends the programs that a backend left running when it was killed. A process is signalled only if it is the one that
 * was recorded and belongs to this user.
 */
export async function endLeftovers(path: string, machine: RecordMachine, log: Log): Promise<void> {
  const entries = await readEntries(path, machine);
  await rm(path, { force: true });
  const results = await Promise.all(entries.map((entry) => endLeftover(entry, machine)));
  const count = results.filter(Boolean).length;
  if (count > 0) log("info", "programs.leftovers_ended", { count });
}

/** A file that another user owns or can write could name any process, so it is ignored. */
async function readEntries(path: string, { uid }: RecordMachine): Promise<ProgramEntry[]> {
  try {
    const read = Entries.safeParse(JSON.parse((await readOwnFile(path, uid)) ?? ""));
    return read.success ? read.data.slice(0, MAX_PROGRAMS) : [];
  } catch {
    return [];
  }
}

async function endLeftover(entry: ProgramEntry, machine: RecordMachine): Promise<boolean> {
  const { pid } = entry;
  const isSame = async () => {
    const now = await readIdentity(pid, machine.platform);
    return now?.started === entry.started && now.owner === entry.owner && now.owner === machine.uid;
  };
  if (!Number.isSafeInteger(pid) || pid <= 1 || pid === machine.pid || !(await isSame())) return false;
  signalTree(machine, pid, "SIGTERM");
  for (let waitedMs = 0; waitedMs < EXIT_LIMIT_MS; waitedMs += PAUSE_MS) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (!(await isSame())) break;
  }
  signalTree(machine, pid, "SIGKILL");
  return true;
}

/** Returns owner and start time of a process; undefined if it is not running, or the system cannot identify it. */
async function readIdentity(
  pid: number,
  platform: string,
): Promise<Pick<ProgramEntry, "owner" | "started"> | undefined> {
  const owner = (await identifyProcess(platform, pid))?.uid;
  const started = platform === "linux" ? await readLinuxStart(pid) : await askPsForStart(pid).catch(() => "");
  return owner === undefined || started === "" ? undefined : { owner, started };
}

async function readLinuxStart(pid: number): Promise<string> {
  const started = await createProcesses(pid, () => false).getStartTime(pid);
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return started ? `${boot.trim()} ${started}` : "";
}

async function askPsForStart(pid: number): Promise<string> {
  const env = { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" };
  return (await run("ps", ["-o", "lstart=", "-p", String(pid)], { env })).stdout.trim();
}

const run = promisify(execFile);

/** Ports for ending programs. */
export type ProgramMachine = Pick<Machine, "kill" | "platform">;

/**
 * Signals a program and its children. On Windows, which has no process groups, every signal ends the tree by force; the
 * program itself must still run then.
 */
export function signalTree({ kill, platform }: ProgramMachine, pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  if (platform === "win32") {
    const options = { stdio: "ignore", windowsHide: true } as const;
    spawn("taskkill", ["/pid", String(pid), "/t", "/f"], options).on("error", () => {});
    return;
  }
  try {
    kill(-pid, signal);
  } catch {
    // The group has already exited.
  }
}
