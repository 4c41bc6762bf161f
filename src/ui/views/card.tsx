import { Box, Text } from "ink";
import { type CardProps, layOutCard } from "../cards/card-layout.ts";
import type { Row, Span } from "../cards/row.ts";
import type { Style } from "../style.ts";

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
export function Lines({ rows }: { rows: Row[] }) {
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
