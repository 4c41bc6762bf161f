import type { Context, Hono } from "hono";
import { toRecord } from "#protocol/json";
import type { ProviderContext } from "../../provider.ts";
import { type GoogleEnv, getList, getText, parseBody, requireAccess, sendMasked } from "../access.ts";
import { withPlace } from "../batch-update.ts";
import { findVisibleFile, findWritableFile } from "../drive/files.ts";
import { invalidError, notFoundError } from "../errors.ts";
import { type Cell, type DriveFile, type GoogleState, SPREADSHEET_TYPE } from "../state.ts";
import { clearValues, parseEnteredCell, RENDER_OPTIONS, readValues, transpose, writeValues } from "./cells.ts";
import { formatRange, parseRange, type Range } from "./ranges.ts";
import { findTable } from "./table.ts";
import { assertFits, summarizeWrite, toUpdateResponse, type WriteSummary } from "./write-summary.ts";

type C = Context<GoogleEnv>;
/** Reads a parameter from the query of a call or the body of a batch. */
type GetOption = (name: string) => string | undefined;

const ONE = "/spreadsheets/:id/values/:range";
const MANY = "/spreadsheets/:id/:call";

/**
 * Values of cells (developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values), one range or many
 * at once.
 */
export function registerValueRoutes(sheets: Hono<GoogleEnv>, provider: ProviderContext<GoogleState>): void {
  const findReadable = (c: C) => findVisibleFile(c, c.req.param("id") ?? "", SPREADSHEET_TYPE);
  const findWritable = (c: C) => findWritableFile(c, c.req.param("id") ?? "", SPREADSHEET_TYPE);
  sheets.get(ONE, requireAccess("sheetsRead"), (c) =>
    sendMasked(c, read(c, findReadable(c), c.req.param("range") ?? "")),
  );
  sheets.put(ONE, requireAccess("sheetsWrite"), async (c) => {
    const file = findWritable(c);
    const summary = write(file, c.req.param("range") ?? "", await parseBody(c), (name) => c.req.query(name));
    touch(file, provider);
    return sendMasked(c, toUpdateResponse(file, summary, getQueryOption(c)));
  });
  sheets.post("/spreadsheets/:id/values/:call", requireAccess("sheetsWrite"), async (c) => {
    const [, range = "", verb] = /^(.+):(append|clear)$/.exec(c.req.param("call")) ?? [];
    if (range === "") throw notFoundError("Not Found");
    const file = findWritable(c);
    const result = verb === "append" ? await append(c, file, range) : { clearedRange: clear(file, range) };
    touch(file, provider);
    return sendMasked(c, { spreadsheetId: file.id, ...result });
  });
  sheets.get(MANY, requireAccess("sheetsRead"), (c) => {
    if (c.req.param("call") !== "values:batchGet") throw notFoundError("Not Found");
    const file = findReadable(c);
    const valueRanges = (c.req.queries("ranges") ?? []).map((range) => read(c, file, range));
    return sendMasked(c, { spreadsheetId: file.id, valueRanges });
  });
  sheets.post(MANY, requireAccess("sheetsWrite"), async (c) => {
    const writeAll = { "values:batchUpdate": writeMany, "values:batchClear": clearMany }[c.req.param("call")];
    if (!writeAll) throw notFoundError("Not Found");
    const file = findWritable(c);
    const result = writeAll(file, await parseBody(c));
    touch(file, provider);
    return sendMasked(c, { spreadsheetId: file.id, ...result });
  });
}

function touch(file: DriveFile, provider: ProviderContext<GoogleState>): void {
  file.modifiedTime = provider.timestamp();
  provider.save();
}

function getQueryOption(c: C): GetOption {
  return (name) => c.req.query(name);
}

function read(c: C, file: DriveFile, text: string) {
  const range = parseRange(file, text, "read");
  const majorDimension = getOne(getQueryOption(c), "majorDimension", ["ROWS", "COLUMNS"]);
  const rows = readValues(range, getOne(getQueryOption(c), "valueRenderOption", RENDER_OPTIONS));
  const values = majorDimension === "ROWS" ? rows : transpose<Cell>(rows, "").map(withoutEnd);
  return { range: formatRange(range), majorDimension, ...(values.length > 0 ? { values } : {}) };
}

function withoutEnd(cells: Cell[]): Cell[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1);
}

function write(file: DriveFile, text: string, body: Record<string, unknown>, getOption: GetOption): WriteSummary {
  const values = getValues(body, getOption);
  const range = parseRange(file, text, "write");
  assertFits(range, values);
  writeValues(range.sheet, range.row, range.column, values);
  return summarizeWrite(range, values);
}

/** Appends below the last table that the range meets, or at its first cell; `INSERT_ROWS` moves existing rows down. */
async function append(c: C, file: DriveFile, text: string) {
  const values = getValues(await parseBody(c), getQueryOption(c));
  const range = parseRange(file, text, "read");
  const table = findTable(range);
  const target: Range = table ? { ...table, row: table.lastRow + 1 } : range;
  if (getOne(getQueryOption(c), "insertDataOption", ["OVERWRITE", "INSERT_ROWS"]) === "INSERT_ROWS") {
    target.sheet.rows.splice(target.row, 0, ...values.map(() => []));
  }
  writeValues(target.sheet, target.row, target.column, values);
  const updates = toUpdateResponse(file, summarizeWrite(target, values), getQueryOption(c));
  return { ...(table ? { tableRange: formatRange(table) } : {}), updates };
}

function clear(file: DriveFile, text: string): string {
  const range = parseRange(file, text, "read");
  clearValues(range);
  return formatRange(range);
}

function clearMany(file: DriveFile, body: Record<string, unknown>) {
  return { clearedRanges: getList(body, "ranges").map((text) => clear(file, String(text))) };
}

/** Writes all ranges or none. */
function writeMany(file: DriveFile, body: Record<string, unknown>) {
  const readField: GetOption = (name) => (body[name] === undefined ? undefined : String(body[name]));
  const draft = structuredClone(file);
  const summaries = getList(body, "data").map((entry, index) => {
    const data = toRecord(entry);
    return withPlace(`data[${index}]`, () => write(draft, getText(data, "range") ?? "", data, readField));
  });
  file.sheets = draft.sheets;
  const sum = (count: (summary: WriteSummary) => number) =>
    summaries.reduce((total, summary) => total + count(summary), 0);
  return {
    totalUpdatedRows: sum(({ rows }) => rows),
    totalUpdatedColumns: sum(({ columns }) => columns),
    totalUpdatedCells: sum(({ cells }) => cells),
    totalUpdatedSheets: new Set(summaries.map(({ range }) => range.sheet.sheetId)).size,
    responses: summaries.map((summary) => toUpdateResponse(draft, summary, readField)),
  };
}

function getValues(body: Record<string, unknown>, options: GetOption): (Cell | null)[][] {
  if (options("valueInputOption") === undefined) throw invalidError("'valueInputOption' is required but not specified");
  const isRaw = getOne(options, "valueInputOption", ["RAW", "USER_ENTERED"]) === "RAW";
  const lines = getList(body, "values").map((line, index) => {
    if (!Array.isArray(line)) {
      const type = "type.googleapis.com/google.protobuf.ListValue";
      throw invalidError(`Invalid value at 'data.values[${index}]' (${type}), ${JSON.stringify(line)}`);
    }
    return line.map((value: unknown, cellIndex) => {
      if (typeof value === "object" && value !== null) {
        throw invalidError(
          `Invalid values[${index}][${cellIndex}]: ${Array.isArray(value) ? "list_value" : "struct_value"}`,
        );
      }
      return isRaw || value === null ? (value as Cell | null) : parseEnteredCell(value as Cell);
    });
  });
  return body.majorDimension === "COLUMNS" ? transpose<Cell | null>(lines, null) : lines;
}

/** Reads a parameter with fixed values; the first one is the default. */
function getOne<T extends string>(getOption: GetOption, name: string, options: readonly [T, ...T[]]): T {
  const value = getOption(name) ?? options[0];
  const match = options.find((option) => option === value);
  if (match) return match;
  const [snake, type] = [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), TYPES[name]];
  throw invalidError(`Invalid value at '${snake}' (type.googleapis.com/google.apps.sheets.v4.${type}), "${value}"`);
}

const TYPES: Record<string, string> = {
  majorDimension: "Dimension",
  valueRenderOption: "ValueRenderOption",
  valueInputOption: "ValueInputOption",
  insertDataOption: "AppendValuesRequest.InsertDataOption",
};
