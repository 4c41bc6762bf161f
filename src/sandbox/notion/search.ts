import type { Context, Hono } from "hono";
import { type NotionEnv, paginate, parseBody, requireCapability, toRecord } from "./access.ts";
import { invalidError } from "./errors.ts";
import { getTitle, toDataSourceView, toPageView } from "./views.ts";

/** Search by title (developers.notion.com/reference/post-search): every word somewhere in it, changed last first. */
export function registerSearchRoutes(app: Hono<NotionEnv>): void {
  app.post("/search", requireCapability("read_content"), (c) => search(c));
}

async function search(c: Context<NotionEnv>) {
  const body = await parseBody(c);
  const { pages, databases } = c.get("world");
  const { property, value } = toRecord(body.filter);
  if (body.filter !== undefined && (property !== "object" || !["page", "data_source"].includes(String(value)))) {
    throw invalidError('body failed validation: body.filter.value should be `"page"` or `"data_source"`.');
  }
  const words = String(body.query ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean);
  const matches = (title: string) => words.every((word) => title.toLowerCase().includes(word));
  const found = [
    ...pages.map((page) => ({ title: page.title, entry: page, view: () => toPageView(c, { page }) })),
    ...databases.flatMap((database) =>
      database.rows.map((row) => ({
        title: getTitle({ row, database }),
        entry: row,
        view: () => toPageView(c, { row, database }),
      })),
    ),
  ].filter(({ title, entry }) => !entry.in_trash && matches(title));
  const sources = databases
    .filter(({ title }) => matches(title))
    .map((database) => ({ entry: database, view: () => toDataSourceView(c, database) }));
  const wanted = [...(value === "data_source" ? [] : found), ...(value === "page" ? [] : sources)];
  const direction = toRecord(body.sort).direction === "ascending" ? 1 : -1;
  wanted.sort((a, b) => direction * a.entry.last_edited_time.localeCompare(b.entry.last_edited_time));
  const views = wanted.map(({ view }) => view());
  return c.json({
    ...paginate(views, body.page_size, body.start_cursor),
    type: "page_or_data_source",
    page_or_data_source: {},
  });
}
