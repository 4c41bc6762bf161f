import * as z from "zod/mini";
import { siteOf } from "../atlassian.ts";
import { describe } from "../fields.ts";
import { cell, excerpt, markdownTable } from "../markdown.ts";
import { defineTool, type ToolContext } from "../service.ts";
import { cqlOf } from "./cql.ts";
import { excerptText } from "./storage.ts";

const Input = z.object({
  text: describe(z.optional(z.string()), "Words that the title or the text of the page contains."),
  space: describe(z.optional(z.string()), "Key of the space, such as DOCS."),
  type: describe(z.optional(z.enum(["page", "blogpost"])), "page (default) or blogpost."),
  limit: describe(z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(50))), "At most so many pages; 10."),
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
});

/** A page as searches find it. */
export type FoundPage = { id: string; title: string; space: string; excerpt: string; updated: string; url: string };

/** Source: Confluence Cloud REST v1, GET /wiki/rest/api/search; v2 has no search. */
export const search = defineTool({
  name: "confluence.search",
  description: "Find Confluence pages or blog posts by their words, in one space or in all.",
  access: "read",
  input: Input,
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
  ],
  summary: (input: Input) => `Search Confluence for ${words(input)}`,
  async run(input, context) {
    const cql = cqlOf(input);
    const { pages, total } = await findPages(context, cql, input.limit ?? 10);
    const { url: site } = siteOf(context.metadata, "confluence");
    return {
      data: { cql, pages, total },
      text: resultText(pages, total, cell(words(input, total))),
      url: listUrl(site, input),
    };
  },
});

/** Pages that a CQL query finds, and how many there are in all. */
export async function findPages(
  context: ToolContext,
  cql: string,
  limit: number,
): Promise<{ pages: FoundPage[]; total: number }> {
  const { cloudId, url: site } = siteOf(context.metadata, "confluence");
  const { results, totalSize } = await context.http.request({
    path: `/ex/confluence/${cloudId}/wiki/rest/api/search`,
    query: { cql, limit },
    answer: Found,
    scope: "search:confluence",
  });
  const pages = results.flatMap(({ content, title, excerpt: html, url, lastModified, resultGlobalContainer }) => {
    if (!content) return [];
    const address = url?.startsWith("/") ? `${site}/wiki${url}` : pageUrl(site, content.id);
    const space = resultGlobalContainer?.title ?? "";
    const updated = lastModified ?? "";
    return [
      {
        id: content.id,
        title: content.title ?? excerptText(title),
        space,
        excerpt: excerpt(excerptText(html ?? ""), 300),
        updated,
        url: address,
      },
    ];
  });
  return { pages, total: totalSize ?? pages.length };
}

/** Where a person reads a page of which only the id is known. */
export function pageUrl(site: string, id: string): string {
  return `${site}/wiki/pages/viewpage.action?pageId=${encodeURIComponent(id)}`;
}

/** Where a person sees the same list, or comes closest to it. */
function listUrl(site: string, { text, space }: Input): string {
  if (text?.trim()) return `${site}/wiki/search?text=${encodeURIComponent(text.trim())}`;
  return space?.trim() ? `${site}/wiki/spaces/${encodeURIComponent(space.trim())}` : `${site}/wiki`;
}

function words({ text, space, type }: Input, number = 2): string {
  const noun = type === "blogpost" ? "blog post" : "page";
  const about = text?.trim() ? ` about “${text.trim()}”` : "";
  return `${noun}${number === 1 ? "" : "s"}${about}${space?.trim() ? ` in ${space.trim()}` : ""}`;
}

function resultText(pages: FoundPage[], total: number, what: string): string {
  if (pages.length === 0) return `No ${what}.`;
  const head = total > pages.length ? `The first ${pages.length} of ${total} ${what}:` : `${pages.length} ${what}:`;
  const rows = pages.map(({ title, space, updated, excerpt: text }) => [
    title,
    space,
    updated.slice(0, 10),
    excerpt(text, 80),
  ]);
  const links = pages.map(({ title, url }) => `- ${cell(title)}: ${url}`);
  return `${head}\n\n${markdownTable(["Title", "Space", "Updated", "Text"], rows)}\n\n${links.join("\n")}`;
}
