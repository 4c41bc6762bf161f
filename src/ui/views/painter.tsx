import { closeStyles } from "../screen/diff-line.ts";
import { pinColumns } from "../screen/pin-columns.ts";
import type { ScreenFrame } from "../screen/screen.ts";
import type { LiveFrame } from "../session/live-frame.ts";
import { createInkRenderer } from "./draw.tsx";
import { LiveRegion } from "./live.tsx";

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
