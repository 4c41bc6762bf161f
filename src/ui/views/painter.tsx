import { PassThrough, Writable } from "node:stream";
import { Box, type Instance, render, Text } from "ink";
import type { ReactElement, ReactNode } from "react";
import { type CardProps, layOutCard } from "../cards/card-layout.ts";
import type { Row, Span } from "../cards/row.ts";
import { pinColumns } from "../screen/cells.ts";
import { closeStyles } from "../screen/diff-line.ts";
import type { ScreenFrame } from "../screen/screen.ts";
import type { LiveFrame } from "../session/live-frame.ts";
import type { Style } from "../style.ts";

/** Draws the frames of a session. Holds only memory and needs no cleanup. */
export type Painter = { paint(frame: LiveFrame): ScreenFrame };

/**
 * Creates the painter of a session. Streaming rows change in each frame and have their colors already; Ink lays out the
 * rest only when it changes.
 */
export function createPainter(size: { columns: number; rows: number }, hasColor: boolean): Painter {
  const drawer = createInkRenderer(size, hasColor);
  let previous = "";
  let drawn: string[] = [];
  return {
    paint({ text, tools, cursor, ...below }) {
      const now = JSON.stringify(below);
      if (now !== previous) {
        drawer.resize(below.width);
        drawn = drawer.draw(<LiveRegion frame={below} />).map(pinColumns);
        previous = now;
      }
      const lines = [...[...text, ...tools].map((row) => pinColumns(closeStyles(row))), ...drawn];
      // The cursor may be in a row that is still empty.
      while (cursor && lines.length <= cursor.row) lines.push("");
      return { lines, cursor };
    },
  };
}

/** The part of the live region below streaming text and running calls. */
type Below = Omit<LiveFrame, "text" | "tools" | "cursor">;

/**
 * Shows the live region below the streaming part. Each row is laid out already (`layOutLiveRegion`). The box is wider
 * than the rows, because Ink counts some characters differently and would cut them off.
 */
function LiveRegion({ frame }: { frame: Below }): ReactNode {
  const { width, card, queue, rule, composer, composerDim, offer, hint, status } = frame;
  return (
    <Box flexDirection="column" width={width * 2}>
      <Lines rows={card} />
      <Rows rows={queue} dim />
      {rule ? <Rows rows={["─".repeat(width)]} dim /> : null}
      <Rows rows={composer} dim={composerDim} />
      {offer.map(({ text: candidate, chosen }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a candidate is its place
        <Text key={index} wrap="truncate" inverse={chosen}>
          {`${chosen ? "❯" : " "} ${candidate}`}
        </Text>
      ))}
      {hint === null ? null : (
        <Text bold wrap="truncate">
          {hint}
        </Text>
      )}
      {status === null ? null : <Rows rows={[status === "" ? " " : status]} dim />}
    </Box>
  );
}

function Rows({ rows, dim = false }: { rows: readonly string[]; dim?: boolean }): ReactNode {
  return rows.map((row, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
    <Text key={index} wrap="truncate" dimColor={dim}>
      {row === "" ? " " : row}
    </Text>
  ));
}

/**
 * Shows a card in its border. Every row is laid out already (`layOutCard`), and Ink only adds colors. The box is wider
 * than the card, because Ink counts some characters differently and would cut them off.
 */
export function Card(props: CardProps) {
  return (
    <Box flexDirection="column" width={props.width * 2} flexShrink={0}>
      <Lines rows={layOutCard(props).rows} />
    </Box>
  );
}

/** Shows rows that are laid out already. */
function Lines({ rows }: { rows: Row[] }) {
  return rows.map((row, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
    <Line key={index} row={row} />
  ));
}

function Line({ row }: { row: Row }) {
  return (
    <Text wrap="truncate">
      {row.map((span, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a span is its place
        <Piece key={index} span={span} />
      ))}
    </Text>
  );
}

function Piece({ span: { text, style } }: { span: Span }) {
  return style ? <Text {...PROPS[style]}>{text}</Text> : text;
}

const PROPS: Record<Style, Parameters<typeof Text>[0]> = {
  bold: { bold: true },
  dim: { dimColor: true },
  italic: { italic: true },
  strikethrough: { strikethrough: true },
  red: { color: "red" },
  green: { color: "green" },
  yellow: { color: "yellow" },
  cyan: { color: "cyan" },
  magenta: { color: "magenta" },
  underline: { underline: true },
};

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

  override _write(chunk: unknown, _encoding: string, callback: () => void): void {
    this.text = String(chunk);
    callback();
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const STYLES = /\x1b\[[\d;:]*m/g;
