import type { Context, Hono } from "hono";
import type { Place } from "../../provider.ts";
import { bodyOf, type GoogleEnv, listIn, masked, needs, recordIn, textIn } from "../access.ts";
import { visibleFile, writableFile } from "../drive/files.ts";
import { invalid, notFound } from "../errors.ts";
import { type Cell, type DriveFile, type GoogleWorld, SPREADSHEET } from "../world.ts";
import { clearValues, RENDERED, turned, typed, valuesIn, writeValues } from "./cells.ts";
import { parseRange, type Range, rangeText } from "./ranges.ts";
import { tableIn } from "./table.ts";
import { fitting, updateOf, type Written, written } from "./written.ts";

type C = Context<GoogleEnv>;
/** Parameters of a call, from its query or from the body of a batch. */
type Asked = (name: string) => string | undefined;

const ONE = "/spreadsheets/:id/values/:range";
const MANY = "/spreadsheets/:id/:call";

/** Values of cells (developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values), one range or many at once. */
export function valueRoutes(sheets: Hono<GoogleEnv>, place: Place<GoogleWorld>): void {
  const readable = (c: C) => visibleFile(c, c.req.param("id") ?? "", SPREADSHEET);
  const writable = (c: C) => writableFile(c, c.req.param("id") ?? "", SPREADSHEET);
  sheets.get(ONE, needs("sheetsRead"), (c) => answer(c, read(c, readable(c), c.req.param("range") ?? "")));
  sheets.put(ONE, needs("sheetsWrite"), async (c) => {
    const file = writable(c);
    const done = write(file, c.req.param("range") ?? "", await bodyOf(c), (name) => c.req.query(name));
    touch(file, place);
    return answer(c, updateOf(file, done, askedOf(c)));
  });
  sheets.post("/spreadsheets/:id/values/:call", needs("sheetsWrite"), async (c) => {
    const [, range = "", verb] = /^(.+):(append|clear)$/.exec(c.req.param("call")) ?? [];
    if (range === "") throw notFound("Not Found");
    const file = writable(c);
    const result = verb === "append" ? await append(c, file, range) : { clearedRange: cleared(file, range) };
    touch(file, place);
    return answer(c, { spreadsheetId: file.id, ...result });
  });
  sheets.get(MANY, needs("sheetsRead"), (c) => {
    if (c.req.param("call") !== "values:batchGet") throw notFound("Not Found");
    const file = readable(c);
    const valueRanges = (c.req.queries("ranges") ?? []).map((range) => read(c, file, range));
    return answer(c, { spreadsheetId: file.id, valueRanges });
  });
  sheets.post(MANY, needs("sheetsWrite"), async (c) => {
    const many = { "values:batchUpdate": writeMany, "values:batchClear": clearMany }[c.req.param("call")];
    if (!many) throw notFound("Not Found");
    const file = writable(c);
    const result = many(file, await bodyOf(c));
    touch(file, place);
    return answer(c, { spreadsheetId: file.id, ...result });
  });
}

function answer(c: C, value: object) {
  return c.json(masked(value, c.req.query("fields")) as Record<string, unknown>);
}

function touch(file: DriveFile, place: Place<GoogleWorld>): void {
  file.modifiedTime = new Date(place.now()).toISOString();
  place.changed();
}

function askedOf(c: C): Asked {
  return (name) => c.req.query(name);
}

function read(c: C, file: DriveFile, text: string) {
  const range = parseRange(file, text, "read");
  const majorDimension = oneOf(askedOf(c), "majorDimension", ["ROWS", "COLUMNS"]);
  const rows = valuesIn(range, oneOf(askedOf(c), "valueRenderOption", RENDERED));
  const values = majorDimension === "ROWS" ? rows : turned<Cell>(rows, "").map(withoutEnd);
  return { range: rangeText(range), majorDimension, ...(values.length > 0 ? { values } : {}) };
}

function withoutEnd(cells: Cell[]): Cell[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1);
}

function write(file: DriveFile, text: string, body: Record<string, unknown>, asked: Asked): Written {
  const values = valuesOf(body, asked);
  const range = parseRange(file, text, "write");
  fitting(range, values);
  writeValues(range.sheet, range.row, range.column, values);
  return written(range, values);
}

/** Below the last table that the range meets, or at its first cell; `INSERT_ROWS` moves down what is there. */
async function append(c: C, file: DriveFile, text: string) {
  const values = valuesOf(await bodyOf(c), askedOf(c));
  const range = parseRange(file, text, "read");
  const table = tableIn(range);
  const at: Range = table ? { ...table, row: table.lastRow + 1 } : range;
  if (oneOf(askedOf(c), "insertDataOption", ["OVERWRITE", "INSERT_ROWS"]) === "INSERT_ROWS") {
    at.sheet.rows.splice(at.row, 0, ...values.map(() => []));
  }
  writeValues(at.sheet, at.row, at.column, values);
  const updates = updateOf(file, written(at, values), askedOf(c));
  return { ...(table ? { tableRange: rangeText(table) } : {}), updates };
}

function cleared(file: DriveFile, text: string): string {
  const range = parseRange(file, text, "read");
  clearValues(range);
  return rangeText(range);
}

function clearMany(file: DriveFile, body: Record<string, unknown>) {
  return { clearedRanges: listIn(body, "ranges").map((text) => cleared(file, String(text))) };
}

/** All ranges are written, or none. */
function writeMany(file: DriveFile, body: Record<string, unknown>) {
  const asked: Asked = (name) => (body[name] === undefined ? undefined : String(body[name]));
  const draft = structuredClone(file);
  const done = listIn(body, "data").map((one, index) => {
    const data = recordIn({ one }, "one") ?? {};
    return inPart(`data[${index}]`, () => write(draft, textIn(data, "range") ?? "", data, asked));
  });
  file.sheets = draft.sheets;
  const sum = (count: (one: Written) => number) => done.reduce((total, one) => total + count(one), 0);
  return {
    totalUpdatedRows: sum(({ rows }) => rows),
    totalUpdatedColumns: sum(({ columns }) => columns),
    totalUpdatedCells: sum(({ cells }) => cells),
    totalUpdatedSheets: new Set(done.map(({ range }) => range.sheet.sheetId)).size,
    responses: done.map((one) => updateOf(draft, one, asked)),
  };
}

/** Refusals of a part of a batch say which part. */
function inPart<T>(part: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Error && error.name === "GoogleRefusal"
      ? invalid(`Invalid ${part}: ${error.message}`)
      : error;
  }
}

function valuesOf(body: Record<string, unknown>, asked: Asked): (Cell | null)[][] {
  if (asked("valueInputOption") === undefined) throw invalid("'valueInputOption' is required but not specified");
  const raw = oneOf(asked, "valueInputOption", ["RAW", "USER_ENTERED"]) === "RAW";
  const lines = listIn(body, "values").map((line, index) => {
    if (!Array.isArray(line)) {
      const type = "type.googleapis.com/google.protobuf.ListValue";
      throw invalid(`Invalid value at 'data.values[${index}]' (${type}), ${JSON.stringify(line)}`);
    }
    return line.map((value: unknown, at) => {
      if (typeof value === "object" && value !== null) {
        throw invalid(`Invalid values[${index}][${at}]: ${Array.isArray(value) ? "list_value" : "struct_value"}`);
      }
      return raw || value === null ? (value as Cell | null) : typed(value as Cell);
    });
  });
  return body.majorDimension === "COLUMNS" ? turned<Cell | null>(lines, null) : lines;
}

/** A parameter that is one of some words; the first of them when it is left out. */
function oneOf<T extends string>(asked: Asked, name: string, words: readonly [T, ...T[]]): T {
  const given = asked(name) ?? words[0];
  const found = words.find((word) => word === given);
  if (found) return found;
  const [snake, type] = [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), TYPES[name]];
  throw invalid(`Invalid value at '${snake}' (type.googleapis.com/google.apps.sheets.v4.${type}), "${given}"`);
}

const TYPES: Record<string, string> = {
  majorDimension: "Dimension",
  valueRenderOption: "ValueRenderOption",
  valueInputOption: "ValueInputOption",
  insertDataOption: "AppendValuesRequest.InsertDataOption",
};
