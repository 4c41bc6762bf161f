import { type JsonRecord, toRecord } from "#protocol/json";
import { getText } from "../access.ts";
import type { FileChange } from "../batch-update.ts";
import { invalidError } from "../errors.ts";
import type { DriveFile, Sheet } from "../state.ts";
import { toSheetProperties } from "./ranges.ts";

/** Requests of `spreadsheets.batchUpdate` on a spreadsheet and its sheets, not on formats. */
export const SHEET_CHANGES: Record<string, FileChange> = {
  addSheet(file, request) {
    const properties = toRecord(request.properties);
    const sheets = file.sheets ?? [];
    const next = Math.max(0, ...sheets.map(({ sheetId }) => sheetId)) + 1;
    const sheet: Sheet = { sheetId: Number(properties.sheetId ?? next), title: "", rows: [] };
    if (sheets.some(({ sheetId }) => sheetId === sheet.sheetId)) {
      throw invalidError(`Sheet with id ${sheet.sheetId} already exists.`);
    }
    sheet.title = requireFreeTitle(sheets, getText(properties, "title") ?? `Sheet${sheets.length + 1}`);
    const index = Math.min(Number(properties.index ?? sheets.length), sheets.length);
    sheets.splice(index, 0, sheet);
    return { addSheet: { properties: toSheetProperties(sheet, index) } };
  },
  deleteSheet(file, request) {
    const sheet = getSheet(file, request.sheetId);
    if (file.sheets?.length === 1) throw invalidError("You can't remove all the sheets in a document.");
    file.sheets = file.sheets?.filter((other) => other !== sheet);
    return {};
  },
  updateSheetProperties(file, request) {
    const properties = toRecord(request.properties);
    const sheet = getSheet(file, properties.sheetId ?? 0);
    const fields = getFields(request);
    const others = (file.sheets ?? []).filter((other) => other !== sheet);
    if (fields("title")) sheet.title = requireFreeTitle(others, getText(properties, "title") ?? "");
    if (fields("index")) file.sheets = others.toSpliced(Number(properties.index ?? 0), 0, sheet);
    return {};
  },
  updateSpreadsheetProperties(file, request) {
    if (getFields(request)("title")) file.name = getText(toRecord(request.properties), "title") ?? "";
    return {};
  },
  deleteDimension(file, request) {
    const { sheet, rows, start, end } = getSpan(file, request);
    if (rows) sheet.rows.splice(start, end - start);
    else for (const cells of sheet.rows) cells.splice(start, end - start);
    return {};
  },
  insertDimension(file, request) {
    const { sheet, rows, start, end } = getSpan(file, request);
    const newLines = Array.from({ length: end - start });
    if (rows && start < sheet.rows.length) sheet.rows.splice(start, 0, ...newLines.map(() => []));
    else if (!rows) {
      for (const cells of sheet.rows) if (start < cells.length) cells.splice(start, 0, ...newLines.map(() => ""));
    }
    return {};
  },
};

function getSheet(file: DriveFile, id: unknown): Sheet {
  const sheet = file.sheets?.find(({ sheetId }) => sheetId === Number(id ?? 0));
  if (!sheet) throw invalidError(`No grid with id: ${String(id ?? 0)}`);
  return sheet;
}

function requireFreeTitle(others: Sheet[], title: string): string {
  if (others.some((sheet) => sheet.title.toLowerCase() === title.toLowerCase())) {
    throw invalidError(`A sheet with the name "${title}" already exists. Please enter another name.`);
  }
  return title;
}

/** Whether a request changes a field. @throws ApiError if it names none */
function getFields(request: JsonRecord): (name: string) => boolean {
  const names = (getText(request, "fields") ?? "").split(",").map((name) => name.trim());
  if (names.every((name) => name === ""))
    throw invalidError("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  return (name) => names.includes("*") || names.includes(name);
}

function getSpan(file: DriveFile, request: JsonRecord) {
  const range = toRecord(request.range);
  const [start, end] = [Number(range.startIndex ?? 0), Number(range.endIndex ?? 0)];
  if (end <= start) throw invalidError("range.endIndex must be greater than range.startIndex");
  return { sheet: getSheet(file, range.sheetId), rows: range.dimension === "ROWS", start, end };
}
