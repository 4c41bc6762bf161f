import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { type ListRequest, readPages } from "../http/pages.ts";
import { escapeCell, toOneLine } from "../markup/markdown.ts";
import type { ToolContext } from "../tool.ts";
import { getConfluenceApi, parseSpaceKey } from "./page.ts";
import { getNextCursor, Links } from "./search.ts";

const Space = z.looseObject({
  id: z.string(),
  key: z.string(),
  name: z.string(),
  type: z.nullish(z.string()),
  _links: z.nullish(z.looseObject({ webui: z.nullish(z.string()) })),
});
export type Space = z.output<typeof Space>;

const Spaces = z.looseObject({
  results: z.array(Space),
  _links: Links,
});

/** Largest page size of Confluence, and the maximum number of pages read. */
const PAGE = 250;
const PAGES = 10;

/** Maximum number of spaces that a message lists. */
const MAX_LISTED = 10;

/**
 * Lists the spaces that the account can see and that `isWanted`, up to `enough`. Archived spaces are omitted. Source:
 * Confluence Cloud REST v2, GET /wiki/api/v2/spaces; the next link is a path on the site.
 */
export async function listAllSpaces(
  context: ToolContext,
  enough: ListRequest | ((spaces: Space[]) => boolean),
  isWanted: (space: Space) => boolean = () => true,
): Promise<{ spaces: Space[]; more: boolean }> {
  const { api } = getConfluenceApi(context);
  const fetchPage = async (cursor: string | undefined) => {
    const { results, _links } = await context.http.request({
      path: `${api}/spaces`,
      query: { limit: PAGE, status: "current", sort: "name", cursor },
      answer: Spaces,
      scope: "read:space:confluence",
    });
    return { items: results.filter(isWanted), next: getNextCursor(_links) };
  };
  const { items, more } = await readPages(fetchPage, enough, PAGES);
  return { spaces: items, more };
}

/**
 * Finds a space by key, name or URL. Keys take precedence over names.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findSpace(context: ToolContext, text: string): Promise<Space> {
  const keyOrName = parseSpaceKey(text);
  const hasKey = ({ key }: Space) => hasSameName(key, keyOrName);
  const { spaces } = await listAllSpaces(context, (candidates) => candidates.some(hasKey));
  const byKey = spaces.filter(hasKey);
  const [only, ...more] = byKey.length > 0 ? byKey : spaces.filter(({ name }) => hasSameName(name, keyOrName));
  if (only && more.length === 0) return only;
  if (only) {
    const keys = [only, ...more].map(({ name, key }) => `${escapeCell(name)} (${key})`).join(", ");
    const sentence = `Several spaces in Confluence are called “${escapeCell(keyOrName)}”: ${keys}.`;
    throw new Problem("INVALID_REQUEST", sentence, { hint: "Specify it by its key.", details: { field: "space" } });
  }
  const listedSpaces = spaces.filter(({ type }) => type !== "personal").slice(0, MAX_LISTED);
  const keys = listedSpaces.map(({ name, key }) => `${escapeCell(name)} (${key})`).join(", ");
  throw new Problem("INVALID_REQUEST", `No space in Confluence is called “${escapeCell(keyOrName)}”.`, {
    hint: keys ? `Available: ${keys}.` : "Check the key of the space.",
    details: { field: "space" },
  });
}

/** Returns the web page of a space. */
export function buildSpaceUrl({ key, _links }: Space, site: string): string {
  return `${site}/wiki${_links?.webui?.startsWith("/") ? _links.webui : `/spaces/${encodeURIComponent(key)}`}`;
}

function hasSameName(name: string, text: string): boolean {
  return toOneLine(name).toLowerCase() === text.toLowerCase();
}
