import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { type ToolContext, withDescription } from "../tool.ts";

/** Maximum number of cells written by one call. */
const MAX_CELLS = 5_000;

/** Parses rows of cells to write. @throws Problem INVALID_REQUEST when there are none or too many */
export function parseCells(text: string, field: string): string[][] {
  return checkCells(parseRows(text), field);
}

/** Checks the number of cells to write. @throws Problem INVALID_REQUEST when there are none or too many */
export function checkCells<Cell>(rows: Cell[][], field: string): Cell[][] {
  if (rows.length === 0) throw new Problem("INVALID_REQUEST", "At least one cell is required.", { details: { field } });
  if (rows.reduce((sum, row) => sum + row.length, 0) > MAX_CELLS) {
    throw new Problem("INVALID_REQUEST", `One call can write at most ${MAX_CELLS} cells.`, {
      hint: "Write them in several calls.",
      details: { field },
    });
  }
  return rows;
}

/**
 * Parses rows of cells: cells separated by commas or tabs, one row per line. Quotes keep a comma inside a cell (RFC
 * 4180).
 */
export function parseRows(text: string): string[][] {
  const separator = text.includes("\t") ? "\t" : ",";
  const rows: string[][] = [[]];
  let cell = "";
  let isQuoted = false;
  let hasContent = false;
  const endCell = () => {
    rows.at(-1)?.push(cell.trim());
    cell = "";
    hasContent = false;
  };
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') cell += text[++index];
      else isQuoted = false;
    } else if (character === '"' && !hasContent) {
      isQuoted = true;
      hasContent = true;
      cell = "";
    } else if (character === separator) endCell();
    else if (character === "\n") {
      endCell();
      rows.push([]);
    } else if (character !== "\r") {
      cell += character;
      hasContent ||= character.trim() !== "";
    }
  }
  endCell();
  return rows.filter((row) => row.some((cell) => cell !== ""));
}

/** Formats cells in one line for summaries: "Rent | 900; Food | 300". */
export function formatCells(rows: unknown[][]): string {
  const lines = rows.slice(0, 20).map((row) => row.map((cell) => String(cell ?? "").replace(/\s+/g, " ")).join(" | "));
  return lines.join("; ") + (rows.length > 20 ? `; and ${rows.length - 20} more rows` : "");
}

/** Formats a range in A1 notation, with the sheet's name quoted. */
export function formatRange(sheet: string | undefined, cells: string | undefined): string {
  const range = cells?.trim() ?? "";
  if (range.includes("!") || !sheet?.trim()) return range;
  const quoted = `'${sheet.trim().replace(/'/g, "''")}'`;
  return range === "" ? quoted : `${quoted}!${range}`;
}

/** Returns the API path of a range of values. */
export function buildValuesPath(spreadsheet: string, range: string): string {
  return `/v4/spreadsheets/${encodeURIComponent(spreadsheet)}/values/${encodeURIComponent(range)}`;
}

/** Returns the web page of a spreadsheet. */
export function buildSpreadsheetUrl(context: Pick<ToolContext, "http">, id: string): string {
  return `${context.http.endpoints.web}/spreadsheets/d/${encodeURIComponent(id)}/edit`;
}

/** Rows of values for cells; text is stored unchanged. */
export const Rows = z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])));

/** Fields of every write of cells. */
export const WRITE_FIELDS = {
  sheet: withDescription(z.optional(z.string()), "Name of the sheet. Default: the first sheet."),
  formulas: withDescription(
    z.optional(z.boolean()),
    "Set only if the user asks for a formula: parse values as if typed, so that =SUM(A1:A3) computes.",
  ),
};

/** How the text of a cell is stored. */
type CellInput = { formulas?: boolean | undefined };

/**
 * Returns Google's `valueInputOption`. RAW keeps `007` and stores `=IMPORTXML(…)` as text, so that no text from
 * elsewhere runs. Source: https://developers.google.com/workspace/sheets/api/reference/rest/v4/ValueInputOption
 */
export function getInputOption({ formulas }: CellInput): "RAW" | "USER_ENTERED" {
  return formulas ? "USER_ENTERED" : "RAW";
}

/** Converts the texts of cells to values. Without formulas, only a number that reads back the same becomes a number. */
export function toCellValues(rows: string[][], { formulas }: CellInput): (string | number)[][] {
  return formulas ? rows : rows.map((row) => row.map(toCellValue));
}

function toCellValue(text: string): string | number {
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/.test(text) && String(Number(text)) === text ? Number(text) : text;
}
