import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { getSite } from "../atlassian/oauth.ts";
import { formatPlace, quoteName } from "../place.ts";
import type { ToolContext } from "../service.ts";
import { buildCql, buildPageIdUrl, findPages } from "./search.ts";

/** A page as API v2 gives and takes it. Source: Confluence Cloud REST v2, "Page". */
export const Page = z.looseObject({
  id: z.string(),
  title: z.string(),
  spaceId: z.nullish(z.string()),
  version: z.nullish(z.looseObject({ number: z.nullish(z.number()), createdAt: z.nullish(z.string()) })),
  body: z.nullish(z.looseObject({ storage: z.nullish(z.looseObject({ value: z.string() })) })),
  _links: z.nullish(z.looseObject({ webui: z.nullish(z.string()) })),
});
export type Page = z.output<typeof Page>;

/** What people name a page by. */
export type PageName = { page: string; space?: string };

/** Longest title that Confluence takes, in characters. */
const TITLE_LIMIT = 255;

/** Where the API of the chosen site is: the paths of version 2 below it. */
export function getConfluenceApi(context: Pick<ToolContext, "metadata">): { api: string; site: string } {
  const { cloudId, url } = getSite(context.metadata, "confluence");
  return { api: `/ex/confluence/${cloudId}/wiki/api/v2`, site: url };
}

/**
 * The page that a title, an id or an address means, with its body. Source: GET /wiki/api/v2/pages/{id}?body-format=storage.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function readPage(context: ToolContext, name: PageName): Promise<Page> {
  const id = await pageId(name, context);
  return await context.http.request({
    path: `${getConfluenceApi(context).api}/pages/${encodeURIComponent(id)}`,
    query: { "body-format": "storage" },
    answer: Page,
    scope: "read:page:confluence",
  });
}

/** Where a person reads a page. */
export function buildPageUrl({ id, _links }: Pick<Page, "id" | "_links">, site: string): string {
  return _links?.webui?.startsWith("/") ? `${site}/wiki${_links.webui}` : buildPageIdUrl(site, id);
}

/** The title that a page is to have. @throws Problem INVALID_REQUEST */
export function parseTitle(text: string): string {
  const title = text.replace(/\s+/g, " ").trim();
  if (title === "") throw new Problem("INVALID_REQUEST", "A page needs a title.", { details: { field: "title" } });
  if (title.length <= TITLE_LIMIT) return title;
  const sentence = `The title has ${title.length} characters; Confluence takes at most ${TITLE_LIMIT}.`;
  throw new Problem("INVALID_REQUEST", sentence, { hint: "Shorten it.", details: { field: "title" } });
}

/** The words of a grant for a page: its id, where the input has one, else its title and the space that was said with it. */
export function formatPagePlace(words: string, { page, space }: PageName): string | undefined {
  const id = idIn(page);
  if (id) return `${words} ${id}`;
  const title = formatPlace(words, quoteName(page));
  return title && space?.trim() ? formatPlace(`${title} of space`, formatSpaceName(space)) : title;
}

/** A space as the words of a grant name it: a key in capitals, a name of several words in quotation marks. */
export function formatSpaceName(text: string): string | undefined {
  const key = parseSpaceKey(text);
  return /^~?[\w-]+$/.test(key) ? key.toUpperCase() : quoteName(key);
}

/** The key in what a person typed for a space: itself, or the address of the space. */
export function parseSpaceKey(text: string): string {
  return /\/spaces\/([^/?#\s]+)/.exec(text)?.[1] ?? text.replace(/\s+/g, " ").trim();
}

/** The id in an address or number, else of the one page with that title. */
async function pageId({ page, space }: PageName, context: ToolContext): Promise<string> {
  const id = idIn(page);
  if (id) return id;
  const exact = await findPages(context, buildCql({ title: page, space }), 10);
  const found = exact.pages.length > 0 ? exact : await findPages(context, buildCql({ text: page, space }), 10);
  const [only, ...more] = found.pages;
  const where = space ? ` in ${space}` : "";
  if (!only)
    throw new Problem("INVALID_REQUEST", `No page${where} is called “${page.trim()}”.`, {
      hint: "Search for it first.",
    });
  if (more.length === 0) return only.id;
  const list = found.pages.map(({ title, space: name, id: number }) => `“${title}” in ${name} (${number})`).join(", ");
  throw new Problem("INVALID_REQUEST", `Several pages match “${page.trim()}”: ${list}.`, {
    hint: "Name the page by its id.",
  });
}

function idIn(page: string): string | undefined {
  return /^(\d+)$|\/pages\/(?:edit-v2\/)?(\d+)|[?&]pageId=(\d+)/.exec(page.trim())?.slice(1).find(Boolean);
}
