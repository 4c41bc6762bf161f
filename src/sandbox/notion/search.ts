import type { Context, Hono } from "hono";
import { bodyOf, type NotionEnv, needs, paged, record } from "./access.ts";
import { invalid } from "./errors.ts";
import { dataSourceView, pageView, titleOf } from "./views.ts";

/** Search by title (developers.notion.com/reference/post-search): every word somewhere in it, changed last first. */
export function searchRoutes(app: Hono<NotionEnv>): void {
  app.post("/search", needs("read_content"), (c) => search(c));
}

async function search(c: Context<NotionEnv>) {
  const body = await bodyOf(c);
  const { pages, databases } = c.get("world");
  const { property, value } = record(body.filter);
  if (body.filter !== undefined && (property !== "object" || !["page", "data_source"].includes(String(value)))) {
    throw invalid('body failed validation: body.filter.value should be `"page"` or `"data_source"`.');
  }
  const words = String(body.query ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean);
  const matches = (title: string) => words.every((word) => title.toLowerCase().includes(word));
  const found = [
    ...pages.map((page) => ({ title: page.title, entry: page, view: () => pageView(c, { page }) })),
    ...databases.flatMap((database) =>
      database.rows.map((row) => ({
        title: titleOf({ row, database }),
        entry: row,
        view: () => pageView(c, { row, database }),
      })),
    ),
  ].filter(({ title, entry }) => !entry.in_trash && matches(title));
  const sources = databases
    .filter(({ title }) => matches(title))
    .map((database) => ({ entry: database, view: () => dataSourceView(c, database) }));
  const wanted = [...(value === "data_source" ? [] : found), ...(value === "page" ? [] : sources)];
  const direction = record(body.sort).direction === "ascending" ? 1 : -1;
  wanted.sort((a, b) => direction * a.entry.last_edited_time.localeCompare(b.entry.last_edited_time));
  const views = wanted.map(({ view }) => view());
  return c.json({
    ...paged(views, body.page_size, body.start_cursor),
    type: "page_or_data_source",
    page_or_data_source: {},
  });
}
