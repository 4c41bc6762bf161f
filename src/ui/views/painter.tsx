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
      return { lines: drawer.draw(<Live frame={frame} />).map(pinned), cursor: frame.cursor };
    },
  };
}
