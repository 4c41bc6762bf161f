import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Bench } from "./commands.ts";
import { onPty } from "./pty.ts";
import { median, type Program, processorTimes } from "./rounds.ts";
import { kay } from "./signed-in.ts";
import { type Row, ratio } from "./table.ts";

/** Other agents and command lines, with the arguments that start a session; gh has no session. */
const PEERS: [command: string, session?: string[]][] = [
  ["gh"],
  ["codex", []],
  ["claude", []],
  ["opencode", []],
  ["copilot", []],
  ["gemini", []],
];

/** Compares kay with its installed peers: the cost of `--version` and `--help`, and when a session shows something. */
export async function peers({ launcher, folder, rounds }: Bench): Promise<Row[]> {
  mkdirSync(folder, { recursive: true });
  // Nothing leaves this machine: no proxy listens there.
  const proxy = { HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9" };
  const env = { PATH: process.env.PATH ?? "", HOME: folder, ...proxy };
  const rows: Row[] = [];
  for (const [command, session] of PEERS) {
    if (!isInstalled(command)) {
      rows.push({ what: `kay / ${command}`, measured: "not installed" });
      continue;
    }
    for (const flag of ["--version", "--help"]) {
      const [mine = 0, theirs = 0] = await processorTimes(
        [kay(launcher, folder, [flag]), { command, args: [flag], env }],
        rounds,
      );
      rows.push(ratio(`kay ${flag} / ${command} ${flag}, processor`, mine, theirs, 1));
    }
    if (!session) continue;
    const { CI: _, ...terminal } = kay(launcher, folder, []).env;
    const mine: Program = { ...kay(launcher, folder, ["ask"]), env: terminal };
    const [first, second] = await firstBytes([mine, { command, args: session, env }]);
    rows.push(ratio(`first visible byte of kay ask / ${command}`, first, second, 1));
  }
  return rows;
}

/** Starts the programs in turn, five times, because some take seconds. Returns the median of each. */
async function firstBytes(programs: [Program, Program]): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < 5; round++) {
    for (const [index, program] of programs.entries()) {
      const terminal = onPty(program);
      times[index]?.push(await terminal.visibleAt());
      await terminal.kill();
    }
  }
  return [median(times[0]), median(times[1])];
}

function isInstalled(command: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, command)));
}
