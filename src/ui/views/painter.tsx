import { pinned } from "../pinned.ts";
import { closed } from "../rewrite.ts";
import type { Frame as ScreenFrame } from "../screen.ts";
import type { Frame } from "../session/frame.ts";
import { createDrawer } from "./draw.tsx";
import { Live } from "./live.tsx";

/** Draws frames of a session. It needs no end: it holds nothing but memory. */
export type Painter = { paint(frame: Frame): ScreenFrame };

/**
 * One for each session. What streams are rows in their colours already, and they are other ones in each frame: Ink lays out what is below them,
 * where that changed.
 */
export function createPainter(size: { columns: number; rows: number }, hasColor: boolean): Painter {
  const drawer = createDrawer(size, hasColor);
  let before = "";
  let drawn: string[] = [];
  return {
    paint({ text, tools, cursor, ...below }) {
      const now = JSON.stringify(below);
      if (now !== before) {
        drawer.resize(below.width);
        drawn = drawer.draw(<Live frame={below} />).map(pinned);
        before = now;
      }
      const lines = [...[...text, ...tools].map((row) => pinned(closed(row))), ...drawn];
      // The cursor may be in a row that is still empty.
      while (cursor && lines.length <= cursor.row) lines.push("");
      return { lines, cursor };
    },
  };
}
