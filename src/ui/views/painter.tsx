import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { type CardProps, layOutCard } from "../cards/card-layout.ts";
import type { Row, Span } from "../cards/row.ts";
import { pinColumns } from "../screen/cells.ts";
import { closeStyles } from "../screen/diff-line.ts";
import type { ScreenFrame } from "../screen/screen.ts";
import type { LiveFrame } from "../session/live-frame.ts";
import type { Style } from "../style.ts";
import { createInkRenderer } from "./draw.tsx";

/** Draws the frames of a session. Holds only memory and needs no cleanup. */
export type Painter = { paint(frame: LiveFrame): ScreenFrame };

/**
 * Creates the painter of a session. Streaming rows differ in each frame and have their colors already; Ink lays out the
 * rest only when it changed.
 */
export function createPainter(size: { columns: number; rows: number }, hasColor: boolean): Painter {
  const drawer = createInkRenderer(size, hasColor);
  let before = "";
  let drawn: string[] = [];
  return {
    paint({ text, tools, cursor, ...below }) {
      const now = JSON.stringify(below);
      if (now !== before) {
        drawer.resize(below.width);
        drawn = drawer.draw(<LiveRegion frame={below} />).map(pinColumns);
        before = now;
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
