import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { getSite } from "../atlassian/oauth.ts";
import { checkLength, requireTitle } from "../input-text.ts";
import { toOneLine } from "../markup/markdown.ts";
import { type Purpose, requireMatch } from "../match.ts";
import { formatPlace, quoteName, quoteTitle } from "../place.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { buildCql, buildPageIdUrl, findPages } from "./search.ts";

/** A page as API v2 returns and accepts it. Source: Confluence Cloud REST v2, "Page". */
export const Page = z.looseObject({
  id: z.string(),
  title: z.pipe(
    z.nullish(z.string()),
    z.transform((title) => title || "Untitled"),
  ),
  spaceId: z.nullish(z.string()),
  status: z.nullish(z.string()),
  version: z.nullish(z.looseObject({ number: z.nullish(z.number()), createdAt: z.nullish(z.string()) })),
  body: z.nullish(z.looseObject({ storage: z.nullish(z.looseObject({ value: z.nullish(z.string()) })) })),
  _links: z.nullish(z.looseObject({ webui: z.nullish(z.string()) })),
});
export type Page = z.output<typeof Page>;

/** The fields of tools that name a page and its space. */
export const PAGE_FIELD = withDescription(z.string(), "Title, id or URL of the page.");
export const SPACE_FIELD = withDescription(
  z.optional(z.string()),
  "Key of the space, if several spaces have a page with this title.",
);

/** How users name a page. */
export type PageName = { page: string; space?: string };

/** Longest title that Confluence accepts, in characters. */
const TITLE_LIMIT = 255;

/** Returns the API address of the selected site, to which v2 paths are appended. */
export function getConfluenceApi(context: Pick<ToolContext, "metadata">): { api: string; site: string } {
  const { cloudId, url } = getSite(context.metadata, "confluence");
  return { api: `/ex/confluence/${cloudId}/wiki/api/v2`, site: url };
}

/**
 * Finds a page to change by its exact title, ID or URL, and returns it with its body. Words of a title
 * could match another user's page. Source: GET /wiki/api/v2/pages/{id}?body-format=storage.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function readPage(context: ToolContext, name: PageName): Promise<Page> {
  return await fetchPage(context, "pages", await resolvePageId(name, context, "change"));
}

/** Reads a page or blog post. Both have IDs of one kind, and a search may list both. Source: GET …/blogposts/{id}. */
export async function readPageOrPost(context: ToolContext, name: PageName): Promise<Page> {
  const id = await resolvePageId(name, context, "read");
  return await fetchPage(context, "pages", id).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.details.service_status !== 404) throw error;
    return fetchPage(context, "blogposts", id).catch(() => Promise.reject(error));
  });
}

function fetchPage(context: ToolContext, kind: "pages" | "blogposts", id: string): Promise<Page> {
  return context.http.request({
    path: `${getConfluenceApi(context).api}/${kind}/${encodeURIComponent(id)}`,
    query: { "body-format": "storage" },
    answer: Page,
    scope: "read:page:confluence",
  });
}

const Space = z.looseObject({ key: z.nullish(z.string()), name: z.nullish(z.string()) });

/** Describes a page and its space for the approval of a call that names it. */
export async function describePage(context: ToolContext, name: PageName): Promise<string> {
  const { id, title, spaceId } = await readPage(context, name);
  const path = `${getConfluenceApi(context).api}/spaces/${encodeURIComponent(spaceId ?? "")}`;
  const space = spaceId
    ? await context.http.request({ path, answer: Space, scope: "read:space:confluence" }).catch(() => undefined)
    : undefined;
  return `${quoteTitle(title)} (page ${id})${space ? ` in the space ${space.name ?? space.key ?? ""}` : ""}`;
}

/** Returns the web page of a page. */
export function buildPageUrl({ id, _links }: Pick<Page, "id" | "_links">, site: string): string {
  return _links?.webui?.startsWith("/") ? `${site}/wiki${_links.webui}` : buildPageIdUrl(site, id);
}

/** Validates a new title. @throws Problem INVALID_REQUEST */
export function parseTitle(text: string): string {
  const title = requireTitle(text, "A page");
  checkLength(title, TITLE_LIMIT, { service: "Confluence", noun: "title", field: "title" });
  return title;
}

/** Returns the text of an approval for a page: its ID if the input has one, else its title and the given space. */
export function formatPagePlace(words: string, { page, space }: PageName): string | undefined {
  const id = findId(page);
  if (id) return `${words} ${id}`;
  const title = formatPlace(words, quoteName(page));
  return title && space?.trim() ? formatPlace(`${title} of space`, formatSpaceName(space)) : title;
}

/**
 * Returns a space as the text of an approval names it: a key in capitals, a name of several words in quotation marks.
 */
export function formatSpaceName(text: string): string | undefined {
  const key = parseSpaceKey(text);
  return /^~?[\w-]+$/.test(key) ? key.toUpperCase() : quoteName(key);
}

/** Returns the key from a typed space: the key itself, or from the URL of the space. */
export function parseSpaceKey(text: string): string {
  return /\/spaces\/([^/?#\s]+)/.exec(text)?.[1] ?? toOneLine(text);
}

/** Returns the ID from a number or URL, or of the only page with that title. To read, words from it are enough. */
async function resolvePageId({ page, space }: PageName, context: ToolContext, purpose: Purpose): Promise<string> {
  const id = findId(page);
  if (id) return id;
  const exact = await findPages(context, buildCql({ title: page, space }), 10);
  const { pages } = exact.pages.length > 0 ? exact : await findPages(context, buildCql({ text: page, space }), 10);
  return requireMatch(pages, page, {
    purpose,
    noun: "page",
    where: space ? ` in ${space}` : "",
    getName: ({ title }) => title,
    format: ({ title, space: name, id: number }) => `${quoteTitle(title)} in ${name} (${number})`,
    hints: { none: "Search for it first.", several: "Specify the page by its ID." },
  }).id;
}

function findId(page: string): string | undefined {
  return /^(\d+)$|\/(?:pages|blog)\/(?:edit-v2\/|\d{4}\/\d\d\/\d\d\/)?(\d+)|[?&]pageId=(\d+)/
    .exec(page.trim())
    ?.slice(1)
    .find(Boolean);
}
