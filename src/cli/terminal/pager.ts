import { stripVTControlCharacters } from "node:util";
import { toLine } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { splitCommand } from "./browser.ts";
import { runOnTerminal } from "./run-on-terminal.ts";
import { isCi, type Terminal } from "./terminal.ts";

/** Defaults for less and lv if the user sets none: show colors, and leave the text on the screen. */
const DEFAULTS = { LESS: "FRX", LV: "-c" };

/** Ports to show a text. */
export type PagerPorts = Pick<Kay, "env" | "terminal" | "signal" | "catchInterrupts"> & {
  flags: { json: boolean; input: boolean; plain: boolean };
  showInPager(pager: string, text: string, signal: AbortSignal): Promise<boolean>;
  warn(text: string): void;
};

/**
 * Shows a text with the user's pager (PAGER). Text that fits the terminal, a missing keyboard and `cat` need none.
 * While the pager runs, Ctrl+C belongs to it.
 * @returns whether it was shown
 */
export async function showInPager(text: string, ports: PagerPorts): Promise<boolean> {
  const { env, terminal, flags, signal } = ports;
  const pager = env.PAGER?.trim();
  if (!pager || pager === "cat" || flags.json || flags.plain || !flags.input || isCi(env)) return false;
  if (!terminal.stdin.isTerminal || !terminal.stdout.isTerminal || fits(text, terminal.stdout)) return false;
  const release = ports.catchInterrupts(() => {});
  try {
    if (await ports.showInPager(pager, text, signal)) return true;
  } finally {
    release();
  }
  ports.warn(`The pager could not be started (PAGER=${toLine(pager)}).`);
  return false;
}

/** Runs a pager on this terminal, never through a shell. Resolves to whether it started. */
export async function runPager(
  pager: string,
  text: string,
  { env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<boolean> {
  const [command = "", ...args] = splitCommand(pager);
  const options = { input: text, env: { ...DEFAULTS, ...env }, signal };
  return (await runOnTerminal({ command, args }, options)) !== null;
}

/** Whether a text leaves a free row on the terminal. */
function fits(text: string, { columns, rows }: Terminal["stdout"]): boolean {
  const lines = stripVTControlCharacters(text).replace(/\n$/, "").split("\n");
  const width = columns();
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0) < rows();
}
