import type { InteractionRequest } from "#protocol/events";
import { formatOrigin, formatPreviewField } from "#protocol/input-fields";
import type { PreviewField } from "#protocol/preview-field";
import type { Style } from "../style.ts";
import { ACCESS_TEXTS, formatRequest, listRanTexts, listReasons, listSummaries, toLine } from "../text/words.ts";
import { type ApprovalUi, INITIAL_APPROVAL, listPreviewFields, listScopes } from "./approval.ts";
import type { ApprovalCard } from "./card-action.ts";
import type { CardUi } from "./card-state.ts";
import { addKeyNote, type CardContent, type KeyHints, layOutError, layOutKeys, layOutReason } from "./content.ts";
import { isEditable } from "./edited-input.ts";
import { layOutFields } from "./field-rows.ts";
import { BORDER_CELLS, canShowTitle } from "./frame.ts";
import { type Row, wrapRows } from "./row.ts";

/** Lays out an approval card: everything that would be sent, and the possible answers. */
export function layOutApproval(card: ApprovalCard, open: CardUi, { width }: { width: number }): CardContent {
  const { request } = card;
  const ui = open.type === "approval" ? open : INITIAL_APPROVAL;
  const room = width - BORDER_CELLS;
  const access = request.preview?.access;
  const title = ["Approve", toLine(request.tool_name), ...(access ? [ACCESS_TEXTS[access]] : [])].join(" ─ ");
  const pieces = { title, tone: access ? TONES[access] : undefined, until: card.until ?? request.expires_at };
  const isWhole = canShowTitle({ title, right: RIGHT, width }) && request.preview?.account === undefined;
  const head = [
    ...layOutError(ui.error ?? request.error, room),
    ...(isWhole ? [] : wrapRows(formatRequest(request), room)),
  ];
  if (ui.step === "edit" && ui.fill) {
    const fill = layOutFields(ui.fill, room);
    const hints = [...(fill.editor ? [EDITOR] : []), { key: "enter", words: "next" }, { key: "esc", words: "back" }];
    const body = { ...fill, rows: [...head, ...fill.rows], focus: fill.focus + head.length };
    const cursor = fill.cursor ? { ...fill.cursor, row: fill.cursor.row + head.length } : undefined;
    return { ...pieces, body: { ...body, cursor }, keys: layOutKeys(ui, hints, room) };
  }
  const body = { rows: [...head, ...layOutBody(request, ui, room)] };
  return {
    ...pieces,
    body,
    keys: ui.step === "why" ? layOutReason(ui.why, room) : layOutAnswerKeys(request, ui, room),
  };
}

/** Longest text at the right of the border. */
const RIGHT = ["119:59 left"];

const TONES: Record<string, Style | undefined> = { read: "cyan", write: "yellow", destructive: "red" };

const EDITOR = { key: "ctrl+g", words: "editor" };

function layOutBody(request: InteractionRequest, { edited }: ApprovalUi, width: number): Row[] {
  const fields = listPreviewFields(request, edited).flatMap((field) => layOutField(field, width));
  return [
    ...listSummaries(request).flatMap((text) => wrapRows(text, width)),
    ...(edited ? wrapRows("Edited request:", width, "bold") : []),
    ...fields,
    ...listReasons(request).flatMap((text) => wrapRows(text, width, "bold")),
    ...listRanTexts(request).flatMap((text) => wrapRows(text, width)),
  ];
}

/** What is not from the user stands out by its bold name. Colors are hard to read on some backgrounds. */
function layOutField(field: PreviewField, width: number): Row[] {
  const [head = "", ...lines] = formatPreviewField(field).split("\n");
  const rows = wrapRows(head, width, formatOrigin(field) === "" ? undefined : "bold");
  return lines.length === 0 ? rows : [...rows, ...wrapRows(lines.join("\n"), width)];
}

function layOutAnswerKeys(request: InteractionRequest, ui: ApprovalUi, width: number): KeyHints {
  const choices = [
    ...listScopes(request).map(({ number, words }) => ({ key: number, words })),
    ...(isEditable(request) ? [{ key: "e", words: "edit" }] : []),
    { key: "n", words: "deny" },
  ];
  return addKeyNote(layOutKeys(ui, choices, width), ui.step === "leave" ? "esc again: deny" : null, width);
}
