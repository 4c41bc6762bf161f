import { Box, Text } from "ink";
import type { ReactNode } from "react";
import type { LiveFrame } from "../session/live-frame.ts";
import { Lines } from "./card.tsx";

/** The part of the live region below streaming text and running calls. */
type Below = Omit<LiveFrame, "text" | "tools" | "cursor">;

/**
 * Shows the live region below the streaming part. Each row is laid out already (`layOutLiveRegion`). The box is wider
 * than the rows, because Ink counts some characters differently and would cut them off.
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
