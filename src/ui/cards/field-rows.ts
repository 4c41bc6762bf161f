import { formatFieldLabel, toLine } from "../text/words.ts";
import { layOutTyping } from "./content.ts";
import { type FieldEditor, type FieldEntry, getFieldValue } from "./field-editor.ts";
import { formatValue } from "./form-field.ts";
import { type CursorCell, type Row, wrapRows } from "./row.ts";

/**
 * Rows of the fields. `focus` is the row of the current field; `editor` says whether its text can be opened in an
 * editor.
 */
export type FieldRows = { rows: Row[]; focus: number; cursor?: CursorCell; editor: boolean };

/** Lays out every field with its value; the current one also with its options. */
export function layOutFields(fill: FieldEditor, width: number): FieldRows {
  const rows: Row[] = [];
  let focus = 0;
  let cursor: CursorCell | undefined;
  for (const [index, entry] of fill.entries.entries()) {
    if (index !== fill.at) rows.push(...layOutField(entry, width));
    else {
      focus = rows.length;
      const open = toOpenRows(entry, fill.marked, width);
      if (open.cursor) cursor = { ...open.cursor, row: open.cursor.row + rows.length };
      rows.push(...open.rows);
    }
    if (entry.error) rows.push(...wrapRows(`  ✗ ${toLine(entry.error)}`, width, "red"));
  }
  return { rows, focus, cursor, editor: fill.entries[fill.at]?.typing !== undefined };
}

/** Lays out a field and its value, read-only. */
export function layOutField(entry: FieldEntry, width: number): Row[] {
  const { field } = entry;
  const label = toLine(field.label || field.id);
  const value = getFieldValue(entry);
  const text = typeof value === "string" && !field.options?.length ? value : formatValue(field, value);
  const isMissing = field.required && (value === undefined || value === "");
  const empty = isMissing ? "(required)" : "(empty)";
  if (!text.includes("\n")) return wrapRows(`  ${label}: ${toLine(text) || empty}`, width);
  const lines = text.split("\n").map((line) => `    ${toLine(line)}`);
  return wrapRows(`  ${label}:\n${lines.join("\n")}`, width);
}

function toOpenRows(entry: FieldEntry, marked: number, width: number): { rows: Row[]; cursor?: CursorCell } {
  const { field, typing } = entry;
  const head = wrapRows(`› ${formatFieldLabel({ ...field, options: undefined })}`, width, "bold");
  if (!typing) return { rows: [...head, ...toOptionRows(entry, marked, width)] };
  const text = layOutTyping(typing, width, "  > ");
  return { rows: [...head, ...text.rows], cursor: { ...text.cursor, row: text.cursor.row + head.length } };
}

function toOptionRows({ field, value }: FieldEntry, marked: number, width: number): Row[] {
  const { options = [], type } = field;
  if (options.length === 0) return wrapRows(`  ${value === true ? "[x] yes" : "[ ] no"}`, width);
  const ticks = Array.isArray(value) ? value : [];
  return options.flatMap((option, index): Row[] => {
    const isMarked = type === "checkbox" && index === marked;
    const isOn = type === "checkbox" ? ticks.includes(option.value) : option.value === value;
    const sign = type === "checkbox" ? (isOn ? "[x]" : "[ ]") : isOn ? "(•)" : "( )";
    const number = index < 9 ? `${index + 1} ` : "  ";
    return wrapRows(
      `${isMarked ? "  ›" : "   "}${number}${sign} ${toLine(option.label)}`,
      width,
      isMarked ? "bold" : undefined,
    );
  });
}
