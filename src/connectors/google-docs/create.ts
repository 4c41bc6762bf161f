import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { buildDocumentUrl, Document } from "./document.ts";

const CreateInput = z.object({
  title: withDescription(z.string(), "Title of the new document."),
  text: withDescription(z.optional(z.string()), "Initial content."),
});
type CreateInput = z.output<typeof CreateInput>;

/** Source: Docs API v1, POST /v1/documents, which accepts only the title. The text is inserted afterwards. */
export const createDocumentTool = defineTool({
  name: "google-docs.create_document",
  description: "Create a Google Docs document, with text if there is any.",
  access: "write",
  input: CreateInput,
  examples: [
    "create a google doc called {title}",
    "create a document called {title}",
    "create a document {title} saying {text}",
    "new google doc {title}",
    "make a google doc titled {title}",
    "write a google doc called {title}: {text}",
  ],
  summary: ({ title, text }: CreateInput) =>
    `Create the document “${toOneLine(title)}”${text?.trim() ? `: ${quoteText(text, 200)}` : ""}`,
  resource: () => "in My Drive",
  async run(input, context) {
    const title = toOneLine(input.title);
    if (title === "")
      throw new Problem("INVALID_REQUEST", "A document needs a title.", { details: { field: "title" } });
    const { http } = context;
    const { documentId: id } = await http.request({
      method: "POST",
      path: "/v1/documents",
      body: { title },
      answer: Document,
      scope: "documents",
    });
    const url = buildDocumentUrl(context, id);
    if (input.text?.trim()) await insertText(context, id, input.text.trim(), url);
    return { data: { id, title, url }, text: `Created the document ${escapeCell(title)}.\n\n${url}`, url };
  },
});

/** Inserts the text. A failure says that the document exists, so that it is not created again. */
async function insertText(
  context: Parameters<typeof buildDocumentUrl>[0],
  id: string,
  text: string,
  url: string,
): Promise<void> {
  const requests = [{ insertText: { text, endOfSegmentLocation: {} } }];
  try {
    await context.http.request({
      method: "POST",
      path: `/v1/documents/${encodeURIComponent(id)}:batchUpdate`,
      body: { requests },
      answer: z.unknown(),
      scope: "documents",
    });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(
      error.code,
      `The document was created (${url}), but its text could not be inserted: ${error.message}`,
      {
        hint: "Append the text to it; do not create it again.",
        details: error.details,
        cause: error,
      },
    );
  }
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
