import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { type ListRequest, readPages } from "../http/pages.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatNoun, truncateText } from "../markup/markdown.ts";
import { formatMinute } from "../time.ts";
import type { ToolContext } from "../tool.ts";
import { buildPageUrl, getConfluenceApi, PAGE_FIELD, readPageOrPost, SPACE_FIELD } from "./page.ts";
import { getNextCursor, Links } from "./search.ts";
import { storageToMarkdown } from "./storage.ts";

const Input = z.object({ page: PAGE_FIELD, space: SPACE_FIELD });

const Comment = z.looseObject({
  id: z.string(),
  version: z.nullish(z.looseObject({ authorId: z.nullish(z.string()), createdAt: z.nullish(z.string()) })),
  body: z.nullish(z.looseObject({ storage: z.nullish(z.looseObject({ value: z.nullish(z.string()) })) })),
});
type Comment = z.output<typeof Comment>;

const Comments = z.looseObject({ results: z.array(Comment), _links: Links });

/** Longest comment shown to the user and the model, in characters. */
const MAX_COMMENT_LENGTH = 2_000;

/** Source: Confluence Cloud REST v2, GET /wiki/api/v2/pages/{id}/footer-comments, newest first. */
export const listCommentsTool = defineListTool({
  name: "confluence.list_comments",
  description: "Read the comments below a Confluence page, newest first, without replies and comments in the text.",
  input: Input,
  limit: { usual: 20, most: 100 },
  examples: [
    "show the comments on the confluence page {page}",
    "read the comments on the confluence page {page}",
    "what are the comments on the page {page} in confluence",
    "list the comments of the confluence page {page} in space {space}",
  ],
  summary: ({ page, space }) => `Read the comments on the page “${page.trim()}”${space ? ` in ${space}` : ""}`,
  async run(input, context, list) {
    const page = await readPageOrPost(context, input);
    const { comments, more } = await fetchComments(context, page.id, list);
    const names = await fetchNames(context, comments);
    const data = comments.map(({ id, version, body }) => ({
      id,
      author: names.get(version?.authorId ?? "") ?? "unknown",
      created: version?.createdAt ?? "",
      text: truncateText(storageToMarkdown(body?.storage?.value ?? ""), MAX_COMMENT_LENGTH),
    }));
    const zone = context.timeZone ?? "UTC";
    const text = formatList(list, {
      count: data.length,
      words: `${formatNoun(data.length, "comment")} on ${escapeCell(page.title)}`,
      more,
      items: () =>
        data
          .map((one) => `**${escapeCell(one.author)}**, ${formatMinute(one.created, zone)} (${zone})\n\n${one.text}`)
          .join("\n\n"),
    });
    const url = buildPageUrl(page, getConfluenceApi(context).site);
    return { data: { page: page.id, title: page.title, comments: data, more }, text: `${text}\n\n${url}`, url };
  },
});

async function fetchComments(
  context: ToolContext,
  pageId: string,
  list: ListRequest,
): Promise<{ comments: Comment[]; more: boolean }> {
  const fetchPage = async (cursor: string | undefined, size: number) => {
    const { results, _links } = await context.http.request({
      path: `${getConfluenceApi(context).api}/pages/${encodeURIComponent(pageId)}/footer-comments`,
      query: { "body-format": "storage", sort: "-created-date", limit: Math.min(size, 100), cursor },
      answer: Comments,
      scope: "read:comment:confluence",
    });
    return { items: results, next: getNextCursor(_links) };
  };
  const { items, more } = await readPages(fetchPage, list);
  return { comments: items, more };
}

const Users = z.looseObject({
  results: z.array(z.looseObject({ accountId: z.string(), displayName: z.nullish(z.string()) })),
});

/** Returns the names of the authors. They are missing if the connection may not read them. Source: POST …/users-bulk. */
async function fetchNames(context: ToolContext, comments: Comment[]): Promise<Map<string, string>> {
  const accountIds = [...new Set(comments.flatMap(({ version }) => version?.authorId ?? []))];
  if (accountIds.length === 0) return new Map();
  try {
    const { results } = await context.http.request({
      method: "POST",
      path: `${getConfluenceApi(context).api}/users-bulk`,
      body: { accountIds },
      answer: Users,
      reads: true,
      scope: "read:user:confluence",
    });
    return new Map(results.map(({ accountId, displayName }) => [accountId, displayName ?? "unknown"]));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "SERVICE_FAILED") throw error;
    return new Map();
  }
}
