import { type Context, Hono } from "hono";
import type { Place } from "../../provider.ts";
import { bodyOf, type GoogleEnv, listIn, masked, needs, recordIn, textIn } from "../access.ts";
import { newFile } from "../drive/drive.ts";
import { visibleFile, webPath, writableFile } from "../drive/files.ts";
import { invalid, notFound } from "../errors.ts";
import { type DriveFile, type GoogleWorld, SPREADSHEET } from "../world.ts";
import { parseRange, rangeText, valuesIn, writeValues } from "./ranges.ts";

/** Sheets API v4 (developers.google.com/workspace/sheets/api/reference/rest): values as text; formulas are kept and not worked out. */
export function sheetsRoutes(app: Hono<GoogleEnv>, place: Place<GoogleWorld>): void {
  const sheets = new Hono<GoogleEnv>();
  sheets.post("/spreadsheets", needs("sheetsWrite"), (c) => create(c, place));
  sheets.get("/spreadsheets/:id", needs("sheetsRead"), (c) => {
    const file = visibleFile(c, c.req.param("id"), SPREADSHEET);
    return c.json(masked(spreadsheetView(c, file), c.req.query("fields")) as Record<string, unknown>);
  });
  sheets.get("/spreadsheets/:id/values/:range", needs("sheetsRead"), (c) => {
    const range = parseRange(visibleFile(c, c.req.param("id"), SPREADSHEET), c.req.param("range"));
    const values = valuesIn(range);
    const size = {
      height: Math.max(range.sheet.rows.length - range.row, 1),
      width: Math.max(...range.sheet.rows.map((row) => row.length), 1),
    };
    const height = range.lastRow === undefined ? size.height : range.lastRow - range.row + 1;
    const width = range.lastColumn === undefined ? size.width : range.lastColumn - range.column + 1;
    const text = rangeText(range.sheet, range.row, range.column, height, width);
    return c.json({ range: text, majorDimension: "ROWS", ...(values.length > 0 ? { values } : {}) });
  });
  sheets.put("/spreadsheets/:id/values/:range", needs("sheetsWrite"), async (c) => {
    const file = writableFile(c, c.req.param("id"), SPREADSHEET);
    const text = c.req.param("range");
    const values = await valuesOf(c);
    const range = parseRange(file, text);
    const [height, width] = [values.length, Math.max(...values.map((row) => row.length), 0)];
    const fits =
      (range.lastRow === undefined || range.row + height - 1 <= range.lastRow) &&
      (range.lastColumn === undefined || range.column + width - 1 <= range.lastColumn);
    if (!fits) throw invalid(`Requested writing within range [${text}], but tried writing outside`);
    writeValues(range.sheet, range.row, range.column, values);
    return c.json(written(file, rangeText(range.sheet, range.row, range.column, height, width), values, place));
  });
  sheets.post("/spreadsheets/:id/values/:call", needs("sheetsWrite"), async (c) => {
    const [, text = ""] = /^(.+):append$/.exec(c.req.param("call")) ?? [];
    if (text === "") throw notFound();
    const file = writableFile(c, c.req.param("id"), SPREADSHEET);
    const values = await valuesOf(c);
    const { sheet } = parseRange(file, text);
    const row = sheet.rows.findLastIndex((cells) => cells.some((cell) => cell !== "")) + 1;
    writeValues(sheet, row, 0, values);
    const width = Math.max(...values.map((cells) => cells.length), 0);
    const updates = written(file, rangeText(sheet, row, 0, values.length, width), values, place);
    return c.json({ spreadsheetId: file.id, tableRange: sheet.title, updates });
  });
  app.route("/v4", sheets);
}

async function create(c: Context<GoogleEnv>, place: Place<GoogleWorld>) {
  const body = await bodyOf(c);
  const title = textIn(recordIn(body, "properties") ?? {}, "title") ?? "Untitled spreadsheet";
  const file = newFile(c.get("account"), title, SPREADSHEET, place);
  const given = listIn(body, "sheets").map((sheet) => recordIn({ sheet }, "sheet") ?? {});
  if (given.length > 0) {
    file.sheets = given.map((sheet, sheetId) => ({
      sheetId,
      title: textIn(recordIn(sheet, "properties") ?? {}, "title") ?? `Sheet${sheetId + 1}`,
      rows: rowsOf(sheet),
    }));
  }
  place.world().files.push(file);
  place.changed();
  return c.json(masked(spreadsheetView(c, file), c.req.query("fields")) as Record<string, unknown>);
}

/** Rows of `data[].rowData[].values[].userEnteredValue`. */
function rowsOf(sheet: Record<string, unknown>): string[][] {
  return listIn(sheet, "data").flatMap((data) =>
    listIn(recordIn({ data }, "data") ?? {}, "rowData").map((row) =>
      listIn(recordIn({ row }, "row") ?? {}, "values").map((cell) => {
        const entered = recordIn(recordIn({ cell }, "cell") ?? {}, "userEnteredValue") ?? {};
        return shown(Object.values(entered)[0] ?? "");
      }),
    ),
  );
}

async function valuesOf(c: Context<GoogleEnv>): Promise<string[][]> {
  if (!["RAW", "USER_ENTERED"].includes(c.req.query("valueInputOption") ?? "")) {
    throw invalid("'valueInputOption' is required but not specified");
  }
  const rows = listIn(await bodyOf(c), "values");
  if (!rows.every((row) => Array.isArray(row))) throw invalid("Invalid values[0]: list_value expected");
  return rows.map((row) => (row as unknown[]).map((cell) => shown(cell)));
}

function shown(value: unknown): string {
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  return value === null ? "" : String(value);
}

function written(file: DriveFile, updatedRange: string, values: string[][], place: Place<GoogleWorld>) {
  file.modifiedTime = new Date(place.now()).toISOString();
  place.changed();
  return {
    spreadsheetId: file.id,
    updatedRange,
    updatedRows: values.length,
    updatedColumns: Math.max(...values.map((row) => row.length), 0),
    updatedCells: values.flat().length,
  };
}

function spreadsheetView(c: Context<GoogleEnv>, file: DriveFile) {
  return {
    spreadsheetId: file.id,
    properties: { title: file.name, locale: "en_US", timeZone: c.get("account").timeZone },
    sheets: (file.sheets ?? []).map(({ sheetId, title }, index) => ({
      properties: { sheetId, title, index, sheetType: "GRID", gridProperties: { rowCount: 1000, columnCount: 26 } },
    })),
    spreadsheetUrl: new URL(webPath(file), c.req.url).href,
  };
}
