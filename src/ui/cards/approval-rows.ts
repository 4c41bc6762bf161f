import type { PreviewField } from "#protocol/ask";
import { ACCESS_TEXTS, listRanTexts, listReasons, listSummaries } from "#protocol/card-text";
import { foldWhitespace, formatOrigin, formatPreviewField } from "#protocol/input-fields";
import type { InteractionRequest } from "#protocol/interactions";
import type { Style } from "../style.ts";
import { toLine } from "../text/words.ts";
import { type ApprovalUi, INITIAL_APPROVAL, listPreviewFields, listScopes } from "./approval.ts";
import type { ApprovalCard, PlanCard } from "./card-action.ts";
import type { CardUi } from "./card-state.ts";
import { type ChangedLine, foldUnchanged, listChangedLines } from "./changed-lines.ts";
import { addKeyNote, type CardContent, type KeyHints, layOutError, layOutKeys, layOutReason } from "./content.ts";
import { isEditable } from "./edited-input.ts";
import { layOutFields } from "./field-rows.ts";
import { BORDER_CELLS, canShowTitle } from "./frame.ts";
import { INITIAL_PLAN } from "./plan.ts";
import { type Row, wrapRows } from "./row.ts";

/** Lays out an approval card: everything that would be sent, and the possible answers. */
export function layOutApproval(card: ApprovalCard, open: CardUi, { width }: { width: number }): CardContent {
  const { request } = card;
  const ui = open.type === "approval" ? open : INITIAL_APPROVAL;
  const room = width - BORDER_CELLS;
  const access = request.preview?.access;
  const title = ["Approve", toLine(request.tool_name), ...(access ? [ACCESS_TEXTS[access]] : [])].join(" ─ ");
  const pieces = { title, tone: access ? TONES[access] : undefined, until: card.until ?? request.expires_at };
  const isCut = !canShowTitle({ title, right: RIGHT, width });
  const head = [...layOutError(ui.error ?? request.error, room), ...layOutHead(request, ui.edited, { room, isCut })];
  if (ui.step === "edit" && ui.fill) {
    const fill = layOutFields(ui.fill, room);
    const hints = [...(fill.editor ? [EDITOR] : []), { key: "enter", words: "next" }, { key: "esc", words: "back" }];
    const body = { ...fill, rows: [...head, ...fill.rows], focus: fill.focus + head.length };
    const cursor = fill.cursor ? { ...fill.cursor, row: fill.cursor.row + head.length } : undefined;
    return { ...pieces, body: { ...body, cursor }, keys: layOutKeys(ui, hints, room) };
  }
  const body = { rows: [...head, ...layOutBody(request, ui.edited, room)] };
  return {
    ...pieces,
    body,
    keys: ui.step === "why" ? layOutReason(ui.why, room) : layOutAnswerKeys(request, ui, room),
  };
}

/** Lays out a call: what it would do, as whom, and everything that it would send. */
function layOutCall(request: InteractionRequest, edited: Edited, room: number): Row[] {
  return [...layOutHead(request, edited, { room, isCut: false }), ...layOutBody(request, edited, room)];
}

type Edited = ApprovalUi["edited"];

/** Longest text on the right side of the border. */
const RIGHT = ["119:59 left"];

/** Colors of cards by what their calls do. */
const TONES: Record<string, Style | undefined> = { read: "cyan", write: "yellow", destructive: "red" };

const EDITOR = { key: "ctrl+g", words: "editor" };

/** Lays out the action, its target and the account. Shows the tool only if the border has no room for it. */
function layOutHead(
  request: InteractionRequest,
  edited: Edited,
  { room, isCut }: { room: number; isCut: boolean },
): Row[] {
  const { preview, tool_name } = request;
  const [action = "", ...rest] = edited ? [`Edited request: ${toLine(tool_name)}`] : listSummaries(request);
  const access = preview?.access ? ` (${ACCESS_TEXTS[preview.access]})` : "";
  return [
    ...wrapRows(shortenSummary(action.trim(), preview?.fields ?? [], room), room, "bold"),
    ...(preview?.account ? wrapRows(`as ${toLine(preview.account)}`, room) : []),
    ...(isCut && !edited ? wrapRows(`with ${toLine(tool_name)}${access}`, room) : []),
    ...rest.flatMap((text) => wrapRows(text, room)),
  ];
}

function layOutBody(request: InteractionRequest, edited: Edited, width: number): Row[] {
  const fields = listPreviewFields(request, edited);
  return [
    ...(edited ? layOutEdited(request, fields, width) : layOutFieldsInFull(fields, width)),
    ...listReasons(request).flatMap((text) => wrapRows(text, width, "bold")),
    ...listRanTexts(request).flatMap((text) => wrapRows(text, width)),
  ];
}

/** Shows what an edit changed, then the other fields, or the whole request if unchanged lines were left out. */
function layOutEdited(request: InteractionRequest, fields: PreviewField[], width: number): Row[] {
  const previousFields = request.preview?.fields ?? [];
  const names = [...new Set([...previousFields, ...fields].map(({ name }) => name))];
  const pairs = names.map((name) => [previousFields, fields].map((list) => list.find((field) => field.name === name)));
  const changes = pairs.filter(([old, now]) => old !== now).map(([old, now]) => compareFields(old, now));
  const lines = changes.flatMap(foldUnchanged);
  const rows = lines.flatMap(({ mark, text }) => wrapRows(`${mark}${text.slice(1)}`, width, MARK_STYLES[mark]));
  return lines.length === changes.flat().length
    ? [
        ...rows,
        ...layOutFieldsInFull(
          fields.filter((field) => previousFields.includes(field)),
          width,
        ),
      ]
    : [...rows, ...wrapRows("The whole request:", width, "bold"), ...layOutFieldsInFull(fields, width)];
}

function layOutFieldsInFull(fields: PreviewField[], width: number): Row[] {
  return fields.flatMap((field) => layOutField(field, width));
}

function compareFields(previous: PreviewField | undefined, field: PreviewField | undefined): ChangedLine[] {
  const [old = "", now = ""] = [previous, field].map(
    (field) => field && formatPreviewField({ name: field.name, value: field.value }),
  );
  return listChangedLines(old, now).filter(({ text }) => text !== "");
}

/** Fields that are not from the user have a bold name. Colors are hard to read on some backgrounds. */
function layOutField(field: PreviewField, width: number): Row[] {
  const [head = "", ...lines] = formatPreviewField(field).split("\n");
  const rows = wrapRows(head, width, formatOrigin(field) === "" ? undefined : "bold");
  return lines.length === 0 ? rows : [...rows, ...wrapRows(lines.join("\n"), width)];
}

const MARK_STYLES: Record<string, Style | undefined> = { "+": "green", "-": "red" };

function layOutAnswerKeys(request: InteractionRequest, ui: ApprovalUi, width: number): KeyHints {
  const choices = [
    ...listScopes(request).map(({ number, words }) => ({ key: number, words })),
    ...(isEditable(request) ? [{ key: "e", words: "edit" }] : []),
    { key: "n", words: "deny" },
  ];
  return addKeyNote(layOutKeys(ui, choices, width), ui.step === "leave" ? "esc again: deny" : null, width);
}

/** From this row width on, more of a repeated text stays, in cells. */
const WIDE = 60;

/**
 * Shortens a summary where it repeats a field, which the card shows in full. Nothing is cut that is not in a field.
 */
export function shortenSummary(summary: string, fields: readonly PreviewField[], room = WIDE): string {
  const least = room < WIDE ? 20 : 40;
  return fields.reduce(
    (text, { value }) => (typeof value === "string" ? cutRepeated(text, value, least) : text),
    summary,
  );
}

/** Shortens a repeated text of more than `least` characters to about half of that. */
function cutRepeated(summary: string, value: string, least: number): string {
  const text = foldWhitespace(value).replace(/\s+/g, " ").trim();
  const from = text.length > least ? summary.indexOf(text.slice(0, least)) : -1;
  if (from < 0) return summary;
  let end = least;
  while (end < text.length && summary[from + end] === text[end]) end += 1;
  const rest = summary.slice(from + end).replace(/^…/, "");
  return `${summary.slice(0, from)}${cutBetweenWords(text, least * 0.6)}…${rest}`;
}

/** Returns the first words, without a Markdown link that would be cut. */
function cutBetweenWords(text: string, length: number): string {
  const head = text.slice(0, length);
  const words = text[length] === " " ? head : head.replace(/\s+\S*$/, "");
  return words.replace(/(?<![\s(<[*-])[\s(<[*-]+$/, "").trimEnd();
}

/** Lays out a plan: everything that each of its calls would send, as the call's own card shows it. */
export function layOutPlan({ calls }: PlanCard, open: CardUi, { width }: { width: number }): CardContent {
  const ui = open.type === "plan" ? open : INITIAL_PLAN;
  const room = width - BORDER_CELLS;
  const accesses = calls.map(({ card }) => card.request.preview?.access);
  const access = accesses.includes("destructive") ? "destructive" : "write";
  const rows = calls.flatMap(({ card: { request }, edited }, index): Row[] => {
    const words = request.preview?.access ? [ACCESS_TEXTS[request.preview.access]] : [];
    const head = [`${index + 1} of ${calls.length}`, toLine(request.tool_name), ...words].join(" ─ ");
    return [...(index > 0 ? [[]] : []), ...wrapRows(head, room, "bold"), ...layOutCall(request, edited, room)];
  });
  const choices = [
    { key: "a", words: `approve all ${calls.length}` },
    { key: "tab", words: "one by one" },
    { key: "n", words: "deny all" },
  ];
  const note = { leave: "esc again: deny all", unread: "Scroll to the end: ↓ or Page Down", ask: null };
  return {
    title: `Approve ─ ${calls.length} changes`,
    tone: TONES[access],
    until: calls.map(({ card }) => card.until ?? card.request.expires_at).sort()[0],
    body: { rows: [...layOutError(ui.error, room), ...rows] },
    keys:
      ui.step === "why" ? layOutReason(ui.why, room) : addKeyNote(layOutKeys(ui, choices, room), note[ui.step], room),
  };
}
