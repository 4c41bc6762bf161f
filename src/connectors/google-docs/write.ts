import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describeFile, findFileToChange, formatFilePlace } from "../google/files.ts";
import { emptyTextProblem, requireTitle } from "../input-text.ts";
import { escapeCell, formatCount, quoteText, toOneLine } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { buildDocumentUrl, Document } from "./document.ts";

const CreateInput = z.object({
  title: withDescription(z.string(), "Title of the new document."),
  text: withDescription(z.optional(z.string()), "Initial content."),
});

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
  summary: ({ title, text }) =>
    `Create the document “${toOneLine(title)}”${text?.trim() ? `: ${quoteText(text, 200)}` : ""}`,
  resource: () => "in My Drive",
  async run(input, context) {
    const title = requireTitle(input.title, "A document");
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

type DocumentInput = { document: string };

/** The place and target of a tool that changes a document. */
const DOCUMENT_TARGET = {
  resource: ({ document }: DocumentInput) => formatPlace("in the document", formatFilePlace(document)),
  placeIsTarget: true,
  describeTarget: async ({ document }: DocumentInput, context: ToolContext) =>
    describeFile(await findFileToChange(context, document, "document")),
};

const AppendInput = z.object({
  document: withDescription(z.string(), "Title, id or URL of the document."),
  text: withDescription(z.string(), "The text to append."),
});

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
    "write {text} at the end of the document {document}",
  ],
  summary: ({ document, text }) => `Append to the document ${escapeCell(document)}: ${quoteText(text, 200)}`,
  ...DOCUMENT_TARGET,
  async run(input, context) {
    const text = input.text.trim();
    if (text === "") throw emptyTextProblem("text");
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

const ReplaceInput = z.object({
  document: withDescription(z.string(), "Title, id or URL of the document."),
  find: withDescription(z.string(), "The text to replace; letter case must match."),
  replacement: withDescription(z.string(), "The replacement. An empty value removes the text."),
});

const Replies = z.looseObject({
  replies: z.nullish(
    z.array(z.looseObject({ replaceAllText: z.nullish(z.looseObject({ occurrencesChanged: z.nullish(z.number()) })) })),
  ),
});

/** Source: Docs API v1, POST /v1/documents/{documentId}:batchUpdate with `replaceAllText`. */
export const replaceTextTool = defineTool({
  name: "google-docs.replace_text",
  description: "Replace a text everywhere in a Google Docs document.",
  access: "write",
  input: ReplaceInput,
  examples: [
    "replace {find} with {replacement} in the document {document}",
    "replace {find} by {replacement} in the google doc {document}",
    "change {find} to {replacement} in the document {document}",
  ],
  summary: ({ document, find, replacement }) =>
    `Replace “${toOneLine(find)}” with “${toOneLine(replacement)}” everywhere in the document ${toOneLine(document)}`,
  ...DOCUMENT_TARGET,
  async run(input, context) {
    if (input.find === "") throw emptyTextProblem("text to replace", "find");
    const { id, name } = await findFileToChange(context, input.document, "document");
    const replaceAllText = {
      containsText: { text: input.find, matchCase: true },
      replaceText: input.replacement,
    };
    const { replies } = await context.http.request({
      method: "POST",
      path: `/v1/documents/${encodeURIComponent(id)}:batchUpdate`,
      body: { requests: [{ replaceAllText }] },
      answer: Replies,
      scope: "documents",
    });
    const count = replies?.[0]?.replaceAllText?.occurrencesChanged ?? 0;
    const url = buildDocumentUrl(context, id);
    const text =
      count === 0
        ? `“${escapeCell(input.find)}” was not found in ${escapeCell(name)}. Nothing was changed.`
        : `Replaced “${escapeCell(input.find)}” in ${formatCount(count, "place")} of ${escapeCell(name)}.`;
    return { data: { id, title: name, changed: count, url }, text: `${text}\n\n${url}`, url };
  },
});
