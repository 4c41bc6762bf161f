import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { emptyTextProblem } from "../input-text.ts";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { findPageToChange, formatNotionPlace, PAGE_FIELD, PAGE_TARGET } from "./find.ts";
import { toPlainText } from "./rich-text.ts";
import { getTitle, getUrl } from "./title.ts";

const Input = z.object({
  page: PAGE_FIELD,
  text: withDescription(z.string(), "The comment."),
});

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
  summary: ({ page, text }) => `Comment on “${page.trim()}” in Notion: ${quoteText(text, 200)}`,
  resource: ({ page }) => formatPlace("on the page", formatNotionPlace(page)),
  ...PAGE_TARGET,
  async run(input, context) {
    const pieces = toPlainText(input.text.trim());
    if (pieces.length === 0) throw emptyTextProblem("comment");
    if (pieces.length > MAX_PIECES) {
      throw new Problem("INVALID_REQUEST", "The comment is longer than Notion allows.", { details: { field: "text" } });
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
