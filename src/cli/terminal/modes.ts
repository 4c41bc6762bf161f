import type { ProcessStreams } from "./streams.ts";
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
