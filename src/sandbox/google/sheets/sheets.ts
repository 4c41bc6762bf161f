import { type Context, Hono } from "hono";
import type { Place } from "../../provider.ts";
import { bodyOf, type GoogleEnv, listIn, masked, needs, recordIn, textIn } from "../access.ts";
import { newFile } from "../drive/drive.ts";
import { visibleFile, webPath, writableFile } from "../drive/files.ts";
import { notFound } from "../errors.ts";
import { type Cell, type DriveFile, type GoogleWorld, type Sheet, SPREADSHEET } from "../world.ts";
import { shown, valuesIn } from "./cells.ts";
import { parseRange, type Range, sheetProperties } from "./ranges.ts";
import { carryOut } from "./requests.ts";
import { valueRoutes } from "./values.ts";

/** Sheets API v4 (developers.google.com/workspace/sheets/api/reference/rest): text, numbers and truths; formulas are kept and not worked out. */
export function sheetsRoutes(app: Hono<GoogleEnv>, place: Place<GoogleWorld>): void {
  const sheets = new Hono<GoogleEnv>();
  sheets.post("/spreadsheets", needs("sheetsWrite"), async (c) => {
    const file = created(c, await bodyOf(c), place);
    place.world().files.push(file);
    place.changed();
    return answer(c, spreadsheetView(c, file));
  });
  sheets.get("/spreadsheets/:id", needs("sheetsRead"), (c) => {
    const file = visibleFile(c, c.req.param("id"), SPREADSHEET);
    const ranges = (c.req.queries("ranges") ?? []).map((text) => parseRange(file, text, "read"));
    const grid = c.req.query("includeGridData") === "true" || /\bdata\b/.test(c.req.query("fields") ?? "");
    return answer(c, spreadsheetView(c, file, ranges, grid));
  });
  sheets.post("/spreadsheets/:call", needs("sheetsWrite"), async (c) => {
    const [, id = ""] = /^(.+):batchUpdate$/.exec(c.req.param("call")) ?? [];
    if (id === "") throw notFound("Not Found");
    const file = writableFile(c, id, SPREADSHEET);
    const body = await bodyOf(c);
    const replies = carryOut(file, listIn(body, "requests"));
    file.modifiedTime = new Date(place.now()).toISOString();
    place.changed();
    const updated = body.includeSpreadsheetInResponse === true;
    const rest = updated ? { updatedSpreadsheet: spreadsheetView(c, file) } : {};
    return answer(c, { spreadsheetId: file.id, replies, ...rest });
  });
  valueRoutes(sheets, place);
  app.route("/v4", sheets);
}

function answer(c: Context<GoogleEnv>, value: object) {
  return c.json(masked(value, c.req.query("fields")) as Record<string, unknown>);
}

function created(c: Context<GoogleEnv>, body: Record<string, unknown>, place: Place<GoogleWorld>): DriveFile {
  const title = textIn(recordIn(body, "properties") ?? {}, "title") ?? "Untitled spreadsheet";
  const file = newFile(c.get("account"), title, SPREADSHEET, place);
  const given = listIn(body, "sheets").map((sheet) => recordIn({ sheet }, "sheet") ?? {});
  if (given.length > 0) {
    file.sheets = given.map((sheet, at) => {
      const { title = `Sheet${at + 1}`, sheetId = at } = recordIn(sheet, "properties") ?? {};
      return { sheetId: Number(sheetId), title: String(title), rows: rowsOf(sheet) };
    });
  }
  return file;
}

/** Rows of `data[].rowData[].values[].userEnteredValue`. */
function rowsOf(sheet: Record<string, unknown>): Cell[][] {
  return listIn(sheet, "data").flatMap((data) =>
    listIn(recordIn({ data }, "data") ?? {}, "rowData").map((row) =>
      listIn(recordIn({ row }, "row") ?? {}, "values").map((cell) => {
        const entered = recordIn(recordIn({ cell }, "cell") ?? {}, "userEnteredValue") ?? {};
        const [value = ""] = Object.values(entered);
        return typeof value === "number" || typeof value === "boolean" ? value : String(value);
      }),
    ),
  );
}

/** A spreadsheet with its sheets, or with those that ranges are in; cells only when asked for. */
function spreadsheetView(c: Context<GoogleEnv>, file: DriveFile, ranges: Range[] = [], grid = false) {
  const all = file.sheets ?? [];
  const listed = ranges.length === 0 ? all : all.filter((one) => ranges.some(({ sheet }) => sheet === one));
  return {
    spreadsheetId: file.id,
    properties: { title: file.name, locale: "en_US", autoRecalc: "ON_CHANGE", timeZone: c.get("account").timeZone },
    sheets: listed.map((sheet) => ({
      properties: sheetProperties(sheet, all.indexOf(sheet)),
      ...(grid ? { data: gridData(file, sheet, ranges) } : {}),
    })),
    spreadsheetUrl: new URL(webPath(file), c.req.url).href,
  };
}

function gridData(file: DriveFile, sheet: Sheet, ranges: Range[]) {
  const whole = parseRange(file, `'${sheet.title.replace(/'/g, "''")}'`, "read");
  const wanted = ranges.length === 0 ? [whole] : ranges.filter((range) => range.sheet === sheet);
  return wanted.map((range) => ({
    ...(range.row > 0 ? { startRow: range.row } : {}),
    ...(range.column > 0 ? { startColumn: range.column } : {}),
    rowData: valuesIn(range, "UNFORMATTED_VALUE").map((cells) => ({ values: cells.map(cellData) })),
  }));
}

function cellData(cell: Cell) {
  if (cell === "") return {};
  const type = { string: "stringValue", number: "numberValue", boolean: "boolValue" }[typeof cell as "string"];
  const formula = typeof cell === "string" && cell.startsWith("=");
  const value = { [formula ? "formulaValue" : type]: cell };
  return { userEnteredValue: value, effectiveValue: { [type]: cell }, formattedValue: shown(cell) };
}
