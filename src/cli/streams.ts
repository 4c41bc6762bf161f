import type { ReadStream, WriteStream } from "node:tty";
import type { Sink, Source, Terminal } from "./terminal.ts";

/** The process's own streams and what they need around them. */
export type Streams = {
  stdin: NodeJS.ReadStream | ReadStream;
  stdout: NodeJS.WriteStream | WriteStream;
  stderr: NodeJS.WriteStream | WriteStream;
  /** Ctrl+C pressed while keys are read raw: the same as SIGINT. */
  interrupt(): void;
  /** stdout's reader went away (EPIPE): the command ends quietly. */
  readerGone(): void;
  /** KAY_FORCE_TTY: treat the output as a terminal of this many columns. */
  forcedColumns?: number;
};

/** What was typed before a question is dropped for this long, in ms: a line switched to raw hands over what the kernel held. */
const DROP_MS = 40;

/** Make the {@link Terminal} of real streams. `restore` puts the terminal back into its usual mode, whatever happened. */
export function fromStreams(streams: Streams): Terminal & { restore(): void } {
  const { stdin } = streams;
  for (const stream of [streams.stdout, streams.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE" || error.code === "EIO") streams.readerGone();
      else throw error;
    });
  }
  const raw = (on: boolean) => {
    if (stdin.isTTY && stdin.isRaw !== on) stdin.setRawMode(on);
  };
  let forgotten = false;
  const source: Source = {
    isTerminal: Boolean(stdin.isTTY),
    read: (signal) => readBytes(stdin, signal),
    keys: (onKey) => readKeys(streams, raw, onKey),
    forget: async () => {
      if (stdin.isTTY) await dropTyped(stdin, raw);
      forgotten = true;
    },
    line: async (signal) => {
      if (stdin.isTTY && !forgotten) await dropTyped(stdin, raw);
      forgotten = false;
      return readLine(stdin, signal);
    },
  };
  return {
    stdin: source,
    stdout: sink(streams.stdout, streams.forcedColumns),
    stderr: sink(streams.stderr, streams.forcedColumns),
    restore: () => raw(false),
  };
}

function sink(stream: NodeJS.WriteStream | WriteStream, forced?: number): Sink {
  return {
    write: (text) => void stream.write(text),
    isTerminal: Boolean(stream.isTTY) || forced !== undefined,
    columns: () => forced ?? (stream.columns || 80),
  };
}

async function* readBytes(stdin: NodeJS.ReadStream, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let wake = () => {};
  let ended = false;
  const onData = (chunk: Buffer | string) => {
    chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    wake();
  };
  const onEnd = () => {
    ended = true;
    wake();
  };
  // Explicitly: a stream that was paused before does not flow again for a new listener.
  stdin.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onEnd).resume();
  signal.addEventListener("abort", onEnd, { once: true });
  try {
    while (true) {
      const chunk = chunks.shift();
      if (chunk) yield chunk;
      else if (ended || signal.aborted) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener("abort", onEnd);
    stdin.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onEnd);
    stdin.pause();
  }
}

function readKeys(streams: Streams, raw: (on: boolean) => void, onKey: (key: string) => void): () => void {
  const { stdin } = streams;
  if (!stdin.isTTY) return () => {};
  const onData = (chunk: Buffer | string) => {
    // An escape sequence (an arrow, a report of the terminal) is no key of ours.
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

async function dropTyped(stdin: NodeJS.ReadStream, raw: (on: boolean) => void): Promise<void> {
  const ignore = () => {};
  raw(true);
  stdin.on("data", ignore).resume();
  await new Promise((resolve) => setTimeout(resolve, DROP_MS));
  stdin.off("data", ignore).pause();
  raw(false);
}

async function readLine(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string | null> {
  let text = "";
  for await (const chunk of readBytes(stdin, signal)) {
    text += Buffer.from(chunk).toString("utf8");
    if (/[\r\n]/.test(text)) return text.split(/[\r\n]/)[0] ?? "";
  }
  return text || null;
}
