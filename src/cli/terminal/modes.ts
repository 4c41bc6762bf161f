import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { Kay } from "../kay.ts";
import type { Terminal } from "./terminal.ts";

/** Active terminal modes, which are switched off once, however kay exits. */
export type TerminalModes = Pick<Terminal, "modes" | "suspend" | "onContinue"> & {
  raw(on: boolean): void;
  /** Restores the terminal permanently. */
  restore(): void;
};

type Modes = { on: string; off: string; leave(): void; done(): void };

/** Time in ms after which a process takes the terminal back if its stop had no effect (without a job-control shell). */
const STOP_MS = 100;

/** Tracks the terminal's modes. `write` reaches the terminal at once. */
export function createTerminalModes(
  streams: ProcessStreams,
  isTerminal: boolean,
  write: (text: string) => void,
): TerminalModes {
  const active = new Set<Modes>();
  const listeners = new Set<() => void>();
  let isRaw = false;
  let isAway = false;
  let isReturning = false;
  let unwatch: (() => void) | undefined;
  let unwatchStops: (() => void) | undefined;

  const setRaw = (on: boolean) => {
    if (isTerminal && isRaw !== on) streams.stdin().setRawMode(on);
    isRaw = isTerminal && on;
  };
  const leave = (modes: Modes) => {
    modes.leave();
    write(modes.off);
  };
  const suspend = () => {
    if (!streams.stop || isAway) return;
    for (const modes of [...active].reverse()) leave(modes);
    if (isRaw) streams.stdin().setRawMode(false);
    isAway = true;
    // With a listener, the signal would not stop the process.
    unwatchStops?.();
    streams.stop();
    setTimeout(() => isAway && takeBack(), STOP_MS);
  };
  const takeBack = () => {
    // The shell may have changed the mode without the stream noticing, and only a change has an effect.
    if (isRaw) {
      streams.stdin().setRawMode(false);
      streams.stdin().setRawMode(true);
    }
    if (isReturning) return;
    isReturning = true;
    // After `bg`, the system stops the process in `setRawMode` until `fg`. That second SIGCONT is delivered in the next
    // turn of the event loop, and belongs to the same return.
    setImmediate(() => setImmediate(finishReturn));
  };
  const finishReturn = () => {
    [isAway, isReturning] = [false, false];
    if (active.size === 0) return;
    unwatchStops?.();
    unwatchStops = streams.onStop?.(suspend);
    for (const { on } of active) write(on);
    for (const listener of listeners) listener();
  };
  const release = (modes: Modes) => {
    if (!active.delete(modes)) return;
    if (!isAway) leave(modes);
    modes.done();
    if (active.size > 0) return;
    unwatch?.();
    unwatchStops?.();
  };

  return {
    raw: setRaw,
    modes(on, off, leave = () => {}) {
      const modes = { on, off, leave, done: streams.guard?.(off) ?? (() => {}) };
      if (active.size === 0) [unwatch, unwatchStops] = [streams.onContinue?.(takeBack), streams.onStop?.(suspend)];
      active.add(modes);
      write(on);
      return () => release(modes);
    },
    suspend,
    onContinue(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    restore() {
      for (const modes of [...active].reverse()) release(modes);
      setRaw(false);
    },
  };
}

/** Ctrl+C and its handler. */
export type Interrupts = { interrupt(): void; catchInterrupts: Kay["catchInterrupts"] };

/**
 * Creates the interrupts.
 *
 * @param otherwise action of Ctrl+C without a handler
 */
export function createInterrupts(otherwise: () => void): Interrupts {
  let handler = otherwise;
  return {
    interrupt: () => handler(),
    catchInterrupts(caught) {
      const previous = handler;
      handler = caught;
      return () => {
        handler = previous;
      };
    },
  };
}

/**
 * Restores the terminal even if this process is killed (`kill -9`): a shell in a separate session, which job control
 * cannot stop, waits until it is told that all is well or until this process is gone. Start it about 10 ms before raw
 * mode, so that it saves the original state; otherwise it restores the usual one. Does nothing without a shell or
 * `stty`.
 *
 * @param off sequence that ends the terminal's modes
 * @returns a function that reports that the terminal was restored
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
 * Resets the modes only if the terminal is still raw, because a shell may have set its own. Writes the output first for
 * the same reason. Erases the rest of the frame below the cursor.
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

/** The process's streams and their ports. A stream is opened at its first use, because most commands need only one. */
export type ProcessStreams = {
  stdin(): NodeJS.ReadStream;
  stdout(): NodeJS.WriteStream;
  stderr(): NodeJS.WriteStream;
  /** Whether descriptor 0, 1 or 2 is a terminal. */
  isTerminal(descriptor: 0 | 1 | 2): boolean;
  /** Handles Ctrl+C in raw mode like SIGINT. */
  interrupt(): void;
  /** Handles the loss of the terminal in raw mode like SIGHUP. */
  hangUp(): void;
  /** Stops this process and its job; absent without job control. */
  stop?(): void;
  /** Registers for a request to stop from another process (SIGTSTP), which then has no other effect. */
  onStop?(listener: () => void): () => void;
  /** Registers for the continuation of this process after a stop. */
  onContinue?(listener: () => void): () => void;
  /** Lets another process write `off` and end raw mode if this one is killed before it calls the returned function. */
  guard?(off: string): () => void;
  /** Called when stdout's reader has closed it (EPIPE); the command then ends quietly. */
  readerGone(): void;
  /** Called with the errno when output could not be written for another reason, such as a full disk. */
  cannotWrite(errno: string): void;
  /** KAY_FORCE_TTY: treat the output as a terminal of this many columns. */
  forcedColumns?: number;
};
