import type { InteractionAnswer } from "#protocol/conversations";
import type { InputField, InteractionRequest } from "#protocol/interactions";
import { isSecretField } from "#protocol/secret-field";
import type { Key } from "../keys/key.ts";
import { type ApprovalCard, type CardStep, type CardUiBase, FRESH_CARD_UI, getCommandKey } from "./card-action.ts";
import {
  createFieldEditor,
  type FieldEditor,
  findLimitError,
  findMissing,
  getFieldValue,
  markFaults,
  replaceFieldText,
  updateFields,
} from "./field-editor.ts";
import { getInitialValues, pickDefined } from "./form-field.ts";
import { createTextInput, type TextInput, updateTextInput } from "./text-input.ts";

/**
 * State of a form card. `leave`: Escape was pressed once after a change. `why`: the user types a reason to decline.
 * `back` is the step before those two; `reviewed` is the start of the review in ms since 1970.
 */
export type FormUi = CardUiBase & {
  type: "form";
  step: "fill" | "review" | "leave" | "why";
  back: "fill" | "review";
  fill: FieldEditor;
  why: TextInput;
  reviewed: number;
};

/** An Enter within this time after the last field was not meant for the review, in ms. */
const REVIEW_MS = 300;

/** Creates a form with its defaults and initial values, at the first field with an error. */
export function createFormUi({ request }: ApprovalCard): FormUi {
  const fields = getFields(request).filter((field) => !isSecretField(field));
  const fill = createFieldEditor(fields, getInitialValues(fields, request.initial_values));
  const start = { ...FRESH_CARD_UI, type: "form" as const, step: "fill" as const, back: "fill" as const };
  return { ...start, fill: placeError(fill, request.error), why: createTextInput(), reviewed: 0 };
}

/** Applies a key to a form. */
export function updateForm(ui: FormUi, card: ApprovalCard, key: Key): CardStep<FormUi> {
  const isDeclined = key.name === "text" && key.ctrl && key.text === "d";
  if (ui.step === "why") return applyReasonKey(ui, key);
  if (key.name === "escape") {
    if (ui.step === "leave" || !ui.fill.changed) return sendAnswer(ui, { action: "cancel" });
    return { ui: { ...ui, step: "leave", back: ui.step } };
  }
  const now: FormUi = ui.step === "leave" ? { ...ui, step: ui.back } : ui;
  if (card.request.link !== undefined) return applyLinkKey(now, key);
  if (isDeclined) return { ui: { ...now, step: "why", back: getStep(now) } };
  return now.step === "review" ? applyReviewKey(now, key) : applyFillKey(now, card, key);
}

/** Applies the text of a field from the editor; `null` if no editor could be opened. */
export function applyFormEdit(ui: FormUi, text: string | null): FormUi {
  if (text === null) return { ...ui, error: "No editor found. Set EDITOR." };
  return { ...ui, error: undefined, fill: { ...replaceFieldText(ui.fill, text), changed: true } };
}

/** Returns the fields that ask for secrets. */
export function listSecretFields(request: InteractionRequest): InputField[] {
  return getFields(request).filter(isSecretField);
}

/** Whether the form can be submitted: no required field asks for a secret. */
export function canSubmit(request: InteractionRequest): boolean {
  return listSecretFields(request).every(({ required }) => !required);
}

/** Whether an error is already shown at one of the fields. */
export function isFieldError({ fill }: FormUi, message: string): boolean {
  return splitSentences(message).every((sentence) => fill.entries.some(({ error }) => error === sentence));
}

function getFields({ input_schema }: InteractionRequest): InputField[] {
  return input_schema?.fields ?? [];
}

/** Handles a form that asks for a URL to be visited. It has no fields; a separate key opens the URL. */
function applyLinkKey(ui: FormUi, key: Key): CardStep<FormUi> {
  if (key.name === "enter") return sendAnswer(ui, { action: "submit", input: {} });
  switch (getCommandKey(key)) {
    case "o":
      return { ui: { ...ui, error: undefined }, act: { do: "open" } };
    case "c":
      return { ui: { ...ui, error: undefined }, act: { do: "copy" } };
    case "d":
      return { ui: { ...ui, step: "why", back: "fill" } };
    default:
      return { ui };
  }
}

function applyFillKey(ui: FormUi, { request }: ApprovalCard, key: Key): CardStep<FormUi> {
  if (!canSubmit(request)) return getCommandKey(key) === "d" ? { ui: { ...ui, step: "why", back: "fill" } } : { ui };
  const { fill, past, edit } = updateFields(ui.fill, key);
  if (edit !== undefined) return { ui, act: { do: "edit", text: edit } };
  if (!past) return { ui: { ...ui, fill } };
  const marked = markFaults(fill, (entry) => findMissing(entry) ?? findLimitError(entry));
  if (marked) return { ui: { ...ui, fill: marked } };
  const valid = { ...fill, entries: fill.entries.map((entry) => ({ ...entry, error: undefined })) };
  return { ui: { ...ui, fill: valid, step: "review", scroll: 0, reviewed: key.at } };
}

function applyReviewKey(ui: FormUi, key: Key): CardStep<FormUi> {
  if (key.name === "enter") {
    if (key.at - ui.reviewed < REVIEW_MS) return { ui: { ...ui, reviewed: key.at } };
    return sendAnswer(ui, { action: "submit", input: collectInput(ui.fill) });
  }
  const letter = getCommandKey(key);
  if (letter === "d") return { ui: { ...ui, step: "why", back: "review" } };
  if (letter === "b" || (key.name === "tab" && key.shift)) return { ui: { ...ui, step: "fill" } };
  return { ui };
}

function collectInput(fill: FieldEditor): Record<string, unknown> {
  return pickDefined(Object.fromEntries(fill.entries.map((entry) => [entry.field.id, getFieldValue(entry)])));
}

function applyReasonKey(ui: FormUi, key: Key): CardStep<FormUi> {
  if (key.name === "escape") return { ui: { ...ui, step: ui.back } };
  const why = updateTextInput(ui.why, key, { lines: false });
  if (why) return { ui: { ...ui, why } };
  if (key.name !== "enter") return { ui };
  const reason = ui.why.text.trim();
  return sendAnswer({ ...ui, step: ui.back }, { action: "deny", ...(reason ? { reason } : {}) });
}

function sendAnswer(ui: FormUi, answer: InteractionAnswer): CardStep<FormUi> {
  return { ui: { ...ui, step: getStep(ui), sent: true, error: undefined }, act: { do: "answer", answer } };
}

function getStep({ step, back }: FormUi): "fill" | "review" {
  return step === "fill" || step === "review" ? step : back;
}

/** Shows each sentence of an error at the field that it names, and moves to the first of them. */
export function placeError(fill: FieldEditor, error: string | undefined): FieldEditor {
  if (!error) return fill;
  const sentences = splitSentences(error);
  const getNames = (entry: FieldEditor["entries"][number]) => [entry.field.label, entry.field.id].filter(Boolean);
  const findSentence = (entry: FieldEditor["entries"][number]) =>
    sentences.find((sentence) => getNames(entry).some((name) => namesField(sentence, name)));
  const index = fill.entries.findIndex((entry) => findSentence(entry) !== undefined);
  if (index < 0) return fill;
  return {
    ...fill,
    at: index,
    entries: fill.entries.map((entry) => ({ ...entry, error: findSentence(entry) ?? entry.error })),
  };
}

/** Splits an error, which may have a sentence for each field. */
function splitSentences(error: string): string[] {
  return error.split(/(?<=[.!?])\s+(?=[“"'`])/);
}

/** Whether an error names a field. Names may be ordinary words, so they count only in quotes or before a colon. */
function namesField(error: string, name: string): boolean {
  return (
    error.startsWith(`${name}:`) ||
    ["“”", '""', "''", "``"].some(([open, close]) => error.includes(`${open}${name}${close}`))
  );
}
