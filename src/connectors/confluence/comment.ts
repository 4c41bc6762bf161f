import * as z from "zod/mini";
import { emptyTextProblem } from "../input-text.ts";
import { markdownToHtml } from "../markup/html.ts";
import { escapeCell, quoteText, toOneLine } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import {
  buildPageUrl,
  describePage,
  formatPagePlace,
  getConfluenceApi,
  PAGE_FIELD,
  readPage,
  SPACE_FIELD,
} from "./page.ts";

const Input = z.object({
  page: PAGE_FIELD,
  text: withDescription(z.string(), "The comment, as text or Markdown."),
  space: SPACE_FIELD,
});

const Comment = z.looseObject({ id: z.string(), _links: z.nullish(z.looseObject({ webui: z.nullish(z.string()) })) });

/** Source: Confluence Cloud REST v2, POST /wiki/api/v2/footer-comments: a comment below the page. */
export const addCommentTool = defineTool({
  name: "confluence.add_comment",
  description: "Comment on a Confluence page.",
  access: "write",
  input: Input,
  examples: [
    "comment on the confluence page {page}: {text}",
    "comment on {page} in confluence: {text}",
    "add a comment to the confluence page {page}: {text}",
    "comment on the page {page} in space {space}: {text}",
    "comment {text} on the confluence page {page}",
  ],
  summary: ({ page, text, space }) =>
    `Comment on the Confluence page “${toOneLine(page)}”${space?.trim() ? ` in ${toOneLine(space)}` : ""}: ${quoteText(text, 300)}`,
  resource: ({ page, space }) => formatPagePlace("on the page", { page, space }),
  placeIsTarget: true,
  describeTarget: (input, context) => describePage(context, input),
  async run(input, context) {
    const value = markdownToHtml(input.text);
    if (value === "") throw emptyTextProblem("comment");
    const page = await readPage(context, input);
    const { api, site } = getConfluenceApi(context);
    const { id, _links } = await context.http.request({
      method: "POST",
      path: `${api}/footer-comments`,
      body: { pageId: page.id, body: { representation: "storage", value } },
      answer: Comment,
      scope: "write:comment:confluence",
    });
    const url = buildPageUrl({ id: page.id, _links: _links ?? page._links }, site);
    const data = { comment: id, page: page.id, title: page.title, url };
    return { data, text: `Commented on ${escapeCell(page.title)}.\n\n${url}`, url };
  },
});
