import * as z from "zod/mini";
import { findFile } from "../google/files.ts";
import { escapeCell, truncateText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { buildDocumentUrl, Document, toMarkdown } from "./document.ts";

const Input = z.object({
  document: withDescription(z.string(), "Title, id or URL of the document."),
});
type Input = z.output<typeof Input>;

/** Longest text shown to the user and the model, in characters. */
const MAX_TEXT_LENGTH = 20_000;

/** Source: Docs API v1, GET /v1/documents/{documentId}. */
export const readDocumentTool = defineTool({
  name: "google-docs.read_document",
  description: "Read a Google Docs document as text.",
  access: "read",
  input: Input,
  examples: [
    "read the document {document}",
    "read the google doc {document}",
    "show the document {document}",
    "what does the document {document} say",
    "open the google doc {document}",
    "summarise the document {document}",
  ],
  summary: ({ document }: Input) => `Read the document ${escapeCell(document)}`,
  async run(input, context) {
    const { id } = await findFile(context, input.document, "document");
    const document = await context.http.request({
      path: `/v1/documents/${encodeURIComponent(id)}`,
      query: { includeTabsContent: true, suggestionsViewMode: "PREVIEW_WITHOUT_SUGGESTIONS" },
      answer: Document,
      scope: "documents",
    });
    const whole = toMarkdown(document);
    const content = truncateText(whole, MAX_TEXT_LENGTH);
    const url = buildDocumentUrl(context, id);
    const title = document.title ?? "Untitled document";
    const body = content === "" ? "The document is empty." : content;
    const cut = content.length < whole.length ? `\n\n(${whole.length - content.length} more characters)` : "";
    return {
      data: { id, title, text: content, url },
      text: `**${escapeCell(title)}**\n\n${body}${cut}\n\n${url}`,
      url,
    };
  },
});
