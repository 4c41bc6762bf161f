import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { findPageToChange, formatNotionPlace } from "./find.ts";
import { toPlainText } from "./rich-text.ts";
import { describeNotionObject, getTitle, getUrl } from "./title.ts";

const Input = z.object({
  page: withDescription(z.string(), "Title, id or URL of the page."),
  text: withDescription(z.string(), "The comment."),
});
type Input = z.output<typeof Input>;

const Comment = z.looseObject({ id: z.string() });

/** Longest comment, in text pieces. Source: https://developers.notion.com/reference/request-limits */
const MAX_PIECES = 100;

/** Source: https://developers.notion.com/reference/create-a-comment */
export const addCommentTool = defineTool({
  name: "notion.comment",
  description: "Comment on a Notion page.",
  access: "write",
  input: Input,
  examples: [
    "comment on the notion page {page}: {text}",
    "comment on {page} in notion: {text}",
    "comment {text} on the notion page {page}",
    "add a comment to the notion page {page}: {text}",
    "add a comment to {page} in notion: {text}",
  ],
  summary: ({ page, text }: Input) => `Comment on “${page.trim()}” in Notion: ${quoteText(text, 200)}`,
  resource: ({ page }: Input) => formatPlace("on the page", formatNotionPlace(page)),
  placeIsTarget: true,
  describeTarget: async ({ page }, context) => describeNotionObject(await findPageToChange(context, page)),
  async run(input, context) {
    const pieces = toPlainText(input.text.trim());
    if (pieces.length === 0 || pieces.length > MAX_PIECES) {
      const sentence =
        pieces.length === 0 ? "The comment must not be empty." : "The comment is longer than Notion allows.";
      throw new Problem("INVALID_REQUEST", sentence, { details: { field: "text" } });
    }
    const page = await findPageToChange(context, input.page);
    const body = { parent: { page_id: page.id }, rich_text: pieces };
    const { id } = await context.http.request({ method: "POST", path: "/v1/comments", body, answer: Comment });
    const [title, url] = [getTitle(page), getUrl(page)];
    return {
      data: { comment: id, page: page.id, title, url },
      text: `Commented on “${escapeCell(title)}”.\n\n${url}`,
      url,
    };
  },
});
