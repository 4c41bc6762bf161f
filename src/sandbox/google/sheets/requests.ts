import { getRecord, getText } from "../access.ts";
import { invalidError } from "../errors.ts";
import type { DriveFile, Sheet } from "../state.ts";
import { toSheetProperties } from "./ranges.ts";

type Request = Record<string, unknown>;
/** Applies one kind of request to a spreadsheet, and returns its reply. @throws Fault */
type Work = (file: DriveFile, request: Request) => Record<string, unknown>;

/**
 * Applies the requests of `spreadsheets.batchUpdate` on a spreadsheet and its sheets (not on formats): all or none.
 * @throws ApiError "Invalid requests[0].addSheet: …"
 */
export function applyRequests(file: DriveFile, requests: unknown[]): Record<string, unknown>[] {
  if (requests.length === 0) throw invalidError("Must specify at least one request.");
  const draft = structuredClone(file);
  const replies = requests.map((request, index) => {
    const [name = "", body] = Object.entries(getRecord({ one: request }, "one") ?? {})[0] ?? [];
    const work = Object.hasOwn(WORKS, name) ? WORKS[name] : undefined;
    if (!work) throw invalidError(`Invalid requests[${index}]: No request set.`);
    try {
      return work(draft, getRecord({ body }, "body") ?? {});
    } catch (error) {
      throw error instanceof Fault ? invalidError(`Invalid requests[${index}].${name}: ${error.message}`) : error;
    }
  });
  file.name = draft.name;
  file.sheets = draft.sheets;
  return replies;
}

/** Returns what is wrong with a request, without its position. */
class Fault extends Error {}

const WORKS: Record<string, Work> = {
  addSheet(file, request) {
    const properties = getRecord(request, "properties") ?? {};
    const sheets = file.sheets ?? [];
    const next = Math.max(0, ...sheets.map(({ sheetId }) => sheetId)) + 1;
    const sheet: Sheet = { sheetId: Number(properties.sheetId ?? next), title: "", rows: [] };
    if (sheets.some(({ sheetId }) => sheetId === sheet.sheetId)) {
      throw new Fault(`Sheet with id ${sheet.sheetId} already exists.`);
    }
    sheet.title = requireFreeTitle(sheets, getText(properties, "title") ?? `Sheet${sheets.length + 1}`);
    const index = Math.min(Number(properties.index ?? sheets.length), sheets.length);
    sheets.splice(index, 0, sheet);
    return { addSheet: { properties: toSheetProperties(sheet, index) } };
  },
  deleteSheet(file, request) {
    const sheet = getSheet(file, request.sheetId);
    if (file.sheets?.length === 1) throw new Fault("You can't remove all the sheets in a document.");
    file.sheets = file.sheets?.filter((other) => other !== sheet);
    return {};
  },
  updateSheetProperties(file, request) {
    const properties = getRecord(request, "properties") ?? {};
    const sheet = getSheet(file, properties.sheetId ?? 0);
    const fields = getFields(request);
    const others = (file.sheets ?? []).filter((other) => other !== sheet);
    if (fields("title")) sheet.title = requireFreeTitle(others, getText(properties, "title") ?? "");
    if (fields("index")) file.sheets = others.toSpliced(Number(properties.index ?? 0), 0, sheet);
    return {};
  },
  updateSpreadsheetProperties(file, request) {
    if (getFields(request)("title")) file.name = getText(getRecord(request, "properties") ?? {}, "title") ?? "";
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
    const empty = Array.from({ length: end - start });
    if (rows && start < sheet.rows.length) sheet.rows.splice(start, 0, ...empty.map(() => []));
    else if (!rows) {
      for (const cells of sheet.rows) if (start < cells.length) cells.splice(start, 0, ...empty.map(() => ""));
    }
    return {};
  },
};

function getSheet(file: DriveFile, id: unknown): Sheet {
  const sheet = file.sheets?.find(({ sheetId }) => sheetId === Number(id ?? 0));
  if (!sheet) throw new Fault(`No grid with id: ${String(id ?? 0)}`);
  return sheet;
}

function requireFreeTitle(others: Sheet[], title: string): string {
  if (others.some((sheet) => sheet.title.toLowerCase() === title.toLowerCase())) {
    throw new Fault(`A sheet with the name "${title}" already exists. Please enter another name.`);
  }
  return title;
}

/** Whether a request changes a field. @throws Fault when it names none */
function getFields(request: Request): (name: string) => boolean {
  const names = (getText(request, "fields") ?? "").split(",").map((name) => name.trim());
  if (names.every((name) => name === ""))
    throw new Fault("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  return (name) => names.includes("*") || names.includes(name);
}

function getSpan(file: DriveFile, request: Request) {
  const range = getRecord(request, "range") ?? {};
  const [start, end] = [Number(range.startIndex ?? 0), Number(range.endIndex ?? 0)];
  if (end <= start) throw new Fault("range.endIndex must be greater than range.startIndex");
  return { sheet: getSheet(file, range.sheetId), rows: range.dimension === "ROWS", start, end };
}
