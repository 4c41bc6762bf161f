import { ASK_POSITION } from "#ui/keys/key";
import { detectReflow } from "#ui/screen/reflow";
import { createScreen, SESSION_MODES } from "#ui/screen/screen";
import { type ScrollbackState, SPINNER_MARK } from "#ui/session/live-content";
import { type LiveFrame, layOutLiveRegion } from "#ui/session/live-frame";
import { advanceScrollback, createScrollbackState } from "#ui/session/scrollback";
import type { Session } from "#ui/session/state";
import { isBusy } from "#ui/session/turn";
import type { Look } from "#ui/style";
import type { Painter } from "#ui/views/painter";
import type { Kay } from "../kay.ts";
import { wrapSentences } from "../output/wrap.ts";
import { canOpenLinks } from "../terminal/known-terminals.ts";

/** The part of a session that is on the terminal. */
export type SessionScreen = {
  /** Adds finished text to the scrollback, with the next frame. */
  say(text: string): void;
  /**
   * Draws soon: after a key once all input that arrived with it is handled, otherwise together with the next changes.
   */
  show(session: Session, soon: "now" | "soon"): void;
  /** Starts another conversation. */
  reset(): void;
  /** Handles a new window size: asks the terminal for the cursor position, and draws once it answers. */
  resize(): void;
  /** Handles the terminal's answer: the cursor's row, from 0. */
  locate(row: number): void;
  /** Returns how text is displayed now. */
  look(): Look;
  /** Draws everything again because the terminal's content is unknown. */
  redraw(): void;
  /** Clears the window except for the frame; the text above is in the scrollback. */
  clearWindow(): void;
  /** Writes an invisible sequence. */
  writeHidden(sequence: string): void;
  /** Lends the terminal to another program. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Prints everything that is final, removes the live region, and restores the terminal. Resolves when a terminal that
   * answers questions has done so: keys up to then are encoded for a session, and must not reach the shell.
   */
  end(): Promise<void>;
};

/** Minimum time between two drawings of streamed text, in ms. Keys are shown at once. */
const CADENCE_MS = 50;

/** How long a terminal may take to report its cursor, in ms. */
const LOCATE_MS = 250;

/** How long the end of a session waits for the terminal, in ms. */
const DRAIN_MS = 150;

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Duration of each spinner frame, in ms. */
const SPIN_MS = 200;

/**
 * Creates the screen.
 *
 * @param client name of this terminal's client
 * @param onDrawn called for each drawn frame with the state of the scrollback and the newly added text
 */
export function createSessionScreen(
  kay: Kay,
  painter: Painter,
  client: string,
  onDrawn: (frame: LiveFrame, blocks: ScrollbackState, commit: string) => void,
): SessionScreen {
  const { stdout } = kay.terminal;
  const getSize = () => ({ columns: stdout.columns(), rows: stdout.rows() });
  const look = (): Look & { links: boolean } => ({
    width: getSize().columns,
    paint: kay.out.paint,
    links: canOpenLinks(kay.env),
    client,
  });
  const screen = createScreen({ write: (text) => stdout.write(text), size: getSize, reflows: detectReflow(kay.env) });
  let blocks = createScrollbackState();
  let latest: Session | null = null;
  let away = false;
  let isStopped = false;
  let drawnAt = 0;
  let waiting: AbortController | null = null;
  let isUrgent = false;
  // Stops drawing, so that a late timer does not draw.
  const leave = () => {
    isStopped = true;
    screen.clear();
  };
  const hold = () => {
    isStopped = false;
    return kay.terminal.modes(SESSION_MODES.on, SESSION_MODES.off, leave);
  };
  let locating: AbortController | null = null;
  /** Questions for the cursor position without an answer, and whether this terminal has answered one. */
  let openQuestions = 0;
  let hasAnswered = false;
  let drained = () => {};
  const askPosition = () => {
    openQuestions += 1;
    stdout.write(ASK_POSITION);
  };
  let release = hold();
  /** Passes final text to the screen. */
  const commitFinal = ({ view }: Session) => {
    const next = advanceScrollback(blocks, view, look());
    blocks = next.blocks;
    screen.commit(next.commit);
    return next;
  };
  const draw = () => {
    waiting?.abort();
    waiting = null;
    isUrgent = false;
    if (!latest || away || isStopped || locating) return;
    drawnAt = kay.clock.now();
    const spin = SPINNER[Math.floor(drawnAt / SPIN_MS) % SPINNER.length] ?? "";
    const { live, commit } = commitFinal(latest);
    const tools = live.tools.map((row) => (row.startsWith(SPINNER_MARK) ? spin + row.slice(1) : row));
    const frame = layOutLiveRegion(latest, { ...live, tools }, isBusy(latest) ? spin : " ");
    screen.draw(painter.paint(frame));
    onDrawn(frame, blocks, commit);
  };
  const takeLocation = (row?: number) => {
    if (!locating) return;
    locating.abort();
    locating = null;
    screen.markResized(row);
    draw();
  };
  return {
    say: (text) => screen.commit(`${wrapSentences(text, getSize().columns)}\n`),
    show(session, soon) {
      // Only a terminal that answers is waited for at the end. Keys are read from now on.
      if (latest === null) askPosition();
      latest = session;
      if (isUrgent) return;
      if (soon === "now") {
        // Keys that arrived together are drawn together.
        isUrgent = true;
        void Promise.resolve().then(() => isUrgent && draw());
        return;
      }
      if (waiting) return;
      waiting = new AbortController();
      const passed = kay.clock.now() - drawnAt;
      // A clock that was set back must not freeze the screen.
      const wait = passed < 0 ? CADENCE_MS : Math.max(0, CADENCE_MS - passed);
      void kay.clock.sleep(wait, waiting.signal).then(draw, () => {});
    },
    reset() {
      blocks = { ...createScrollbackState(), above: blocks.above };
    },
    look,
    resize() {
      screen.markResized();
      if (away || isStopped) return;
      locating?.abort();
      const mine = new AbortController();
      locating = mine;
      askPosition();
      void kay.clock.sleep(LOCATE_MS, mine.signal).then(
        () => takeLocation(),
        () => {},
      );
    },
    locate(row) {
      hasAnswered = true;
      openQuestions -= 1;
      if (openQuestions <= 0) drained();
      takeLocation(row);
    },
    redraw() {
      isStopped = false;
      screen.forget();
      draw();
    },
    clearWindow() {
      screen.clearWindow();
      draw();
    },
    writeHidden: (sequence) => stdout.write(sequence),
    async lend(work) {
      draw();
      screen.clear();
      away = true;
      release();
      try {
        return await work();
      } finally {
        release = hold();
        away = false;
        screen.forget();
        draw();
      }
    },
    async end() {
      waiting?.abort();
      const isLent = away;
      if (latest && !away) commitFinal(latest);
      away = true;
      screen.clear();
      release();
      // Nobody reads an answer while the terminal is lent, and after a signal it may be gone.
      if (isLent || kay.signal.aborted || !hasAnswered) return;
      askPosition();
      const limit = new AbortController();
      drained = () => limit.abort();
      await kay.clock.sleep(DRAIN_MS, limit.signal).catch(() => {});
    },
  };
}
