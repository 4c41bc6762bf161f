import { Box, Text } from "ink";
import type { ReactNode } from "react";
import type { LiveFrame } from "../session/live-frame.ts";
import { Lines } from "./card.tsx";

/** What stands below the text that streams and the calls that work: what a person works with. */
type Below = Omit<LiveFrame, "text" | "tools" | "cursor">;

/**
 * The part of the session that is redrawn, without what streams. Each row is laid out already (`layFrame`); the box is wider, so that Ink, which
 * counts the cells of a few characters otherwise, cuts nothing off.
 */
export function LiveRegion({ frame }: { frame: Below }): ReactNode {
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
          {`  ${candidate}`}
        </Text>
      ))}
      {hint === null ? null : (
        <Text color="yellow" wrap="truncate">
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
