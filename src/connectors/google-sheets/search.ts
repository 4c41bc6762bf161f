import * as z from "zod/mini";
import { findFiles, formatFileTable, toFileData } from "../google/files.ts";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";

const Input = z.object({
  text: withDescription(z.optional(z.string()), "Words in the title or cells. Default: the newest spreadsheets."),
  limit: withDescription(
    z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(50))),
    "Maximum number of results. Default: 10.",
  ),
});
type Input = z.output<typeof Input>;

/** Source: Drive API v3, GET /drive/v3/files; the Sheets API has no search. */
export const searchTool = defineTool({
  name: "google-sheets.search",
  description: "Find Google Sheets spreadsheets by words, or list the newest ones.",
  access: "read",
  input: Input,
  examples: [
    "find spreadsheets about {text}",
    "search google sheets for {text}",
    "which spreadsheets mention {text}",
    "list my spreadsheets",
    "show my recent spreadsheets",
  ],
  summary: (input: Input) => `Search Google Sheets for ${describeSearch(input)}`,
  async run(input, { http }) {
    const { files, more } = await findFiles(http, { text: input.text, kind: "spreadsheet" }, input.limit ?? 10);
    const web = http.endpoints.web ?? "";
    const what = escapeCell(describeSearch(input, files.length));
    const head = more ? `The first ${files.length} ${what}; there are more:` : `${files.length} ${what}:`;
    const text = files.length === 0 ? `No ${what}.` : `${head}\n\n${formatFileTable(files, web)}`;
    return {
      data: { spreadsheets: files.map((file) => toFileData(file, web)), more },
      text,
      url: `${web}/spreadsheets/`,
    };
  },
});

function describeSearch({ text }: Input, number = 2): string {
  return `spreadsheet${number === 1 ? "" : "s"}${text?.trim() ? ` about “${text.trim()}”` : ""}`;
}
