import type { InteractionRequest } from "#protocol/events";
import { isEditable } from "../edited-input.ts";
import type { Style } from "../look.ts";
import { offeredScopes } from "../scopes.ts";
import { ACCESS, fieldText, line, ranTexts, saidTexts, wantsText } from "../words.ts";
import type { ApprovalCard } from "./act.ts";
import { type ApprovalUi, OPEN_APPROVAL, shownFields } from "./approval.ts";
import type { CardUi } from "./card-ui.ts";
import { fillRows } from "./fill-rows.ts";
import { SIDES, titleFits } from "./frame.ts";
import { type Keys, keysAnd, keysOf, type Pieces, toldRows, whyRows } from "./pieces.ts";
import { type Row, rowsOf } from "./row.ts";

/** What a card of an approval consists of: all that would be sent, and how it can be answered. */
export function approvalPieces({ request }: ApprovalCard, open: CardUi, { width }: { width: number }): Pieces {
  const ui = open.type === "approval" ? open : OPEN_APPROVAL;
  const room = width - SIDES;
  const access = request.preview?.access;
  const title = ["Approve", line(request.tool_name), ...(access ? [ACCESS[access]] : [])].join(" ─ ");
  const pieces = { title, tone: access ? TONES[access] : undefined, until: request.expires_at };
  const isWhole = titleFits({ title, right: RIGHT, width }) && request.preview?.account === undefined;
  const head = [...toldRows(ui.told ?? request.error, room), ...(isWhole ? [] : rowsOf(wantsText(request), room))];
  if (ui.step === "edit" && ui.fill) {
    const fill = fillRows(ui.fill, room);
    const hints = [...(fill.editor ? [EDITOR] : []), { key: "enter", words: "next" }, { key: "esc", words: "back" }];
    const body = { ...fill, rows: [...head, ...fill.rows], focus: fill.focus + head.length };
    const cursor = fill.cursor ? { ...fill.cursor, row: fill.cursor.row + head.length } : undefined;
    return { ...pieces, body: { ...body, cursor }, keys: keysOf(ui, hints, room) };
  }
  const body = { rows: [...head, ...shownRows(request, ui, room)] };
  return { ...pieces, body, keys: ui.step === "why" ? whyRows(ui.why, room) : answerKeys(request, ui, room) };
}

/** What stands right in the border at most. */
const RIGHT = ["99:59 left"];

const TONES: Record<string, Style | undefined> = { read: "cyan", write: "yellow", destructive: "red" };

const EDITOR = { key: "ctrl+g", words: "editor" };

function shownRows(request: InteractionRequest, { edited }: ApprovalUi, width: number): Row[] {
  const fields = shownFields(request, edited).flatMap((field) =>
    rowsOf(fieldText(field), width, field.origin === "service" ? "yellow" : undefined),
  );
  return [
    ...saidTexts(request).flatMap((text) => rowsOf(text, width)),
    ...(edited ? rowsOf("This would be sent instead:", width, "bold") : []),
    ...fields,
    ...ranTexts(request).flatMap((text) => rowsOf(text, width)),
  ];
}

function answerKeys(request: InteractionRequest, ui: ApprovalUi, width: number): Keys {
  const choices = [
    ...offeredScopes(request).map(({ number, words }) => ({ key: number, words })),
    ...(isEditable(request) ? [{ key: "e", words: "edit" }] : []),
    { key: "n", words: "no, and say why" },
  ];
  return keysAnd(keysOf(ui, choices, width), ui.step === "leave" ? "esc again: deny" : null, width);
}
