import * as z from "zod/mini";
import { findFile, findFiles, formatFileTable, toFileData } from "../google/files.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatNoun, truncateText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { buildDocumentUrl, Document, toMarkdown } from "./document.ts";

const ReadInput = z.object({
  document: withDescription(z.string(), "Title, id or URL of the document."),
});

/** Longest text shown to the user and the model, in characters. */
const MAX_TEXT_LENGTH = 20_000;

/** Source: Docs API v1, GET /v1/documents/{documentId}. */
export const readDocumentTool = defineTool({
  name: "google-docs.read_document",
  description: "Read a Google Docs document as text.",
  access: "read",
  input: ReadInput,
  examples: [
    "read the document {document}",
    "read the google doc {document}",
    "show the document {document}",
    "what does the document {document} say",
    "open the google doc {document}",
    "summarise the document {document}",
  ],
  summary: ({ document }) => `Read the document ${escapeCell(document)}`,
  async run(input, context) {
    const { id } = await findFile(context, input.document, "document");
    const document = await context.http.request({
      path: `/v1/documents/${encodeURIComponent(id)}`,
      query: { includeTabsContent: true, suggestionsViewMode: "PREVIEW_WITHOUT_SUGGESTIONS" },
      answer: Document,
      scope: "documents",
    });
    const markdown = toMarkdown(document);
    const content = truncateText(markdown, MAX_TEXT_LENGTH);
    const url = buildDocumentUrl(context, id);
    const title = document.title ?? "Untitled document";
    const body = content === "" ? "The document is empty." : content;
    const cut = content.length < markdown.length ? `\n\n(${markdown.length - content.length} more characters)` : "";
    return {
      data: { id, title, text: content, url },
      text: `**${escapeCell(title)}**\n\n${body}${cut}\n\n${url}`,
      url,
    };
  },
});

const SearchInput = z.object({
  text: withDescription(z.optional(z.string()), "Words in the title or text. Default: the newest documents."),
});
type SearchInput = z.output<typeof SearchInput>;

/** Source: Drive API v3, GET /drive/v3/files; the Docs API has no search. */
export const searchTool = defineListTool({
  name: "google-docs.search",
  description: "Find Google Docs documents by words, or list the newest ones.",
  input: SearchInput,
  limit: { usual: 10, most: 50 },
  examples: [
    "find google docs about {text}",
    "search google docs for {text}",
    "find documents about {text}",
    "which documents mention {text}",
    "list my documents",
    "show my recent google docs",
  ],
  summary: (input) => `Search Google Docs for ${describeSearch(input)}`,
  async run(input, { http }, list) {
    const { files, more } = await findFiles(http, { text: input.text, kind: "document" }, list);
    const web = http.endpoints.web ?? "";
    const words = escapeCell(describeSearch(input, files.length));
    const text = formatList(list, { count: files.length, words, more, items: () => formatFileTable(files, web) });
    return { data: { documents: files.map((file) => toFileData(file, web)), more }, text, url: `${web}/document/` };
  },
});

function describeSearch({ text }: SearchInput, number = 2): string {
  return `${formatNoun(number, "document")}${text?.trim() ? ` about “${text.trim()}”` : ""}`;
}
