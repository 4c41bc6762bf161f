import type { PreviewField } from "#protocol/ask";
import type { InteractionAnswer } from "#protocol/conversations";
import type { ApprovalScope, InputField, InteractionRequest } from "#protocol/interactions";
import type { Key } from "../keys/key.ts";
import { toLine } from "../text/words.ts";
import { type ApprovalCard, type CardStep, type CardUiBase, FRESH_CARD_UI, getCommandKey } from "./card-action.ts";
import { formatInput, getInput, INVALID_INPUT_TEXT, isEditable, parseInput, parseRetyped } from "./edited-input.ts";
import {
  createFieldEditor,
  type FieldEditor,
  type FieldEntry,
  markFaults,
  replaceFieldText,
  updateFields,
} from "./field-editor.ts";
import { createTextInput, type TextInput, updateTextInput } from "./text-input.ts";

/**
 * State of an approval card. `leave`: Escape was pressed once. `why`: the user types a reason to deny. `edit`: the user
 * edits fields in the card. `edited` is the changed input; `draft` is invalid text from the editor.
 */
export type ApprovalUi = CardUiBase & {
  type: "approval";
  step: "ask" | "leave" | "why" | "edit";
  why: TextInput;
  fill?: FieldEditor;
  edited?: Record<string, unknown>;
  draft?: string;
};

/** An approval that the user has not touched. */
export const INITIAL_APPROVAL: ApprovalUi = { ...FRESH_CARD_UI, type: "approval", step: "ask", why: createTextInput() };

/** More or longer fields are edited as JSON in an editor. */
const MAX_FIELDS = 6;
const MAX_FIELD_LENGTH = 2_000;

/** Applies a key to an approval. Neither Enter nor a single Escape answers it. */
export function updateApproval(ui: ApprovalUi, { request }: ApprovalCard, key: Key): CardStep<ApprovalUi> {
  if (ui.step === "why") return applyReasonKey(ui, key);
  if (ui.step === "edit" && ui.fill) return applyEditKey(ui, ui.fill, request, key);
  if (key.name === "escape") return ui.step === "leave" ? deny(ui, "") : { ui: { ...ui, step: "leave" } };
  const start: ApprovalUi = { ...ui, step: "ask" };
  const typedCommand = getCommandKey(key);
  const offered = listScopes(request).find(({ number }) => number === typedCommand);
  if (offered) return sendAnswer(start, { action: "approve", approval_scope: offered.scope, ...toEditedArgs(ui) });
  if (typedCommand === "n") return { ui: { ...start, step: "why", error: undefined } };
  if (typedCommand !== "e" || !isEditable(request)) return { ui: start };
  const fields = ui.draft === undefined ? createPreviewEditor(request, ui.edited) : undefined;
  if (fields) return { ui: { ...start, step: "edit", error: undefined, fill: fields } };
  return { ui: start, act: { do: "edit", text: ui.draft ?? formatInput(ui.edited ?? getInput(request)) } };
}

/** Applies text from the editor; `null` if no editor could be opened. */
export function applyApprovalEdit(ui: ApprovalUi, { request }: ApprovalCard, text: string | null): ApprovalUi {
  if (ui.step === "edit" && ui.fill)
    return text === null ? withNoEditorError(ui) : { ...ui, fill: replaceFieldText(ui.fill, text) };
  if (text === null) return withNoEditorError(ui);
  const input = parseInput(text);
  if (!input) return { ...ui, error: INVALID_INPUT_TEXT, draft: text };
  return { ...ui, error: undefined, draft: undefined, scroll: 0, edited: omitUnchanged(request, input) };
}

/** Returns the fields that would be sent now. Unchanged fields keep their origin. */
export function listPreviewFields({ preview }: InteractionRequest, edited?: Record<string, unknown>): PreviewField[] {
  const fields = preview?.fields ?? [];
  if (!edited) return fields;
  return Object.entries(edited).map(([name, value]) => {
    const previous = fields.find((field) => field.name === name);
    return previous && isSameJson(previous.value, value) ? previous : { name, value };
  });
}

function applyReasonKey(ui: ApprovalUi, key: Key): CardStep<ApprovalUi> {
  if (key.name === "escape") return { ui: { ...ui, step: "ask" } };
  const why = updateTextInput(ui.why, key, { lines: false });
  if (why) return { ui: { ...ui, why } };
  return key.name === "enter" ? deny(ui, ui.why.text.trim()) : { ui };
}

function deny(ui: ApprovalUi, reason: string): CardStep<ApprovalUi> {
  return sendAnswer({ ...ui, step: "ask" }, { action: "deny", ...(reason ? { reason } : {}) });
}

function sendAnswer(ui: ApprovalUi, answer: InteractionAnswer): CardStep<ApprovalUi> {
  return { ui: { ...ui, sent: true, error: undefined }, act: { do: "answer", answer } };
}

function toEditedArgs({ edited }: ApprovalUi) {
  return edited ? { edited_args: edited } : {};
}

function applyEditKey(ui: ApprovalUi, fill: FieldEditor, request: InteractionRequest, key: Key): CardStep<ApprovalUi> {
  if (key.name === "escape") return { ui: { ...ui, step: "ask", fill: undefined } };
  const { fill: next, past, edit } = updateFields(fill, key);
  if (edit !== undefined) return { ui, act: { do: "edit", text: edit } };
  if (!past) return { ui: { ...ui, fill: next } };
  const previous = ui.edited ?? getInput(request);
  const wrong = markFaults(next, (entry) => {
    const read = parseEntry(previous, entry);
    return "error" in read ? read.error : undefined;
  });
  if (wrong) return { ui: { ...ui, fill: wrong } };
  const input = Object.fromEntries(
    next.entries.map((entry) => {
      const read = parseEntry(previous, entry);
      return [entry.field.id, "value" in read ? read.value : undefined];
    }),
  );
  return { ui: { ...ui, step: "ask", fill: undefined, scroll: 0, edited: omitUnchanged(request, input) } };
}

function parseEntry(previous: Record<string, unknown>, { field, typing, value }: FieldEntry) {
  return typing ? parseRetyped(previous[field.id], typing.text) : { value };
}

/** Returns undefined for an input that was not changed. */
function omitUnchanged(
  request: InteractionRequest,
  input: Record<string, unknown>,
): Record<string, unknown> | undefined {
  return isSameJson(input, getInput(request)) ? undefined : input;
}

function isSameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Returns the preview's fields for editing in the card, if they are few and simple. */
function createPreviewEditor(request: InteractionRequest, edited?: Record<string, unknown>): FieldEditor | undefined {
  const input = edited ?? getInput(request);
  const entries = Object.entries(input);
  const areSimple = entries.every(([, value]) => {
    if (typeof value === "string") return value.length <= MAX_FIELD_LENGTH;
    return typeof value === "number" || typeof value === "boolean";
  });
  if (!areSimple || entries.length > MAX_FIELDS) return undefined;
  return createFieldEditor(entries.map(toInputField), input);
}

function toInputField([name, value]: [string, unknown]): InputField {
  const text = typeof value === "string" && /\n|.{60}/.test(value) ? "textarea" : "text";
  return { id: name, label: name, type: typeof value === "boolean" ? "checkbox" : text };
}

function withNoEditorError(ui: ApprovalUi): ApprovalUi {
  return { ...ui, error: "No editor found. Set EDITOR and press e again." };
}

/** One scope of approval: the number that chooses it, and the exact words of the approval. */
export type OfferedScope = { number: string; scope: ApprovalScope; words: string };

/** Returns the scopes that a request offers. Each scope always has the same number, so habits stay safe. */
export function listScopes({ approval_scopes }: InteractionRequest): OfferedScope[] {
  const offered = approval_scopes ?? [{ scope: "once" as const, words: "once" }];
  return NUMBERS.flatMap(([number, scope]) => {
    const offer = offered.find((option) => option.scope === scope);
    return offer ? [{ number, scope, words: formatScope(scope, toLine(offer.words)) }] : [];
  });
}

const NUMBERS: [string, ApprovalScope][] = [
  ["1", "once"],
  ["2", "session"],
  ["3", "always"],
];

function formatScope(scope: ApprovalScope, words: string): string {
  const name = scope === "session" ? "this session" : scope;
  return scope === "once" || words.startsWith(name) ? words || name : `${name}: ${words}`;
}
