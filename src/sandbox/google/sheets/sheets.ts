import { type Context, Hono } from "hono";
import { toRecord } from "#protocol/json";
import type { ProviderContext } from "../../provider.ts";
import { type GoogleEnv, getList, getText, parseBody, requireAccess, sendMasked } from "../access.ts";
import { applyRequests } from "../batch-update.ts";
import { createFile } from "../drive/drive.ts";
import { findVisibleFile, findWritableFile, getWebPath } from "../drive/files.ts";
import { notFoundError } from "../errors.ts";
import { type Cell, type DriveFile, type GoogleState, type Sheet, SPREADSHEET_TYPE } from "../state.ts";
import { formatCell, readValues } from "./cells.ts";
import { parseRange, type Range, toSheetProperties } from "./ranges.ts";
import { SHEET_CHANGES } from "./requests.ts";
import { registerValueRoutes } from "./values.ts";

/**
 * Sheets API v4 (developers.google.com/workspace/sheets/api/reference/rest): text, numbers and booleans; formulas are
 * stored but not evaluated.
 */
export function registerSheetsRoutes(app: Hono<GoogleEnv>, provider: ProviderContext<GoogleState>): void {
  const sheets = new Hono<GoogleEnv>();
  sheets.post("/spreadsheets", requireAccess("sheetsWrite"), async (c) => {
    const file = create(c, await parseBody(c), provider);
    provider.world().files.push(file);
    provider.save();
    return sendMasked(c, toSpreadsheetView(c, file));
  });
  sheets.get("/spreadsheets/:id", requireAccess("sheetsRead"), (c) => {
    const file = findVisibleFile(c, c.req.param("id"), SPREADSHEET_TYPE);
    const ranges = (c.req.queries("ranges") ?? []).map((text) => parseRange(file, text, "read"));
    const grid = c.req.query("includeGridData") === "true" || /\bdata\b/.test(c.req.query("fields") ?? "");
    return sendMasked(c, toSpreadsheetView(c, file, ranges, grid));
  });
  sheets.post("/spreadsheets/:call", requireAccess("sheetsWrite"), async (c) => {
    const [, id = ""] = /^(.+):batchUpdate$/.exec(c.req.param("call")) ?? [];
    if (id === "") throw notFoundError("Not Found");
    const file = findWritableFile(c, id, SPREADSHEET_TYPE);
    const body = await parseBody(c);
    const replies = applyRequests(file, getList(body, "requests"), SHEET_CHANGES);
    file.modifiedTime = provider.timestamp();
    provider.save();
    const updated = body.includeSpreadsheetInResponse === true;
    const extra = updated ? { updatedSpreadsheet: toSpreadsheetView(c, file) } : {};
    return sendMasked(c, { spreadsheetId: file.id, replies, ...extra });
  });
  registerValueRoutes(sheets, provider);
  app.route("/v4", sheets);
}

function create(
  c: Context<GoogleEnv>,
  body: Record<string, unknown>,
  provider: ProviderContext<GoogleState>,
): DriveFile {
  const title = getText(toRecord(body.properties), "title") ?? "Untitled spreadsheet";
  const file = createFile(c.get("account"), title, SPREADSHEET_TYPE, provider);
  const properties = getList(body, "sheets").map((sheet) => toRecord(sheet));
  if (properties.length > 0) {
    file.sheets = properties.map((sheet, sheetIndex) => {
      const { title = `Sheet${sheetIndex + 1}`, sheetId = sheetIndex } = toRecord(sheet.properties);
      return { sheetId: Number(sheetId), title: String(title), rows: getRows(sheet) };
    });
  }
  return file;
}

/** Rows of `data[].rowData[].values[].userEnteredValue`. */
function getRows(sheet: Record<string, unknown>): Cell[][] {
  return getList(sheet, "data").flatMap((data) =>
    getList(toRecord(data), "rowData").map((row) =>
      getList(toRecord(row), "values").map((cell) => {
        const entered = toRecord(toRecord(cell).userEnteredValue);
        const [value = ""] = Object.values(entered);
        return typeof value === "number" || typeof value === "boolean" ? value : String(value);
      }),
    ),
  );
}

/** Returns a spreadsheet with its sheets, or with those of the ranges; cells only on request. */
function toSpreadsheetView(c: Context<GoogleEnv>, file: DriveFile, ranges: Range[] = [], grid = false) {
  const all = file.sheets ?? [];
  const shownSheets =
    ranges.length === 0 ? all : all.filter((namedSheet) => ranges.some(({ sheet }) => sheet === namedSheet));
  return {
    spreadsheetId: file.id,
    properties: { title: file.name, locale: "en_US", autoRecalc: "ON_CHANGE", timeZone: c.get("account").timeZone },
    sheets: shownSheets.map((sheet) => ({
      properties: toSheetProperties(sheet, all.indexOf(sheet)),
      ...(grid ? { data: toGridData(file, sheet, ranges) } : {}),
    })),
    spreadsheetUrl: new URL(getWebPath(file), c.req.url).href,
  };
}

function toGridData(file: DriveFile, sheet: Sheet, ranges: Range[]) {
  const wholeSheet = parseRange(file, `'${sheet.title.replace(/'/g, "''")}'`, "read");
  const parts = ranges.length === 0 ? [wholeSheet] : ranges.filter((range) => range.sheet === sheet);
  return parts.map((range) => ({
    ...(range.row > 0 ? { startRow: range.row } : {}),
    ...(range.column > 0 ? { startColumn: range.column } : {}),
    rowData: readValues(range, "UNFORMATTED_VALUE").map((cells) => ({ values: cells.map(toCellData) })),
  }));
}

function toCellData(cell: Cell) {
  if (cell === "") return {};
  const type = { string: "stringValue", number: "numberValue", boolean: "boolValue" }[typeof cell as "string"];
  const formula = typeof cell === "string" && cell.startsWith("=");
  const value = { [formula ? "formulaValue" : type]: cell };
  return { userEnteredValue: value, effectiveValue: { [type]: cell }, formattedValue: formatCell(cell) };
}
