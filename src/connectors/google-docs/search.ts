import * as z from "zod/mini";
import { findFiles, formatFileTable, toFileData } from "../google/files.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell } from "../markup/markdown.ts";
import { withDescription } from "../tool.ts";

const Input = z.object({
  text: withDescription(z.optional(z.string()), "Words in the title or text. Default: the newest documents."),
});
type Input = z.output<typeof Input>;

/** Source: Drive API v3, GET /drive/v3/files; the Docs API has no search. */
export const searchTool = defineListTool({
  name: "google-docs.search",
  description: "Find Google Docs documents by words, or list the newest ones.",
  input: Input,
  limit: { usual: 10, most: 50 },
  examples: [
    "find google docs about {text}",
    "search google docs for {text}",
    "find documents about {text}",
    "which documents mention {text}",
    "list my documents",
    "show my recent google docs",
  ],
  summary: (input: Input) => `Search Google Docs for ${describeSearch(input)}`,
  async run(input, { http }, list) {
    const { files, more } = await findFiles(http, { text: input.text, kind: "document" }, list);
    const web = http.endpoints.web ?? "";
    const words = escapeCell(describeSearch(input, files.length));
    const text = formatList(list, { count: files.length, words, more, items: () => formatFileTable(files, web) });
    return { data: { documents: files.map((file) => toFileData(file, web)), more }, text, url: `${web}/document/` };
  },
});

function describeSearch({ text }: Input, number = 2): string {
  return `document${number === 1 ? "" : "s"}${text?.trim() ? ` about “${text.trim()}”` : ""}`;
}
