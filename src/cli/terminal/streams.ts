import { createTerminalModes, type ProcessStreams, type TerminalModes } from "./modes.ts";
import type { Sink, Source, Terminal } from "./terminal.ts";

/**
 * For how long input typed before a question is dropped, in ms: after the switch to raw mode, the kernel delivers
 * buffered input.
 */
const DROP_MS = 40;

/** Streams as a {@link Terminal}, with functions for the end of the process. */
export type StreamTerminal = Terminal & {
  /** Restores the terminal's usual mode. */
  restore(): void;
  /** Resolves when all output is written or has failed. */
  waitForDrain(): Promise<void>;
};

/** Creates the {@link Terminal} of real streams. */
export function createTerminal(streams: ProcessStreams): StreamTerminal {
  const isTerminal = streams.isTerminal(0);
  const outputs = [getSink(streams, 1), getSink(streams, 2)] as const;
  const { raw, ...held } = createTerminalModes(streams, isTerminal, outputs[0].write);
  const echo = isTerminal && outputs[1].isTerminal ? outputs[1].write : null;
  return {
    ...held,
    stdin: getSource(streams, isTerminal, { ...held, raw, echo }),
    stdout: outputs[0],
    stderr: outputs[1],
    waitForDrain: async () => {
      await Promise.all(outputs.map((output) => output.drained()));
    },
  };
}

/** The keyboard's modes. Without `echo`, the terminal echoes lines itself. */
type Keyboard = Pick<TerminalModes, "raw" | "modes" | "suspend" | "onContinue"> & {
  echo: ((text: string) => void) | null;
};

function getSource(streams: ProcessStreams, isTerminal: boolean, keyboard: Keyboard): Source {
  const { raw, echo } = keyboard;
  let forgotten = false;
  let rest = "";
  return {
    isTerminal,
    read: (signal) => readBytes(streams.stdin(), signal),
    bytes: (onBytes) => (isTerminal ? readAll(streams, raw, onBytes) : () => {}),
    forget: async () => {
      const input = isTerminal ? rest.replaceAll("\r", "\n") + (await dropTyped(streams, raw)) : "";
      [forgotten, rest] = [true, ""];
      return input;
    },
    line: async (signal, { more = false, show = () => {} } = {}) => {
      if (isTerminal && !forgotten && !more) await dropTyped(streams, raw);
      forgotten = false;
      if (!echo) {
        show();
        return readLine(streams.stdin(), signal);
      }
      const read = await readTypedLine(streams, { ...keyboard, echo }, { before: more ? rest : "", show, signal });
      rest = read.rest;
      return read.line;
    },
  };
}

function getSink(streams: ProcessStreams, descriptor: 1 | 2): Sink & { drained(): Promise<void> } {
  let stream: NodeJS.WriteStream | undefined;
  const open = () => {
    stream ??= (descriptor === 1 ? streams.stdout() : streams.stderr()).on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "EIO") streams.cannotWrite(error.code ?? error.message);
      // A closed progress stream is not a reason to stop the work.
      else if (descriptor === 1) streams.readerGone();
    });
    return stream;
  };
  return {
    write: (text) => void open().write(text),
    isTerminal: streams.isTerminal(descriptor) || streams.forcedColumns !== undefined,
    columns: () => streams.forcedColumns ?? (open().columns || 80),
    rows: () => open().rows || 24,
    onResize: (listener) => {
      open().on("resize", listener);
      return () => void open().off("resize", listener);
    },
    drained: async () => {
      if (!stream) return;
      if (!stream.destroyed && stream.writableLength > 0) await new Promise((resolve) => stream?.write("", resolve));
      // A file reports its failure after the write has returned.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

async function* readBytes(stdin: NodeJS.ReadStream, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let wake = () => {};
  // stdin may have ended before this listener was added, and reports that only once.
  let hasEnded = stdin.readableEnded || stdin.destroyed;
  const onData = (chunk: Buffer | string) => {
    chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    wake();
  };
  const onEnd = () => {
    hasEnded = true;
    wake();
  };
  // Resumes explicitly, because a paused stream does not resume for a new listener.
  stdin.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onEnd).resume();
  signal.addEventListener("abort", onEnd, { once: true });
  try {
    while (true) {
      const chunk = chunks.shift();
      if (chunk) yield chunk;
      else if (hasEnded || signal.aborted) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener("abort", onEnd);
    stdin.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onEnd);
    stdin.pause();
  }
}

function readKeys(streams: ProcessStreams, raw: (on: boolean) => void, onKey: (key: string) => void): () => void {
  const stdin = streams.stdin();
  const onData = (chunk: Buffer | string) => {
    // Ignores escape sequences, such as arrows and terminal reports.
    if (String(chunk).startsWith("\x1b")) return;
    for (const key of String(chunk)) {
      if (key === "\x03") streams.interrupt();
      else onKey(key);
    }
  };
  raw(true);
  stdin.on("data", onData).resume();
  return () => {
    stdin.off("data", onData).pause();
    raw(false);
  };
}

function readAll(
  streams: ProcessStreams,
  raw: (on: boolean) => void,
  onBytes: (bytes: Uint8Array) => void,
): () => void {
  const stdin = streams.stdin();
  const onData = (chunk: Buffer | string) => onBytes(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  raw(true);
  stdin.on("data", onData).on("end", streams.hangUp).on("close", streams.hangUp).on("error", streams.hangUp).resume();
  return () => {
    stdin
      .off("data", onData)
      .off("end", streams.hangUp)
      .off("close", streams.hangUp)
      .off("error", streams.hangUp)
      .pause();
    raw(false);
  };
}

/** Drops earlier input, except Ctrl+C, which arrives as a key in raw mode. */
async function dropTyped(streams: ProcessStreams, raw: (on: boolean) => void): Promise<string> {
  let input = "";
  const drop = readKeys(streams, raw, (key) => {
    input += key;
  });
  await new Promise((resolve) => setTimeout(resolve, DROP_MS));
  drop();
  return input.replaceAll("\r", "\n");
}

/** Reads a line in raw mode. `before` was typed with the previous line. */
async function readTypedLine(
  streams: ProcessStreams,
  { raw, modes, suspend, onContinue, echo }: Keyboard & { echo(text: string): void },
  { before, show, signal }: { before: string; show(): void; signal: AbortSignal },
): Promise<{ line: string | null; rest: string }> {
  const { createTypedLine } = await import("./typed-line.ts");
  let isNew = false;
  // Earlier input has been echoed.
  const echoNew = (text: string) => isNew && echo(text);
  const typedLine = createTypedLine({ echo: echoNew, interrupt: streams.interrupt, suspend });
  // If this process is killed, another one ends raw mode.
  const release = modes("", "");
  const forget = onContinue(() => {
    echo("\r");
    show();
    echo(typedLine.getText());
  });
  raw(true);
  show();
  try {
    const decoder = new TextDecoder();
    let line = typedLine.push(before);
    isNew = true;
    for await (const chunk of line === undefined ? readBytes(streams.stdin(), signal) : []) {
      line = typedLine.push(decoder.decode(chunk, { stream: true }));
      if (line !== undefined) break;
    }
    return { line: line ?? null, rest: typedLine.getRest() };
  } finally {
    raw(false);
    forget();
    release();
  }
}

async function readLine(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of readBytes(stdin, signal)) {
    text += decoder.decode(chunk, { stream: true });
    if (/[\r\n]/.test(text)) return text.split(/[\r\n]/)[0] ?? "";
  }
  return text || null;
}
