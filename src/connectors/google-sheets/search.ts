import * as z from "zod/mini";
import { findFiles, formatFileTable, toFileData } from "../google/files.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell } from "../markup/markdown.ts";
import { withDescription } from "../tool.ts";

const Input = z.object({
  text: withDescription(z.optional(z.string()), "Words in the title or cells. Default: the newest spreadsheets."),
});
type Input = z.output<typeof Input>;

/** Source: Drive API v3, GET /drive/v3/files; the Sheets API has no search. */
export const searchTool = defineListTool({
  name: "google-sheets.search",
  description: "Find Google Sheets spreadsheets by words, or list the newest ones.",
  input: Input,
  limit: { usual: 10, most: 50 },
  examples: [
    "find spreadsheets about {text}",
    "search google sheets for {text}",
    "which spreadsheets mention {text}",
    "list my spreadsheets",
    "show my recent spreadsheets",
  ],
  summary: (input: Input) => `Search Google Sheets for ${describeSearch(input)}`,
  async run(input, { http }, list) {
    const { files, more } = await findFiles(http, { text: input.text, kind: "spreadsheet" }, list);
    const web = http.endpoints.web ?? "";
    const words = escapeCell(describeSearch(input, files.length));
    const text = formatList(list, { count: files.length, words, more, items: () => formatFileTable(files, web) });
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
