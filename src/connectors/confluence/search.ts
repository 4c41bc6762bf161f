import * as z from "zod/mini";
import { getSite } from "../atlassian/oauth.ts";
import { quoteValue, withoutOperators } from "../atlassian/query.ts";
import { type ListRequest, readPages } from "../http/pages.ts";
import { parseDay } from "../input-text.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatMarkdownTable, formatNoun, truncateText } from "../markup/markdown.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { formatExcerpt } from "./storage.ts";

/** Links of a list. The next page is a path on the site. */
export const Links = z.nullish(z.looseObject({ next: z.nullish(z.string()) }));

/** Returns the cursor of the page after a page, if there is one. */
export function getNextCursor(links: z.output<typeof Links>): string | undefined {
  return new URLSearchParams(links?.next?.split("?")[1]).get("cursor") ?? undefined;
}

const Input = z.object({
  text: withDescription(z.optional(z.string()), "Words in the title or text of the page."),
  space: withDescription(z.optional(z.string()), "Key of the space, such as DOCS."),
  type: withDescription(z.optional(z.enum(["page", "blogpost"])), "page (default) or blogpost."),
  changedSince: withDescription(z.optional(z.string()), "Changed on or after this day, such as 2026-01-31."),
  cql: withDescription(z.optional(z.string()), "A complete CQL query. It overrides all other fields except limit."),
});
type Input = z.output<typeof Input>;

const Found = z.looseObject({
  results: z.array(
    z.looseObject({
      content: z.nullish(z.looseObject({ id: z.string(), title: z.nullish(z.string()) })),
      title: z.string(),
      excerpt: z.nullish(z.string()),
      url: z.nullish(z.string()),
      lastModified: z.nullish(z.string()),
      resultGlobalContainer: z.nullish(z.looseObject({ title: z.nullish(z.string()) })),
    }),
  ),
  totalSize: z.nullish(z.number()),
  _links: Links,
});

/** A page as returned by a search. */
export type FoundPage = { id: string; title: string; space: string; excerpt: string; updated: string; url: string };

/** Source: Confluence Cloud REST v1, GET /wiki/rest/api/search; v2 has no search. */
export const searchTool = defineListTool({
  name: "confluence.search",
  description: "Find Confluence pages or blog posts by words, space or date, or by a CQL query.",
  input: Input,
  limit: { usual: 10, most: 50 },
  mentions: [{ input: { limit: 50 }, list: "pages", name: "{title}", note: "{space}" }],
  examples: [
    "find pages about {text}",
    "search confluence for {text}",
    "search the wiki for {text}",
    "which pages mention {text}",
    "is there documentation about {text}",
    "find pages about {text} in space {space}",
    "list the pages in space {space}",
    "show recent pages in {space}",
    "find blog posts about {text}",
    "find the page about {text} in confluence",
  ],
  summary: (input) => `Search Confluence for ${describeSearch(input)}`,
  async run(input, context, list) {
    const cql = input.cql?.trim() || buildCql({ ...input, changedSince: parseDay(input.changedSince, "changedSince") });
    const { pages, total, more } = await findPages(context, cql, list);
    const { url: site } = getSite(context.metadata, "confluence");
    return {
      data: { cql, pages, total },
      text: formatList(list, {
        count: pages.length,
        words: escapeCell(describeSearch(input, total)),
        ...{ more, total },
        items: () => formatPageTable(pages),
      }),
      url: buildListUrl(site, input),
    };
  },
});

/** Runs a CQL query. Returns the pages and the total number of matches. */
export async function findPages(
  context: ToolContext,
  cql: string,
  list: number | ListRequest,
): Promise<{ pages: FoundPage[]; total: number; more: boolean }> {
  const { cloudId, url: site } = getSite(context.metadata, "confluence");
  let total: number | undefined;
  const { items, more } = await readPages(async (next, size) => {
    const { cursor, start } = Object.fromEntries(new URLSearchParams(next?.split("?")[1]));
    const page = await context.http.request({
      path: `/ex/confluence/${cloudId}/wiki/rest/api/search`,
      query: { cql, limit: Math.min(100, size), cursor, start },
      answer: Found,
      scope: "search:confluence",
    });
    total = page.totalSize ?? total;
    return { items: page.results, next: page._links?.next };
  }, list);
  const pages = items.flatMap(({ content, title, excerpt: html, url, lastModified, resultGlobalContainer }) => {
    if (!content) return [];
    const address = url?.startsWith("/") ? `${site}/wiki${url}` : buildPageIdUrl(site, content.id);
    const space = resultGlobalContainer?.title ?? "";
    const updated = lastModified ?? "";
    return [
      {
        id: content.id,
        title: content.title || formatExcerpt(title) || "Untitled",
        space,
        excerpt: truncateText(formatExcerpt(html ?? ""), 300),
        updated,
        url: address,
      },
    ];
  });
  return { pages, total: Math.max(total ?? 0, pages.length + (more ? 1 : 0)), more };
}

/** Returns the web page for a page ID. */
export function buildPageIdUrl(site: string, id: string): string {
  return `${site}/wiki/pages/viewpage.action?pageId=${encodeURIComponent(id)}`;
}

/** Returns the web page that comes closest to this list. */
function buildListUrl(site: string, { text, space }: Input): string {
  if (text?.trim()) return `${site}/wiki/search?text=${encodeURIComponent(text.trim())}`;
  return space?.trim() ? `${site}/wiki/spaces/${encodeURIComponent(space.trim())}` : `${site}/wiki`;
}

function describeSearch({ text, space, type, cql, changedSince }: Input, number = 2): string {
  const noun = formatNoun(number, type === "blogpost" ? "blog post" : "page");
  const about = text?.trim() ? ` about “${text.trim()}”` : "";
  if (cql?.trim()) return `${noun} matching ${cql.trim()}`;
  const since = changedSince?.trim() ? ` changed since ${changedSince.trim()}` : "";
  return `${noun}${about}${space?.trim() ? ` in ${space.trim()}` : ""}${since}`;
}

function formatPageTable(pages: FoundPage[]): string {
  const rows = pages.map(({ title, space, updated, excerpt: text }) => [
    title,
    space,
    updated.slice(0, 10),
    truncateText(text, 80),
  ]);
  const links = pages.map(({ title, url }) => `- ${escapeCell(title)}: ${url}`);
  return `${formatMarkdownTable(["Title", "Space", "Updated", "Text"], rows)}\n\n${links.join("\n")}`;
}

/** A search by fields. */
export type PageFilter = { text?: string; space?: string; type?: string; title?: string; changedSince?: string };

/**
 * Builds the CQL of a filter, with quoted values. Source:
 * https://developer.atlassian.com/cloud/confluence/advanced-searching-using-cql/
 */
export function buildCql({ text, space, type, title, changedSince }: PageFilter): string {
  const clauses = [
    `type = ${quoteValue(/blog/i.test(type ?? "") ? "blogpost" : "page")}`,
    space?.trim() ? `space = ${quoteValue(space)}` : "",
    title?.trim() ? `title = ${quoteValue(title)}` : "",
    changedSince ? `lastmodified >= ${quoteValue(changedSince)}` : "",
    text?.trim()
      ? `(title ~ ${quoteValue(withoutOperators(text))} OR text ~ ${quoteValue(withoutOperators(text))})`
      : "",
  ];
  const order = text?.trim() ? "" : " ORDER BY lastmodified DESC";
  return clauses.filter(Boolean).join(" AND ") + order;
}
