import * as z from "zod/mini";
import { findFiles, formatFileTable, toFileData } from "../google/files.ts";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";

const Input = z.object({
  text: withDescription(z.optional(z.string()), "Words in the title or text. Default: the newest documents."),
  limit: withDescription(
    z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(50))),
    "Maximum number of results. Default: 10.",
  ),
});
type Input = z.output<typeof Input>;

/** Source: Drive API v3, GET /drive/v3/files; the Docs API has no search. */
export const searchTool = defineTool({
  name: "google-docs.search",
  description: "Find Google Docs documents by words, or list the newest ones.",
  access: "read",
  input: Input,
  examples: [
    "find google docs about {text}",
    "search google docs for {text}",
    "find documents about {text}",
    "which documents mention {text}",
    "list my documents",
    "show my recent google docs",
  ],
  summary: (input: Input) => `Search Google Docs for ${describeSearch(input)}`,
  async run(input, { http }) {
    const { files, more } = await findFiles(http, { text: input.text, kind: "document" }, input.limit ?? 10);
    const web = http.endpoints.web ?? "";
    const what = escapeCell(describeSearch(input, files.length));
    const head = more ? `The first ${files.length} ${what}; there are more:` : `${files.length} ${what}:`;
    const text = files.length === 0 ? `No ${what}.` : `${head}\n\n${formatFileTable(files, web)}`;
    return { data: { documents: files.map((file) => toFileData(file, web)), more }, text, url: `${web}/document/` };
  },
});

function describeSearch({ text }: Input, number = 2): string {
  return `document${number === 1 ? "" : "s"}${text?.trim() ? ` about “${text.trim()}”` : ""}`;
}
