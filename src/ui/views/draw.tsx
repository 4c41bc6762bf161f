import { PassThrough, Writable } from "node:stream";
import { type Instance, render } from "ink";
import type { ReactElement } from "react";

/** Lays out elements for a terminal. */
export type InkRenderer = {
  /** Returns the element as lines, without trailing empty ones. */
  draw(element: ReactElement): string[];
  /** Sets the number of columns for the next `draw`. */
  resize(columns: number): void;
  /** Releases the renderer. */
  end(): void;
};

/**
 * Creates a renderer with one lasting instance of Ink, which is faster than one per frame. It uses no stream of the
 * process, reads no keys and starts no timers. It listens for signals but leaves them to other handlers.
 *
 * @param hasColor whether to keep styles, which Ink adds even with NO_COLOR
 */
export function createInkRenderer(size: { columns: number; rows: number }, hasColor: boolean): InkRenderer {
  const stdout = new LastChunkStream(size.columns, size.rows);
  let instance: Instance | undefined;
  return {
    draw(element) {
      if (instance) instance.rerender(element);
      else instance = render(element, getOptions(stdout));
      const lines = (hasColor ? stdout.text : stdout.text.replace(STYLES, "")).split("\n");
      return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
    },
    resize(columns) {
      if (columns === stdout.columns) return;
      stdout.columns = columns;
      stdout.emit("resize");
    },
    end: () => instance?.unmount(),
  };
}

/**
 * Returns options for Ink. In `debug` mode it writes each whole frame at once. The other options keep Ink from checking
 * the environment.
 */
function getOptions(stdout: LastChunkStream) {
  return {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: new PassThrough() as unknown as NodeJS.WriteStream,
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
    debug: true,
    interactive: true,
    isScreenReaderEnabled: false,
    patchConsole: false,
    exitOnCtrlC: false,
  };
}

/** A stream that keeps only the last chunk. */
class LastChunkStream extends Writable {
  readonly isTTY = true;
  columns: number;
  readonly rows: number;
  text = "";

  constructor(columns: number, rows: number) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.rows = rows;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text = String(chunk);
    done();
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const STYLES = /\x1b\[[\d;:]*m/g;
