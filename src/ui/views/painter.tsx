import { pinned } from "../pinned.ts";
import type { Frame as ScreenFrame } from "../screen.ts";
import type { Frame } from "../session/frame.ts";
import { createDrawer } from "./draw.tsx";
import { Live } from "./live.tsx";

/** Draws frames of a session with Ink. It needs no end: it holds nothing but memory. */
export type Painter = { paint(frame: Frame): ScreenFrame };

/** One for each session. */
export function createPainter(size: { columns: number; rows: number }, hasColor: boolean): Painter {
  const drawer = createDrawer(size, hasColor);
  return {
    paint(frame) {
      drawer.resize(frame.width);
      const lines = drawer.draw(<Live frame={frame} />).map(pinned);
      // The cursor may be in a row that is still empty.
      while (frame.cursor && lines.length <= frame.cursor.row) lines.push("");
      return { lines, cursor: frame.cursor };
    },
  };
}
