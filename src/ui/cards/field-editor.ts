import { findLimitFault } from "#protocol/field-limits";
import type { InputField } from "#protocol/interactions";
import type { Key } from "../keys/key.ts";
import { type FormValues, MUST_BE_FILLED } from "./form-field.ts";
import { createTextInput, type TextInput, updateTextInput } from "./text-input.ts";

/** A field that is being edited: `typing` for text, otherwise `value`, and its error. */
export type FieldEntry = { field: InputField; typing?: TextInput; value?: unknown; error?: string };

/** Fields that the user fills in. `at` is the field that receives keys; `marked` is the option that Space ticks. */
export type FieldEditor = { entries: FieldEntry[]; at: number; marked: number; changed: boolean };

/** Result of a key: `past` the last field, or a text to open in an editor. */
export type FieldEditResult = { fill: FieldEditor; past?: boolean; edit?: string };

/** Creates an editor for fields with their initial values. */
export function createFieldEditor(fields: InputField[], values: FormValues): FieldEditor {
  const entries = fields.map((field) =>
    createEntry(field, Object.hasOwn(values, field.id) ? values[field.id] : undefined),
  );
  return moveBy({ entries, at: 0, marked: 0, changed: false }, 0);
}

/** Applies a key to the fields. */
export function updateFields(fill: FieldEditor, key: Key): FieldEditResult {
  const entry = fill.entries[fill.at];
  if (!entry) return { fill, past: key.name === "enter" || key.name === "tab" };
  if (key.name === "tab") return key.shift ? { fill: moveBy(checkLeft(fill), -1) } : moveForward(checkLeft(fill));
  if (entry.typing && key.name === "text" && key.ctrl && key.text === "g") return { fill, edit: entry.typing.text };
  const changed = entry.typing ? applyTyping(entry, entry.typing, key) : chooseOption(fill, entry, key);
  if (changed) return { fill: changed.fill ?? withEntry(fill, changed.entry) };
  if (key.name === "enter") return moveForward(checkLeft(fill));
  if (key.name === "down") return { fill: fill.at < fill.entries.length - 1 ? moveBy(checkLeft(fill), 1) : fill };
  return { fill: key.name === "up" && fill.at > 0 ? moveBy(checkLeft(fill), -1) : fill };
}

/** Marks the current field on leaving it, if its value is not accepted. Empty fields are checked at the end. */
function checkLeft(fill: FieldEditor): FieldEditor {
  const entry = fill.entries[fill.at];
  if (!entry || entry.error !== undefined) return fill;
  return { ...fill, entries: fill.entries.with(fill.at, { ...entry, error: findLimitError(entry) }) };
}

/** Replaces the text of the current field with the text from an editor. */
export function replaceFieldText(fill: FieldEditor, text: string): FieldEditor {
  const entry = fill.entries[fill.at];
  if (!entry?.typing) return fill;
  const cleaned =
    entry.field.type === "textarea" ? text.replace(/\n$/, "") : text.trim().replace(/(?<!\s)\s*\n\s*/g, " ");
  return withEntry(fill, { ...entry, typing: createTextInput(cleaned), error: undefined });
}

/** Marks the fields that are not valid and moves to the first; null if all are valid. */
export function markFaults(
  fill: FieldEditor,
  findFault: (entry: FieldEntry) => string | undefined,
): FieldEditor | null {
  const entries = fill.entries.map((entry) => ({ ...entry, error: findFault(entry) }));
  const first = entries.findIndex(({ error }) => error !== undefined);
  return first < 0 ? null : moveBy({ ...fill, entries, at: first }, 0);
}

/** Returns the value of a field, or undefined if it is empty. */
export function getFieldValue({ typing, value }: FieldEntry): unknown {
  return typing ? typing.text || undefined : value;
}

/** Returns an error for a required field that is empty. */
export function findMissing(entry: FieldEntry): string | undefined {
  const value = getFieldValue(entry);
  const isEmpty = value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  return isEmpty && entry.field.required ? MUST_BE_FILLED : undefined;
}

/** Returns an error for a value that the field does not accept. */
export function findLimitError(entry: FieldEntry): string | undefined {
  const { limits, label, id } = entry.field;
  const value = getFieldValue(entry);
  const isEmpty = value === undefined || typeof value === "boolean" || (Array.isArray(value) && value.length === 0);
  const wrong = limits && !isEmpty ? findLimitFault(limits, value) : undefined;
  return wrong && `“${label || id}” ${wrong}.`;
}

function createEntry(field: InputField, value: unknown): FieldEntry {
  const { options = [] } = field;
  const isOption = (value: unknown) => options.some((option) => option.value === value);
  if (field.type === "checkbox" && options.length === 0) return { field, value: value === true };
  if (field.type === "checkbox") return { field, value: Array.isArray(value) ? value.filter(isOption) : [] };
  if (options.length > 0) return { field, value: isOption(value) ? value : undefined };
  if (value === undefined || value === null) return { field, typing: createTextInput() };
  return { field, typing: createTextInput(typeof value === "string" ? value : JSON.stringify(value)) };
}

type EntryChange = { entry: FieldEntry; fill?: FieldEditor };

function applyTyping(entry: FieldEntry, state: TextInput, key: Key): EntryChange | null {
  const next = updateTextInput(state, key, { lines: entry.field.type === "textarea" });
  if (!next) return null;
  return { entry: { ...entry, typing: next, error: next.text === state.text ? entry.error : undefined } };
}

/** Chooses a value with the arrows, Space, or the number of an option. */
function chooseOption(fill: FieldEditor, entry: FieldEntry, key: Key): EntryChange | null {
  const { options = [], type } = entry.field;
  const step = key.name === "right" ? 1 : key.name === "left" ? -1 : 0;
  const character = key.name === "text" && !key.ctrl && !key.alt ? key.text : "";
  if (options.length === 0) {
    const isToggled = character === " " || step !== 0;
    return isToggled ? { entry: { ...entry, value: entry.value !== true, error: undefined } } : null;
  }
  const number = /^[1-9]$/.test(character) ? Number(character) - 1 : -1;
  if (type === "checkbox") return toggleOption(fill, entry, { step, number, isSpace: character === " " });
  const index = options.findIndex(({ value }) => value === entry.value);
  const turned = (index + (step || 1) + options.length + (index < 0 && step < 0 ? 1 : 0)) % options.length;
  const next = number >= 0 ? number : step !== 0 || character === " " ? turned : -1;
  const option = options[next];
  return option ? { entry: { ...entry, value: option.value, error: undefined } } : null;
}

type Tick = { step: number; number: number; isSpace: boolean };

/** Chooses several options: the arrows move a mark, and Space ticks the marked option. */
function toggleOption(fill: FieldEditor, entry: FieldEntry, { step, number, isSpace }: Tick): EntryChange | null {
  const { options = [] } = entry.field;
  const marked = number >= 0 ? number : (fill.marked + step + options.length) % options.length;
  const option = options[marked];
  if (!option || (step === 0 && number < 0 && !isSpace)) return null;
  if (step !== 0) return { entry, fill: { ...fill, marked } };
  const ticks = Array.isArray(entry.value) ? entry.value : [];
  const without = ticks.filter((value) => value !== option.value);
  const isTicked = without.length < ticks.length;
  // Values keep the order of the options.
  const value = isTicked
    ? without
    : options.map((option) => option.value).filter((value) => value === option.value || ticks.includes(value));
  return { entry, fill: { ...withEntry(fill, { ...entry, value, error: undefined }), marked } };
}

function moveForward(fill: FieldEditor): FieldEditResult {
  return fill.at < fill.entries.length - 1 ? { fill: moveBy(fill, 1) } : { fill, past: true };
}

function moveBy(fill: FieldEditor, by: number): FieldEditor {
  const index = Math.max(0, Math.min(fill.entries.length - 1, fill.at + by));
  return { ...fill, at: index, marked: by === 0 ? fill.marked : 0 };
}

function withEntry(fill: FieldEditor, entry: FieldEntry): FieldEditor {
  const current = fill.entries[fill.at];
  const changed = fill.changed || current?.value !== entry.value || current?.typing?.text !== entry.typing?.text;
  return { ...fill, changed, entries: fill.entries.with(fill.at, entry) };
}
