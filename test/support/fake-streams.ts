import { PassThrough } from "node:stream";
import type { ProcessStreams } from "#cli/terminal/modes";

/**
 * A process's streams: data written to `stdin` was typed or piped, `modes` has each switch to raw mode (true) and back.
 */
export type FakeStreams = ProcessStreams & {
  typed: PassThrough;
  out: PassThrough;
  err: PassThrough;
  modes: boolean[];
  interrupts: number;
  gone: number;
  hungUp: number;
};

/** Creates {@link FakeStreams}; all three are terminals if `terminal` is true. */
export function fakeStreams(terminal: boolean): FakeStreams {
  const [input, out, err] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const streams: FakeStreams = {
    typed: input,
    out,
    err,
    modes: [],
    interrupts: 0,
    gone: 0,
    hungUp: 0,
    stdin: () =>
      Object.assign(input, { setRawMode: (on: boolean) => streams.modes.push(on) }) as unknown as NodeJS.ReadStream,
    stdout: () => out as unknown as NodeJS.WriteStream,
    stderr: () => err as unknown as NodeJS.WriteStream,
    isTerminal: () => terminal,
    interrupt: () => {
      streams.interrupts += 1;
    },
    hangUp: () => {
      streams.hungUp += 1;
    },
    readerGone: () => {
      streams.gone += 1;
    },
    cannotWrite: () => {},
  };
  return streams;
}
