import { shownValue } from "../form-field.ts";
import { fieldLine, line } from "../words.ts";
import { type Entry, type Fill, held } from "./fill.ts";
import { typingRows } from "./pieces.ts";
import { type Row, rowsOf, type Spot } from "./row.ts";

/** Fields as they are filled in; `focus` is the row of the one that takes the keys, `editor` whether its text can be opened in one. */
export type FilledRows = { rows: Row[]; focus: number; cursor?: Spot; editor: boolean };

/** Every field with what it holds; the one that takes the keys with all that it takes. */
export function fillRows(fill: Fill, width: number): FilledRows {
  const rows: Row[] = [];
  let focus = 0;
  let cursor: Spot | undefined;
  for (const [index, entry] of fill.entries.entries()) {
    if (index !== fill.at) rows.push(...restingRows(entry, width));
    else {
      focus = rows.length;
      const open = openRows(entry, fill.marked, width);
      if (open.cursor) cursor = { ...open.cursor, row: open.cursor.row + rows.length };
      rows.push(...open.rows);
    }
    if (entry.error) rows.push(...rowsOf(`  ✗ ${line(entry.error)}`, width, "red"));
  }
  return { rows, focus, cursor, editor: fill.entries[fill.at]?.typing !== undefined };
}

/** A field and what it holds, as it is looked at. */
export function restingRows(entry: Entry, width: number): Row[] {
  const { field } = entry;
  const label = line(field.label || field.id);
  const value = held(entry);
  const shown = typeof value === "string" && !field.options?.length ? value : shownValue(field, value);
  const isMissing = field.required && (value === undefined || value === "");
  const empty = isMissing ? "(required)" : "(empty)";
  if (!shown.includes("\n")) return rowsOf(`  ${label}: ${line(shown) || empty}`, width);
  const lines = shown.split("\n").map((each) => `    ${line(each)}`);
  return rowsOf(`  ${label}:\n${lines.join("\n")}`, width);
}

function openRows(entry: Entry, marked: number, width: number): { rows: Row[]; cursor?: Spot } {
  const { field, typing } = entry;
  const head = rowsOf(`› ${fieldLine({ ...field, options: undefined })}`, width, "bold");
  if (!typing) return { rows: [...head, ...optionRows(entry, marked, width)] };
  const text = typingRows(typing, width, "  > ");
  return { rows: [...head, ...text.rows], cursor: { ...text.cursor, row: text.cursor.row + head.length } };
}

function optionRows({ field, value }: Entry, marked: number, width: number): Row[] {
  const { options = [], type } = field;
  if (options.length === 0) return rowsOf(`  ${value === true ? "[x] yes" : "[ ] no"}`, width);
  const ticks = Array.isArray(value) ? value : [];
  return options.flatMap((option, index): Row[] => {
    const isMarked = type === "checkbox" && index === marked;
    const isOn = type === "checkbox" ? ticks.includes(option.value) : option.value === value;
    const sign = type === "checkbox" ? (isOn ? "[x]" : "[ ]") : isOn ? "(•)" : "( )";
    const number = index < 9 ? `${index + 1} ` : "  ";
    return rowsOf(
      `${isMarked ? "  ›" : "   "}${number}${sign} ${line(option.label)}`,
      width,
      isMarked ? "bold" : undefined,
    );
  });
}
