import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { readPages } from "../http/pages.ts";
import { escapeCell } from "../markup/markdown.ts";
import { isPartialName, type Purpose, requireMatch } from "../match.ts";
import { quoteName } from "../place.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { CURSOR, getNextCursor } from "./read.ts";
import { describeNotionObject, getTitle, NotionObject } from "./title.ts";

const SearchPage = z.looseObject({ results: z.array(NotionObject), ...CURSOR });
const Database = z.looseObject({
  id: z.string(),
  data_sources: z.array(z.looseObject({ id: z.string(), name: z.nullish(z.string()) })),
});

/** Maximum number of candidates for a name. */
const MAX_CANDIDATES = 50;

/**
 * Finds a page by title, ID or URL. Notion's search also returns partial matches, so an exact title takes precedence.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findPage(context: ToolContext, text: string, purpose: Purpose = "read"): Promise<NotionObject> {
  const id = findNotionId(text);
  if (id) return await context.http.request({ path: `/v1/pages/${id}`, answer: NotionObject });
  return await findByTitle(context, text, "page", purpose);
}

/** Finds a page to change, by its exact title. A part of it could match another user's page. */
export async function findPageToChange(context: ToolContext, text: string): Promise<NotionObject> {
  return await findPage(context, text, "change");
}

/** The field of a tool that names a page. */
export const PAGE_FIELD = withDescription(z.string(), "Title, id or URL of the page.");

/** The target of a tool that changes a page. */
export const PAGE_TARGET = {
  placeIsTarget: true,
  describeTarget: async ({ page }: { page: string }, context: ToolContext) =>
    describeNotionObject(await findPageToChange(context, page)),
};

/**
 * Finds a data source (the table of a database) by title, ID or URL, with its properties.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findDataSource(
  context: ToolContext,
  text: string,
  purpose: Purpose = "read",
): Promise<NotionObject> {
  const id = findNotionId(text);
  if (!id) return await findByTitle(context, text, "data_source", purpose);
  return await fetchDataSource(context, await resolveDataSourceId(context, id));
}

/** Returns a page or database as the text of an approval names it: its ID if the input has one, else its title. */
export function formatNotionPlace(text: string): string | undefined {
  return findNotionId(text) ?? quoteName(text);
}

/** Returns the ID from an ID or URL (`?p=` is the page that is open beside a database). */
function findNotionId(text: string): string | undefined {
  const trimmed = text.trim();
  // Browsers show a URL without its scheme.
  const address = /^(?:[\w.-]+\.)?notion\.(?:so|com|site)\//i.test(trimmed) ? `https://${trimmed}` : trimmed;
  if (/^(?:https?|notion):\/\//i.test(address) && URL.canParse(address)) {
    const url = new URL(address);
    return (
      addDashes(url.searchParams.get("p") ?? "") ?? addDashes(url.pathname.split("/").filter(Boolean).at(-1) ?? "")
    );
  }
  return /^[0-9a-f-]{32,36}$/i.test(trimmed) ? addDashes(trimmed) : undefined;
}

function addDashes(text: string): string | undefined {
  const hex = /([0-9a-f]{32})$/i.exec(text.replaceAll("-", ""))?.[1]?.toLowerCase();
  return hex?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

async function findByTitle(
  context: ToolContext,
  text: string,
  kind: "page" | "data_source",
  purpose: Purpose,
): Promise<NotionObject> {
  const name = text.trim();
  const { items } = await readPages(async (cursor, size) => {
    const filter = { property: "object", value: kind };
    const sizes = { page_size: size, ...(cursor ? { start_cursor: cursor } : {}) };
    const body = { query: name, filter, ...sizes };
    const page = await context.http.request({
      method: "POST",
      path: "/v1/search",
      body,
      answer: SearchPage,
      reads: true,
    });
    return { items: page.results, next: getNextCursor(page) };
  }, MAX_CANDIDATES);
  // Notion also returns titles that are only similar.
  const matches = items.filter((item) => item.in_trash !== true && isPartialName(name, getTitle(item)));
  const noun = kind === "page" ? "page" : "database";
  return requireMatch(matches, name, {
    purpose,
    noun,
    where: " in Notion that kay can access",
    getName: getTitle,
    format: (item) => `“${escapeCell(getTitle(item))}” (${item.id})`,
    hints: {
      none: "Check the title, and that the page is shared with kay in Notion (••• › Connections).",
      several: `Use the full title or the URL of the ${noun}.`,
    },
  });
}

/** Resolves an ID to a data source. It may be the ID of a database or of the data source itself. */
async function resolveDataSourceId(context: ToolContext, id: string): Promise<string> {
  const request = { path: `/v1/databases/${id}`, answer: Database };
  const database = await context.http.request(request).catch((error: unknown) => {
    if (error instanceof Problem && error.details.service_status === 404) return undefined;
    throw error;
  });
  if (!database) return id;
  const [first, ...more] = database.data_sources;
  if (first && more.length === 0) return first.id;
  const names = database.data_sources.map(({ name }) => escapeCell(name ?? "Untitled")).join(", ");
  throw new Problem("INVALID_REQUEST", `That database has ${names ? `several tables: ${names}` : "no table"}.`, {
    hint: "Specify the table by its title.",
  });
}

async function fetchDataSource(context: ToolContext, id: string): Promise<NotionObject> {
  return await context.http.request({ path: `/v1/data_sources/${id}`, answer: NotionObject });
}
