import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { Kay } from "../kay.ts";
import type { Terminal } from "./terminal.ts";

/** What was switched on in the terminal: it is switched off once, on whatever way out. */
export type TerminalModes = Pick<Terminal, "modes" | "suspend" | "onContinue"> & {
  raw(on: boolean): void;
  /** Put the terminal back as it was, now and for good. */
  restore(): void;
};

type Modes = { on: string; off: string; leave(): void; done(): void };

/** A process that nobody stops though it asked for it (it has no shell) takes the terminal back after this long, in ms. */
const STOP_MS = 100;

/** Keep account of the terminal's modes. `write` reaches the terminal at once. */
export function createTerminalModes(
  streams: ProcessStreams,
  isTerminal: boolean,
  write: (text: string) => void,
): TerminalModes {
  const held = new Set<Modes>();
  const listeners = new Set<() => void>();
  let isRaw = false;
  let isAway = false;
  let unwatch: (() => void) | undefined;

  const raw = (on: boolean) => {
    if (isTerminal && isRaw !== on) streams.stdin().setRawMode(on);
    isRaw = isTerminal && on;
  };
  const leave = (modes: Modes) => {
    modes.leave();
    write(modes.off);
  };
  const takeBack = () => {
    isAway = false;
    // The shell may have changed the mode meanwhile, of which the stream knows nothing: only a change is carried out.
    if (isRaw) {
      streams.stdin().setRawMode(false);
      streams.stdin().setRawMode(true);
    }
    for (const { on } of held) write(on);
    for (const listener of listeners) listener();
  };
  const release = (modes: Modes) => {
    if (!held.delete(modes)) return;
    if (!isAway) leave(modes);
    modes.done();
    if (held.size === 0) unwatch?.();
  };

  return {
    raw,
    modes(on, off, leave = () => {}) {
      const modes = { on, off, leave, done: streams.guard?.(off) ?? (() => {}) };
      if (held.size === 0) unwatch = streams.onContinue?.(takeBack);
      held.add(modes);
      write(on);
      return () => release(modes);
    },
    suspend() {
      if (!streams.stop || isAway) return;
      for (const modes of [...held].reverse()) leave(modes);
      if (isRaw) streams.stdin().setRawMode(false);
      isAway = true;
      streams.stop();
      setTimeout(() => isAway && takeBack(), STOP_MS);
    },
    onContinue(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    restore() {
      for (const modes of [...held].reverse()) release(modes);
      raw(false);
    },
  };
}

/** Ctrl+C, and who hears it. */
export type Interrupts = { interrupt(): void; catchInterrupts: Kay["catchInterrupts"] };

/** @param otherwise what Ctrl+C does while nobody catches it */
export function createInterrupts(otherwise: () => void): Interrupts {
  let handler = otherwise;
  return {
    interrupt: () => handler(),
    catchInterrupts(caught) {
      const before = handler;
      handler = caught;
      return () => {
        handler = before;
      };
    },
  };
}

/**
 * Put the terminal right also when this process is killed at once (`kill -9`): a shell in a session of its own, which no job control
 * stops, waits until it is told that all is well, or until this process is gone. To be started some 10 ms before the terminal is made raw,
 * so that it sees how it was; else it gives back what raw mode usually takes. Where there is no shell, or no `stty`, nothing happens.
 *
 * @param off what ends the terminal's modes
 * @returns tells it that the terminal was put right
 */
export function startWatchdog(off: string, env: Record<string, string | undefined>): () => void {
  const child = spawn("/bin/sh", ["-c", SCRIPT], {
    stdio: ["inherit", "inherit", "ignore", "pipe"],
    detached: true,
    cwd: "/",
    env: { PATH: env.PATH ?? "/usr/bin:/bin", OFF: off, LC_ALL: "C" },
  });
  const pipe = child.stdio[3] as Writable & { unref?(): void };
  child.on("error", () => {});
  pipe.on("error", () => {});
  child.unref();
  pipe.unref?.();
  return () => void pipe.end("done\n");
}

/**
 * The modes are set back only where the terminal is still raw (no keys that signal): a shell that noticed first has its own by then. What
 * is written comes first for the same reason. What is left of the frame below the cursor is erased.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM TSTP TTIN TTOU
saved=$(stty -g) || exit 0
case $(stty -a) in *-isig*) saved='brkint icrnl ixon echo icanon iexten isig' ;; esac
read -r word <&3
[ "$word" = done ] && exit 0
printf '%s\\033[J' "$OFF"
case $(stty -a) in *-isig*) stty $saved ;; esac
`;

/** The process's own streams and what they need around them. A stream is opened at its first use: most commands need one of the three. */
export type ProcessStreams = {
  stdin(): NodeJS.ReadStream;
  stdout(): NodeJS.WriteStream;
  stderr(): NodeJS.WriteStream;
  /** Whether descriptor 0, 1 or 2 is a terminal. */
  isTerminal(descriptor: 0 | 1 | 2): boolean;
  /** Ctrl+C pressed while keys are read raw: the same as SIGINT. */
  interrupt(): void;
  /** The terminal that is read raw went away: the same as SIGHUP. */
  hangUp(): void;
  /** Stop this process and its job; absent where there are no jobs. */
  stop?(): void;
  /** To be told whenever this process goes on after it was stopped. */
  onContinue?(listener: () => void): () => void;
  /** Have somebody else write `off`, and end raw mode, should this process be killed before it calls what is returned. */
  guard?(off: string): () => void;
  /** stdout's reader went away (EPIPE): the command ends quietly. */
  readerGone(): void;
  /** Output could not be written for another reason (a full disk): its errno. */
  cannotWrite(errno: string): void;
  /** KAY_FORCE_TTY: treat the output as a terminal of this many columns. */
  forcedColumns?: number;
};
