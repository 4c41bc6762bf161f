import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describeFile, findFileToChange, formatFilePlace } from "../google/files.ts";
import { escapeCell, formatCount, toOneLine } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { buildDocumentUrl } from "./document.ts";

const ReplaceInput = z.object({
  document: withDescription(z.string(), "Title, id or URL of the document."),
  find: withDescription(z.string(), "The text to replace; letter case must match."),
  replacement: withDescription(z.string(), "The replacement. An empty value removes the text."),
});
type ReplaceInput = z.output<typeof ReplaceInput>;

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
  summary: ({ document, find, replacement }: ReplaceInput) =>
    `Replace “${toOneLine(find)}” with “${toOneLine(replacement)}” everywhere in the document ${toOneLine(document)}`,
  resource: ({ document }: ReplaceInput) => formatPlace("in the document", formatFilePlace(document)),
  placeIsTarget: true,
  describeTarget: async ({ document }, context) => describeFile(await findFileToChange(context, document, "document")),
  async run(input, context) {
    if (input.find === "") {
      throw new Problem("INVALID_REQUEST", "The text to replace must not be empty.", { details: { field: "find" } });
    }
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
    const changed = replies?.[0]?.replaceAllText?.occurrencesChanged ?? 0;
    const url = buildDocumentUrl(context, id);
    const text =
      changed === 0
        ? `“${escapeCell(input.find)}” was not found in ${escapeCell(name)}. Nothing was changed.`
        : `Replaced “${escapeCell(input.find)}” in ${formatCount(changed, "place")} of ${escapeCell(name)}.`;
    return { data: { id, title: name, changed, url }, text: `${text}\n\n${url}`, url };
  },
});
