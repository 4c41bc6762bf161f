import { SECRETS_REFUSED } from "#protocol/secret-field";
import { formatAsker, isOwnForm, toLine } from "../text/words.ts";
import type { ApprovalCard } from "./card-action.ts";
import type { CardUi } from "./card-state.ts";
import { addKeyNote, type CardContent, type KeyHints, layOutError, layOutKeys, layOutReason } from "./content.ts";
import { layOutField, layOutFields } from "./field-rows.ts";
import { canSubmit, createFormUi, type FormUi, isFieldError, listSecretFields } from "./form.ts";
import { BORDER_CELLS } from "./frame.ts";
import { type Row, wrapRows } from "./row.ts";

/** Lays out a form card: who asks and why, and its fields to fill in or review. */
export function layOutForm(card: ApprovalCard, open: CardUi, { width }: { width: number }): CardContent {
  const { request } = card;
  const ui = open.type === "form" ? open : createFormUi(card);
  const room = width - BORDER_CELLS;
  const pieces = {
    title: [
      request.link === undefined ? "Fill in" : "Visit",
      ...(isOwnForm(request) ? [] : [toLine(request.tool_name)]),
    ].join(" ─ "),
    tone: "cyan" as const,
    until: card.until ?? request.expires_at,
  };
  const notes = toNoteRows(card, ui, room);
  const asker = wrapRows(formatAsker(request), room);
  const head = [...asker, ...notes];
  const step = ui.step === "fill" || ui.step === "review" ? ui.step : ui.back;
  const keys = ui.step === "why" ? layOutReason(ui.why, room) : layOutAnswerKeys(card, ui, room);
  if (step === "review") {
    const values = ui.fill.entries.flatMap((entry) => layOutField(entry, room));
    return {
      ...pieces,
      body: { rows: [...notes, ...wrapRows("Your answers:", room, "bold"), ...values, ...asker] },
      keys,
    };
  }
  const fill = layOutFields(ui.fill, room);
  const isTyped = ui.step === "fill" && fill.cursor !== undefined;
  const isVisit = request.link !== undefined && ui.error === undefined;
  const cursor = isTyped && fill.cursor ? { ...fill.cursor, row: fill.cursor.row + head.length } : undefined;
  return {
    ...pieces,
    body: { rows: [...head, ...fill.rows], focus: isVisit ? 0 : fill.focus + head.length, cursor },
    keys,
  };
}

function toNoteRows({ request }: ApprovalCard, ui: FormUi, width: number): Row[] {
  const error = ui.error ?? request.error;
  return [
    ...(error && !isFieldError(ui, error) ? layOutError(error, width) : []),
    ...listSecretFields(request).flatMap(({ label, id }) =>
      wrapRows(`! ${toLine(label || id)}: ${SECRETS_REFUSED}`, width, "red"),
    ),
  ];
}

function layOutAnswerKeys({ request }: ApprovalCard, ui: FormUi, width: number): KeyHints {
  const leave = ui.step === "leave" ? "esc again: cancel" : null;
  const step = ui.step === "leave" ? ui.back : ui.step;
  const filling = canSubmit(request) ? listKeyHints(ui) : CLOSED;
  const choices = request.link !== undefined ? VISIT : step === "review" ? REVIEW : filling;
  return addKeyNote(layOutKeys(ui, choices, width), leave, width);
}

const CANCEL = { key: "esc", words: "cancel" };

const REVIEW = [{ key: "enter", words: "submit" }, { key: "b", words: "back" }, { key: "d", words: "decline" }, CANCEL];

const VISIT = [
  { key: "o", words: "open in the browser" },
  { key: "c", words: "copy" },
  { key: "enter", words: "continue" },
  { key: "d", words: "decline" },
  CANCEL,
];

const CLOSED = [{ key: "d", words: "decline" }, CANCEL];

function listKeyHints({ fill }: FormUi) {
  const entry = fill.entries[fill.at];
  const isLast = fill.at >= fill.entries.length - 1;
  const next = { key: "enter", words: isLast ? "review" : "next" };
  const end = [next, { key: "ctrl+d", words: "decline" }, CANCEL];
  if (!entry) return end;
  if (entry.field.type === "textarea")
    return [{ key: "ctrl+j", words: "new line" }, { key: "ctrl+g", words: "editor" }, ...end];
  if (entry.typing) return end;
  const { type, options = [] } = entry.field;
  const many = type === "checkbox" && options.length > 0;
  if (many) return [{ key: "←→", words: "move" }, { key: "space", words: "tick" }, ...end];
  return [options.length > 0 ? { key: "←→", words: "choose" } : { key: "space", words: "tick" }, ...end];
}
