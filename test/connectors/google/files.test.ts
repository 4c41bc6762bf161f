import { expect, test } from "vitest";
import { buildDriveQuery } from "#connectors/google/drive-query";
import { parseFileId } from "#connectors/google/files";
import { googleDocs } from "#connectors/google-docs/google-docs";
import { googleDrive } from "#connectors/google-drive/google-drive";
import { parseCells } from "#connectors/google-sheets/cells";
import { googleSheets } from "#connectors/google-sheets/google-sheets";
import type { Service } from "#connectors/service";
import { type Expected, runExpecting } from "../support/outside.ts";

const FIELDS =
  "id%2Cname%2CmimeType%2CwebViewLink%2CmodifiedTime%2Csize%2Cdescription%2Cparents%2Cowners(displayName%2CemailAddress)%2CshortcutDetails(targetId%2CtargetMimeType)";
const DRIVE = "https://www.googleapis.com/drive/v3/files";
const ID = "1AbCdEfGhIjKlMnOpQrStUvWxYz012345";
const file = (mimeType: string) => ({
  id: ID,
  name: "Plan",
  mimeType,
  webViewLink: `https://docs.google.com/x/d/${ID}`,
});
const byId = (mimeType: string): Expected => ({
  request: `GET ${DRIVE}/${ID}?fields=${FIELDS}&supportsAllDrives=true`,
  json: file(mimeType),
});

async function run(service: Service, name: string, input: Record<string, unknown>, ...expected: Expected[]) {
  const { result, asked } = await runExpecting(service, { email: "dana@example.com" }, name, input, ...expected);
  return { ...result, asked };
}

test("a search is quoted in Drive's language, and a URL gives its ID", () => {
  expect(buildDriveQuery({ text: "Dana's \\ plan", kind: "document", parent: "p1" })).toBe(
    "trashed = false and (mimeType = 'application/vnd.google-apps.document' or mimeType = 'application/vnd.google-apps.shortcut') and 'p1' in parents and (name contains 'Dana\\'s \\\\ plan' or fullText contains 'Dana\\'s \\\\ plan')",
  );
  for (const text of [
    ID,
    `https://docs.google.com/document/d/${ID}/edit#heading`,
    `https://drive.google.com/drive/folders/${ID}?usp=x`,
    `https://drive.google.com/open?id=${ID}`,
  ]) {
    expect(parseFileId(text)).toBe(ID);
  }
  expect(parseFileId("Release notes for the whole team")).toBeUndefined();
});

test("a search by owner, date and order asks Drive in its own words", () => {
  const filter = { owner: "me", sharedWithMe: true, changedSince: "2026-11-01T00:00:00.000Z" };
  expect(buildDriveQuery({ text: "plan", order: "name", ...filter })).toBe(
    "trashed = false and 'me' in owners and sharedWithMe = true and modifiedTime > '2026-11-01T00:00:00.000Z' and name contains 'plan'",
  );
});

test("several files with one name are not guessed", async () => {
  const q = "trashed+%3D+false+and+name+contains+'Plan'";
  await expect(
    run(
      googleDrive,
      "google-drive.trash_file",
      { file: "Plan" },
      {
        request:
          `GET ${DRIVE}?q=${q}&pageSize=20&orderBy=modifiedTime+desc&fields=nextPageToken%2Cfiles(${FIELDS})&supportsAllDrives=true&includeItemsFromAllDrives=true`.replace(
            /'/g,
            "'",
          ),
        json: {
          files: [
            { ...file("a/b"), id: "f1" },
            { ...file("a/b"), id: "f2" },
          ],
        },
      },
    ),
  ).rejects.toMatchObject({ code: "INVALID_REQUEST", message: "Several files match “Plan”: Plan (f1), Plan (f2)." });
});

test("a file is shared with a user, who is notified, or with anyone who has the link", async () => {
  const shared = await run(
    googleDrive,
    "google-drive.share_file",
    { file: ID, person: "a@x.test", role: "writer" },
    byId("a/b"),
    {
      request: `POST ${DRIVE}/${ID}/permissions?supportsAllDrives=true&sendNotificationEmail=true`,
      body: { role: "writer", type: "user", emailAddress: "a@x.test" },
      json: { id: "p1" },
    },
  );
  expect(shared.text).toBe(`a@x.test can now edit Plan.\n\nhttps://docs.google.com/x/d/${ID}`);
  await run(googleDrive, "google-drive.share_file", { file: ID, person: "anyone" }, byId("a/b"), {
    request: `POST ${DRIVE}/${ID}/permissions?supportsAllDrives=true`,
    body: { role: "reader", type: "anyone" },
    json: { id: "anyoneWithLink" },
  });
});

test("a document is read with its tabs, tables, lists and links", async () => {
  const paragraph = (content: string, more = {}) => ({ paragraph: { elements: [{ textRun: { content, ...more } }] } });
  const body = (...content: unknown[]) => ({ documentTab: { body: { content } } });
  const link = { textStyle: { link: { url: "https://x.test/" } } };
  // Docs writes a line break as a vertical tab: https://developers.google.com/workspace/docs/api/concepts/structure
  const NOTE = {
    paragraph: {
      elements: [
        { textRun: { content: "Line 1\u000bLine 2" } },
        { footnoteReference: { footnoteId: "f1", footnoteNumber: "1" } },
      ],
    },
  };
  const row = (...cells: string[]) => ({ tableCells: cells.map((cell) => ({ content: [paragraph(`${cell}\n`)] })) });
  const tabs = [
    {
      tabProperties: { title: "First" },
      documentTab: {
        footnotes: { f1: { footnoteId: "f1", content: [paragraph(" By Ann.\n")] } },
        ...body(paragraph("See here\n", link), NOTE, { table: { tableRows: [row("a", "b|c"), row("1", "2")] } })
          .documentTab,
      },
      childTabs: [{ tabProperties: { title: "Inner" }, ...body(paragraph("Deep\n")) }],
    },
  ];
  const { data } = await run(
    googleDocs,
    "google-docs.read_document",
    { document: ID },
    byId("application/vnd.google-apps.document"),
    {
      request: `GET https://docs.googleapis.com/v1/documents/${ID}?includeTabsContent=true&suggestionsViewMode=PREVIEW_WITHOUT_SUGGESTIONS`,
      json: { documentId: ID, title: "Plan", tabs },
    },
  );
  expect((data as { text: string }).text).toBe(
    "# First\n\nSee here (https://x.test/)\n\nLine 1\nLine 2[^1]\n\n| a | b\\|c |\n| --- | --- |\n| 1 | 2 |\n\n[^1]: By Ann.\n\n# Inner\n\nDeep",
  );
});

test("a document whose text could not be inserted still exists, and kay says so", async () => {
  const error = { error: { code: 400, message: "Invalid requests[0].insertText.", status: "INVALID_ARGUMENT" } };
  await expect(
    run(
      googleDocs,
      "google-docs.create_document",
      { title: "Plan", text: "x" },
      { request: "POST https://docs.googleapis.com/v1/documents", body: { title: "Plan" }, json: { documentId: ID } },
      { request: `POST https://docs.googleapis.com/v1/documents/${ID}:batchUpdate`, status: 400, json: error },
    ),
  ).rejects.toMatchObject({
    message: `The document was created (https://docs.google.com/document/d/${ID}/edit), but its text could not be inserted: Google Docs: Invalid requests[0].insertText.`,
    hint: "Append the text to it; do not create it again.",
  });
});

test("cells are read from text as users write it", () => {
  expect(parseCells('Rent, 900\n"Food, drink", "say ""hi"""\n', "text")).toEqual([
    ["Rent", "900"],
    ["Food, drink", 'say "hi"'],
  ]);
  expect(parseCells("a\tb,c", "text")).toEqual([["a", "b,c"]]);
  expect(() => parseCells(" \n ", "text")).toThrow("At least one cell is required.");
});

test("cells are written where they fit, and a single one takes its text unchanged", async () => {
  const meta: Expected = {
    request: `GET https://sheets.googleapis.com/v4/spreadsheets/${ID}?fields=spreadsheetId%2Cproperties(title)%2Csheets(properties(title%2Cindex))`,
    json: { spreadsheetId: ID, properties: { title: "Plan" }, sheets: [{ properties: { title: "It's" } }] },
  };
  const set = { spreadsheet: ID, range: "B2", text: "a, b" };
  const { text } = await run(
    googleSheets,
    "google-sheets.update_cells",
    set,
    byId("application/vnd.google-apps.spreadsheet"),
    meta,
    {
      request: `PUT https://sheets.googleapis.com/v4/spreadsheets/${ID}/values/'It''s'!B2?valueInputOption=RAW`,
      body: { range: "'It''s'!B2", majorDimension: "ROWS", values: [["a, b"]] },
      json: { updatedRange: "'It''s'!B2", updatedCells: 1 },
    },
  );
  expect(text).toContain("Wrote 1 cell of Plan ('It''s'!B2).");
  const wide = { spreadsheet: ID, range: "A1:B1", text: "1,2,3" };
  await expect(run(googleSheets, "google-sheets.update_cells", wide)).rejects.toMatchObject({
    message: "A1:B1 has only 2 × 1 cells.",
  });
  const update = googleSheets.tools.find(({ name }) => name === "google-sheets.update_cells");
  expect(update?.summary(set)).toBe(`Write into B2 of the spreadsheet ${ID}: a, b`);
});
