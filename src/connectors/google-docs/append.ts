import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describeFile, findFileToChange, formatFilePlace } from "../google/files.ts";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { buildDocumentUrl, Document } from "./document.ts";

const AppendInput = z.object({
  document: withDescription(z.string(), "Title, id or URL of the document."),
  text: withDescription(z.string(), "The text to append."),
});
type AppendInput = z.output<typeof AppendInput>;

/** Source: Docs API v1, POST /v1/documents/{documentId}:batchUpdate with `insertText` at the end of the body. */
export const appendTextTool = defineTool({
  name: "google-docs.append_text",
  description: "Append text to a Google Docs document.",
  access: "write",
  input: AppendInput,
  examples: [
    "append to the document {document}: {text}",
    "append {text} to the document {document}",
    "add to the document {document}: {text}",
    "add {text} to the google doc {document}",
    "write in the document {document}: {text}",
  ],
  summary: ({ document, text }: AppendInput) =>
    `Append to the document ${escapeCell(document)}: ${quoteText(text, 200)}`,
  resource: ({ document }: AppendInput) => formatPlace("in the document", formatFilePlace(document)),
  placeIsTarget: true,
  describeTarget: async ({ document }, context) => describeFile(await findFileToChange(context, document, "document")),
  async run(input, context) {
    const text = input.text.trim();
    if (text === "")
      throw new Problem("INVALID_REQUEST", "The text must not be empty.", { details: { field: "text" } });
    const { id } = await findFileToChange(context, input.document, "document");
    const path = `/v1/documents/${encodeURIComponent(id)}`;
    const { http } = context;
    const document = await http.request({
      path,
      query: { fields: "documentId,title,body(content(endIndex))" },
      answer: Document,
      scope: "documents",
    });
    // An empty document is one newline and ends at 2. In any other document, the text starts a new paragraph.
    const end = document.body?.content?.at(-1)?.endIndex ?? 0;
    const insertText = { text: end > 2 ? `\n${text}` : text, endOfSegmentLocation: {} };
    await http.request({
      method: "POST",
      path: `${path}:batchUpdate`,
      body: { requests: [{ insertText }] },
      answer: z.unknown(),
      scope: "documents",
    });
    const [title, url] = [document.title ?? "the document", buildDocumentUrl(context, id)];
    return { data: { id, title, url }, text: `Added to the end of ${escapeCell(title)}.\n\n${url}`, url };
  },
});
