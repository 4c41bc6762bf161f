import { PassThrough, Writable } from "node:stream";
import { type Instance, render } from "ink";
import type { ReactElement } from "react";

/** Lays out elements for a terminal of some size. */
export type InkRenderer = {
  /** The element as lines, without empty ones at the end. */
  draw(element: ReactElement): string[];
  /** From the next `draw` on the terminal has so many columns. */
  resize(columns: number): void;
  /** Nothing is drawn any more. */
  end(): void;
};

/**
 * Make a {@link Drawer}: one instance of Ink that stays, since that is faster than a new one for each frame. It touches no stream of the
 * process, reads no key and starts no timer; for signals it listens, but leaves them to whoever else does.
 *
 * @param hasColor false takes all styles away, which Ink has also where nobody wants them (NO_COLOR)
 */
export function createInkRenderer(size: { columns: number; rows: number }, hasColor: boolean): InkRenderer {
  const stdout = new Paper(size.columns, size.rows);
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

/** In `debug` mode each frame is written whole, at once. What would look at the environment (CI, a screen reader) is said. */
function getOptions(stdout: Paper) {
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

/** A stream that keeps what was written last. */
class Paper extends Writable {
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
