import { Problem } from "#protocol/errors";
import { findShortRequests } from "#ui/cards/card-action";
import { layOutCard, MIN_CARD_ROWS, TOO_LOW_HINT } from "#ui/cards/card-layout";
import type { CardUi } from "#ui/cards/card-state";
import { INITIAL_FOCUS, recordDrawn, recordKey, routeKey, updateCards } from "#ui/cards/focus";
import { type AnyCard, applyEdit, type CardAction, rejectAnswer, takesText, updateCard } from "#ui/cards/update-card";
import { ASK_POSITION, type Key } from "#ui/keys/key";
import { pinColumns, truncateCells } from "#ui/screen/cells";
import { detectReflow } from "#ui/screen/reflow";
import { createScreen } from "#ui/screen/screen";
import type { Kay } from "../kay.ts";
import { readPromptKeys } from "../terminal/keys.ts";
import { repeatEverySecond } from "../terminal/repeat.ts";

/** A card to prompt for. `card` returns its current state, and `signal` ends the prompt. */
export type CardQuestion = {
  card(): AnyCard;
  ui: CardUi;
  /** Position among the open requests. */
  position: { n: number; of: number };
  signal: AbortSignal;
  /** Requests more time from the backend for these requests. */
  extend?(ids: string[]): void;
  /** Opens or copies the address of a card. @throws Problem if that failed */
  visit?(mode: "open" | "copy"): Promise<void>;
};

/** The answer, and the state of the card with it; "next" if the user left a plan with Tab. */
export type CardAnswer = { act: Extract<CardAction, { do: "answer" | "answer all" }>; ui: CardUi } | "next";

/** How long a terminal may take to report its cursor, in ms. */
const LOCATE_MS = 250;

/** Rows of the window that a card leaves free. */
const FREE_ROWS = 3;

/**
 * Prompts with the card and the keys of a session, drawn below the cursor and then removed. As in a session, a key
 * counts once the card was visible for a while, and neither Enter nor a single Escape answers it.
 *
 * @throws Problem CANCELLED after Ctrl+C, INTERACTION_CLOSED when the signal ended it, INPUT_REQUIRED after Ctrl+D
 */
export async function askOnCard(kay: Kay, question: CardQuestion): Promise<CardAnswer> {
  const { stderr } = kay.terminal;
  const { card, position, signal } = question;
  const getSize = () => ({ columns: stderr.columns(), rows: stderr.rows() });
  const screen = createScreen({ write: stderr.write, size: getSize, reflows: detectReflow(kay.env) });
  const controller = new AbortController();
  const outcome = Promise.withResolvers<CardAnswer>();
  const getRoom = () => ({ width: stderr.columns(), maxRows: Math.max(3, stderr.rows() - FREE_ROWS) });
  let { ui } = question;
  let focus = updateCards(INITIAL_FOCUS, [card()]);
  let locating: AbortController | null = null;
  let isAway = false;
  let extended: number | undefined;

  const draw = () => {
    if (controller.signal.aborted || isAway || locating) return;
    const now = kay.clock.now();
    if (stderr.rows() < MIN_CARD_ROWS + FREE_ROWS) {
      screen.draw({ lines: [truncateCells(TOO_LOW_HINT, stderr.columns())], cursor: null });
      focus = recordDrawn(focus, { cards: [], focused: null, at: now });
      return;
    }
    const { rows, cursor = null } = layOutCard({ card: card(), ui, focused: true, position, now, ...getRoom() });
    const lines = rows.map((row) =>
      pinColumns(row.map(({ text, style }) => (style ? kay.out.paint(style, text, "stderr") : text)).join("")),
    );
    screen.draw({ lines, cursor });
    focus = recordDrawn(focus, { cards: [card().id], focused: card().id, at: now });
  };
  const locate = (row?: number) => {
    locating?.abort();
    locating = null;
    screen.markResized(row);
    draw();
  };
  const resize = () => {
    locating?.abort();
    const controller = new AbortController();
    locating = controller;
    stderr.write(ASK_POSITION);
    void kay.clock.sleep(LOCATE_MS, controller.signal).then(
      () => locate(),
      () => {},
    );
  };
  const edit = async (text: string) => {
    isAway = true;
    releaseKeys();
    screen.clear();
    const edited = await kay.editText(text, { usual: true });
    ui = applyEdit(ui, card(), edited);
    isAway = false;
    releaseKeys = readPromptKeys(kay, take);
    draw();
  };
  const visit = async (mode: "open" | "copy") => {
    await question.visit?.(mode).catch((error: unknown) => {
      ui = rejectAnswer(ui, error instanceof Problem ? error.message : "The link was not opened.");
    });
    draw();
  };
  const extend = () => {
    const now = kay.clock.now();
    const short = findShortRequests(card(), now, extended);
    if (short.length === 0) return;
    extended = now;
    question.extend?.(short);
  };
  const leave = () => {
    isAway = true;
    screen.clear();
  };
  const take = (key: Key) => {
    if (key.name === "position") return locate(key.row ?? 0);
    const isChord = key.name === "text" && key.ctrl && key.text === "d";
    if (isChord && ui.type !== "form") return outcome.reject(leftProblem());
    if (key.name === "tab" && ui.type === "plan") return outcome.resolve("next");
    const route = routeKey(focus, key, { draft: false, takesTab: true, takesText: takesText(ui) });
    // There is no composer that takes the other keys.
    focus = route.to === "card" ? route.focus : recordKey(focus, key);
    if (route.to !== "card") return;
    const step = updateCard(ui, card(), key, getRoom());
    ui = step.ui;
    const { act } = step;
    draw();
    if (act?.do === "edit") void edit(act.text).catch(outcome.reject);
    else if (act?.do === "open" || act?.do === "copy") void visit(act.do);
    else if (act?.do === "answer" || act?.do === "answer all") outcome.resolve({ act, ui });
    else extend();
  };

  let releaseKeys = readPromptKeys(kay, take);
  const releases = [
    // Removes the card at every exit, including a stop and a crash.
    kay.terminal.modes("", "", leave),

    stderr.onResize(resize),
    kay.terminal.onContinue(() => {
      isAway = false;
      screen.forget();
      draw();
    }),
  ];
  const anySignal = AbortSignal.any([kay.signal, signal]);
  const close = () => outcome.reject(endProblem(kay));
  anySignal.addEventListener("abort", close, { once: true });
  if (anySignal.aborted) close();
  void repeatEverySecond(kay.clock, draw, controller.signal);
  try {
    return await outcome.promise;
  } finally {
    anySignal.removeEventListener("abort", close);
    locating = null;
    controller.abort();
    for (const release of [releaseKeys, ...releases]) release();
  }
}

function endProblem(kay: Kay): Problem {
  if (kay.signal.aborted) return new Problem("CANCELLED", "Canceled.");
  return new Problem("INTERACTION_CLOSED", "It was answered elsewhere.");
}

function leftProblem(): Problem {
  return new Problem("INPUT_REQUIRED", "The input ended before this was answered.");
}
