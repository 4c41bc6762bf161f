import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { quoteName } from "../place.ts";
import type { ToolContext } from "../service.ts";
import { getTitle, NotionObject } from "./title.ts";

const Found = z.looseObject({ results: z.array(NotionObject) });
const Database = z.looseObject({
  id: z.string(),
  data_sources: z.array(z.looseObject({ id: z.string(), name: z.nullish(z.string()) })),
});

/** Candidates that an answer to a name is chosen from, and how many of them a sentence lists. */
const CANDIDATES = 50;
const LISTED = 5;

/**
 * The page that a title, an id or an address means. Notion's own search finds titles only in part, so that the exact one is preferred.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findPage(context: ToolContext, text: string): Promise<NotionObject> {
  const id = notionId(text);
  if (id) return await context.http.request({ path: `/v1/pages/${id}`, answer: NotionObject });
  return await findByTitle(context, text, "page");
}

/**
 * The data source (the table of a database) that a title, an id or an address means, with its properties.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findDataSource(context: ToolContext, text: string): Promise<NotionObject> {
  const id = notionId(text);
  if (!id) return await findByTitle(context, text, "data_source");
  return await dataSource(context, await sourceOfDatabase(context, id));
}

/** A page or a database as the words of a grant name it: its id, where the input has one, else its title. */
export function formatNotionPlace(text: string): string | undefined {
  return notionId(text) ?? quoteName(text);
}

/** The id in what a person typed: an id, or the address of a page (`?p=` is the page that is open beside a database). */
function notionId(text: string): string | undefined {
  const trimmed = text.trim();
  if (/^https?:\/\//i.test(trimmed) && URL.canParse(trimmed)) {
    const url = new URL(trimmed);
    return dashed(url.searchParams.get("p") ?? "") ?? dashed(url.pathname.split("/").at(-1) ?? "");
  }
  return /^[0-9a-f-]{32,36}$/i.test(trimmed) ? dashed(trimmed) : undefined;
}

function dashed(text: string): string | undefined {
  const hex = /([0-9a-f]{32})$/i.exec(text.replaceAll("-", ""))?.[1]?.toLowerCase();
  return hex?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

async function findByTitle(context: ToolContext, text: string, kind: "page" | "data_source"): Promise<NotionObject> {
  const wanted = text.trim();
  const { results } = await context.http.request({
    method: "POST",
    path: "/v1/search",
    body: { query: wanted, filter: { property: "object", value: kind }, page_size: CANDIDATES },
    answer: Found,
    reads: true,
  });
  const found = results.filter((one) => one.in_trash !== true && contains(getTitle(one), wanted));
  const exact = found.filter((one) => same(getTitle(one), wanted));
  const [only, ...more] = exact.length > 0 ? exact : found;
  if (only && more.length === 0) return only;
  const noun = kind === "page" ? "page" : "database";
  if (!only) {
    throw new Problem("INVALID_REQUEST", `No ${noun} in Notion that kay may see is called “${escapeCell(wanted)}”.`, {
      hint: "Check the title, and that the page is shared with kay in Notion (••• › Connections).",
    });
  }
  const titles = [...new Set([only, ...more].map(getTitle))].slice(0, LISTED).map((title) => `“${escapeCell(title)}”`);
  throw new Problem(
    "INVALID_REQUEST",
    `Several ${noun}s in Notion match “${escapeCell(wanted)}”: ${titles.join(", ")}.`,
    {
      hint: `Use the full title or the address of the ${noun}.`,
    },
  );
}

/** An id may be that of a database, whose table is then meant, or of the table itself. */
async function sourceOfDatabase(context: ToolContext, id: string): Promise<string> {
  const request = { path: `/v1/databases/${id}`, answer: Database };
  const database = await context.http.request(request).catch((error: unknown) => {
    if (error instanceof Problem && error.details.service_status === 404) return undefined;
    throw error;
  });
  if (!database) return id;
  const [only, ...more] = database.data_sources;
  if (only && more.length === 0) return only.id;
  const names = database.data_sources.map(({ name }) => escapeCell(name ?? "Untitled")).join(", ");
  throw new Problem("INVALID_REQUEST", `That database has ${names ? `several tables: ${names}` : "no table"}.`, {
    hint: "Name the table by its title.",
  });
}

async function dataSource(context: ToolContext, id: string): Promise<NotionObject> {
  return await context.http.request({ path: `/v1/data_sources/${id}`, answer: NotionObject });
}

/** Notion finds titles that are merely alike; what is written to one must have been named. */
function contains(title: string, wanted: string): boolean {
  return title.toLowerCase().includes(wanted.toLowerCase());
}

function same(title: string, wanted: string): boolean {
  return title.localeCompare(wanted, undefined, { sensitivity: "base" }) === 0;
}
