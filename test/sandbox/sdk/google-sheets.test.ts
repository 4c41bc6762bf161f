import { sheets } from "@googleapis/sheets";
import { expect, test } from "vitest";
import { options } from "./google-client.ts";
import { catchFailure } from "./served.ts";

async function createClient(scope = "spreadsheets") {
  const { client: oauth, ...rest } = await options(scope);
  return { api: sheets({ version: "v4", ...rest }).spreadsheets, oauth };
}

/** A client and a spreadsheet of one sheet, `Paint shop`, with a table of two rows. */
async function createSheet() {
  const { api } = await createClient();
  const properties = { title: "Colours" };
  const spreadsheet = await api.create({
    requestBody: { properties, sheets: [{ properties: { title: "Paint shop" } }] },
  });
  const spreadsheetId = spreadsheet.data.spreadsheetId ?? "";
  const values = [
    ["Name", "EUR", "Sold"],
    ["Blue", "3.5", "TRUE"],
  ];
  const range = "'Paint shop'!A1";
  await api.values.update({ spreadsheetId, range, valueInputOption: "USER_ENTERED", requestBody: { values } });
  return { api, spreadsheetId, made: spreadsheet.data };
}

const SHEET = { index: 0, sheetType: "GRID", gridProperties: { rowCount: 1000, columnCount: 26 } };

test("@googleapis/sheets creates a spreadsheet and reads it with and without its cells", async () => {
  const { api, spreadsheetId, made } = await createSheet();
  const expectedSheet = {
    spreadsheetId,
    properties: { title: "Colours", locale: "en_US", autoRecalc: "ON_CHANGE", timeZone: "Europe/Berlin" },
    sheets: [{ properties: { ...SHEET, sheetId: 0, title: "Paint shop" } }],
    spreadsheetUrl: expect.stringMatching(new RegExp(`/spreadsheets/d/${spreadsheetId}/edit$`)),
  };
  expect(made).toEqual(expectedSheet);
  expect((await api.get({ spreadsheetId })).data).toEqual(expectedSheet);
  const cells = await api.get({
    spreadsheetId,
    ranges: ["B2:C9"],
    fields: "sheets(data(startRow,startColumn,rowData))",
  });
  const [number, truth] = [{ numberValue: 3.5 }, { boolValue: true }];
  const values = [
    { userEnteredValue: number, effectiveValue: number, formattedValue: "3.5" },
    { userEnteredValue: truth, effectiveValue: truth, formattedValue: "TRUE" },
  ];
  expect(cells.data).toEqual({ sheets: [{ data: [{ startRow: 1, startColumn: 1, rowData: [{ values }] }] }] });
});

test("@googleapis/sheets reads values formatted and raw, by rows and by columns, one range and many", async () => {
  const { api, spreadsheetId } = await createSheet();
  const values = await api.values.get({ spreadsheetId, range: "Paint shop" });
  expect(values.data).toEqual({
    range: "'Paint shop'!A1:Z1000",
    majorDimension: "ROWS",
    values: [
      ["Name", "EUR", "Sold"],
      ["Blue", "3.5", "TRUE"],
    ],
  });
  const ranges = await api.values.batchGet({
    spreadsheetId,
    ranges: ["B:C", "'Paint shop'!A9:B9"],
    majorDimension: "COLUMNS",
    valueRenderOption: "UNFORMATTED_VALUE",
  });
  expect(ranges.data).toEqual({
    spreadsheetId,
    valueRanges: [
      {
        range: "'Paint shop'!B1:C1000",
        majorDimension: "COLUMNS",
        values: [
          ["EUR", 3.5],
          ["Sold", true],
        ],
      },
      { range: "'Paint shop'!A9:B9", majorDimension: "COLUMNS" },
    ],
  });
});

test("@googleapis/sheets appends below the table that a range is in, and inserts rows when told to", async () => {
  const { api, spreadsheetId } = await createSheet();
  const raw = { spreadsheetId, valueInputOption: "RAW" };
  await api.values.update({ ...raw, range: "B5:B6", requestBody: { majorDimension: "COLUMNS", values: [["x", "y"]] } });
  const more = { insertDataOption: "INSERT_ROWS", includeValuesInResponse: true };
  const inTable = await api.values.append({ ...raw, ...more, range: "A1", requestBody: { values: [["Green", 2]] } });
  expect(inTable.data).toEqual({
    spreadsheetId,
    tableRange: "'Paint shop'!A1:C2",
    updates: {
      spreadsheetId,
      updatedRange: "'Paint shop'!A3:B3",
      updatedRows: 1,
      updatedColumns: 2,
      updatedCells: 2,
      updatedData: { range: "'Paint shop'!A3:B3", majorDimension: "ROWS", values: [["Green", "2"]] },
    },
  });
  const last = await api.values.append({ ...raw, range: "Paint shop", requestBody: { values: [["z", null, "!"]] } });
  expect(last.data).toEqual({
    spreadsheetId,
    tableRange: "'Paint shop'!B6:B7",
    updates: {
      spreadsheetId,
      updatedRange: "'Paint shop'!B8:D8",
      updatedRows: 1,
      updatedColumns: 2,
      updatedCells: 2,
    },
  });
  const nowhere = await api.values.append({ ...raw, range: "H1", requestBody: { values: [["alone"]] } });
  expect([nowhere.data.tableRange, nowhere.data.updates?.updatedRange]).toEqual([undefined, "'Paint shop'!H1"]);
});

test("@googleapis/sheets changes many ranges or none, clears cells, and adds, renames and deletes sheets", async () => {
  const { api, spreadsheetId } = await createSheet();
  const valueInputOption = "USER_ENTERED";
  const write = (...data: { range: string; values: unknown[][] }[]) =>
    api.values.batchUpdate({ spreadsheetId, requestBody: { valueInputOption, data } });
  expect((await write({ range: "A2", values: [["Teal", null]] }, { range: "B2:B3", values: [[4], [5]] })).data).toEqual(
    {
      spreadsheetId,
      totalUpdatedRows: 3,
      totalUpdatedColumns: 2,
      totalUpdatedCells: 3,
      totalUpdatedSheets: 1,
      responses: [
        { spreadsheetId, updatedRange: "'Paint shop'!A2:B2", updatedRows: 1, updatedColumns: 1, updatedCells: 1 },
        { spreadsheetId, updatedRange: "'Paint shop'!B2:B3", updatedRows: 2, updatedColumns: 1, updatedCells: 2 },
      ],
    },
  );
  const refused = await catchFailure(
    write({ range: "A1", values: [["lost"]] }, { range: "Nowhere!A1", values: [["x"]] }),
  );
  expect(refused).toMatchObject({ status: 400, message: "Invalid data[1]: Unable to parse range: Nowhere!A1" });
  expect((await api.values.clear({ spreadsheetId, range: "C2" })).data).toEqual({
    spreadsheetId,
    clearedRange: "'Paint shop'!C2",
  });
  const rows = [
    ["Name", "EUR", "Sold"],
    ["Teal", "4"],
    ["", "5"],
  ];
  expect((await api.values.get({ spreadsheetId, range: "A:C" })).data.values).toEqual(rows);
  const change = (...requests: object[]) => api.batchUpdate({ spreadsheetId, requestBody: { requests } });
  expect((await change({ addSheet: { properties: { title: "Two" } } })).data).toEqual({
    spreadsheetId,
    replies: [{ addSheet: { properties: { ...SHEET, sheetId: 1, title: "Two", index: 1 } } }],
  });
  expect(
    await catchFailure(change({ deleteSheet: { sheetId: 1 } }, { addSheet: { properties: { title: "paint shop" } } })),
  ).toMatchObject({
    status: 400,
    message:
      'Invalid requests[1].addSheet: A sheet with the name "paint shop" already exists. Please enter another name.',
  });
  await change(
    { updateSheetProperties: { properties: { sheetId: 1, title: "Three" }, fields: "title" } },
    {
      deleteSheet: { sheetId: 0 },
    },
  );
  const { data } = await api.get({ spreadsheetId, fields: "sheets.properties(sheetId,title)" });
  expect(data).toEqual({ sheets: [{ properties: { sheetId: 1, title: "Three" } }] });
});

test("@googleapis/sheets reports missing ranges, invalid values, and a missing scope", async () => {
  const { api, spreadsheetId } = await createSheet();
  const message = async (work: Promise<unknown>) => {
    const failure = (await catchFailure(work)) as { name: string; status: number; message: string };
    return [failure.constructor.name, failure.status, failure.message];
  };
  const createRefusal = (text: string) => ["GaxiosError", 400, text];
  const requestBody = { values: [["a", "b"]] };
  const update = (range: string, valueInputOption?: string) =>
    message(api.values.update({ spreadsheetId, range, valueInputOption, requestBody }));
  expect(await message(api.values.get({ spreadsheetId, range: "Shop!A1" }))).toEqual(
    createRefusal("Unable to parse range: Shop!A1"),
  );
  expect(await message(api.values.get({ spreadsheetId, range: "A2000:B2001" }))).toEqual(
    createRefusal("Range ('Paint shop'!A2000:B2001) exceeds grid limits. Max rows: 1000, max columns: 26"),
  );
  expect(await update("A1:A4", "RAW")).toEqual(
    createRefusal("Requested writing within range ['Paint shop'!A1:A4], but tried writing to column [B]"),
  );
  expect(await update("A1")).toEqual(createRefusal("'valueInputOption' is required but not specified"));
  expect(await update("A1", "LOUD")).toEqual(
    createRefusal(
      "Invalid value at 'value_input_option' (type.googleapis.com/google.apps.sheets.v4.ValueInputOption), \"LOUD\"",
    ),
  );
  expect(await message(api.get({ spreadsheetId: "nothing" }))).toEqual([
    "GaxiosError",
    404,
    "Requested entity was not found.",
  ]);
  const reader = await createClient("spreadsheets.readonly");
  expect(await message(reader.api.create({ requestBody: {} }))).toEqual([
    "GaxiosError",
    403,
    "Request had insufficient authentication scopes.",
  ]);
});
