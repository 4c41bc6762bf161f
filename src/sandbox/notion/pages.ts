import type { Context, Hono } from "hono";
import type { Place } from "../provider.ts";
import {
  bodyOf,
  dataSourceOf,
  edited,
  entryOf,
  type Found,
  type NotionEnv,
  needs,
  newId,
  pageOf,
  record,
} from "./access.ts";
import { blocksFrom } from "./blocks.ts";
import { invalid } from "./errors.ts";
import { checkChildren } from "./limits.ts";
import { cellFrom, plainOf } from "./values.ts";
import { pageView } from "./views.ts";
import type { Database, Entry, NotionWorld } from "./world.ts";

/** Pages and rows (developers.notion.com/reference/page). */
export function pageRoutes(app: Hono<NotionEnv>, place: Place<NotionWorld>): void {
  app.get("/pages/:id", needs("read_content"), (c) => c.json(pageView(c, pageOf(c.get("world"), c.req.param("id")))));
  app.post("/pages", needs("insert_content"), (c) => create(c, place));
  app.patch("/pages/:id", needs("update_content"), (c) => update(c, place));
}

async function create(c: Context<NotionEnv>, place: Place<NotionWorld>) {
  const body = await bodyOf(c);
  const world = c.get("world");
  const children = body.children === undefined ? [] : checkChildren(body.children);
  const parent = record(body.parent);
  const properties = record(body.properties);
  const now = new Date(place.now()).toISOString();
  const me = c.get("user").id;
  const entry: Entry = {
    id: newId(place),
    blocks: blocksFrom(children, place),
    comments: [],
    created_by: me,
    last_edited_by: me,
    created_time: now,
    last_edited_time: now,
    in_trash: false,
  };
  const found = added(world, parent, properties, entry);
  place.changed();
  return c.json(pageView(c, found));
}

function added(
  world: NotionWorld,
  parent: Record<string, unknown>,
  properties: Record<string, unknown>,
  entry: Entry,
): Found {
  if (parent.data_source_id !== undefined) {
    const database = dataSourceOf(world, String(parent.data_source_id));
    const row = { ...entry, properties: cells(database, properties, world) };
    database.rows.push(row);
    return { row, database };
  }
  if (parent.page_id === undefined)
    throw invalid("body failed validation: body.parent.page_id should be defined, instead was `undefined`.");
  const above = entryOf(pageOf(world, String(parent.page_id)));
  const page = { ...entry, title: titleFrom(properties) ?? "", parent: above.id };
  above.blocks.push({
    id: page.id,
    type: "child_page",
    value: { title: page.title },
    children: [],
    created_time: page.created_time,
  });
  world.pages.push(page);
  return { page };
}

async function update(c: Context<NotionEnv>, place: Place<NotionWorld>) {
  const body = await bodyOf(c);
  const world = c.get("world");
  const found = pageOf(world, c.req.param("id") ?? "");
  const properties = record(body.properties);
  if (found.page) {
    const other = Object.keys(properties).find((name) => name !== "title");
    if (other !== undefined) throw invalid(`${other} is not a property that exists.`);
    found.page.title = titleFrom(properties) ?? found.page.title;
  } else Object.assign(found.row.properties, cells(found.database, properties, world));
  const entry = entryOf(found);
  if (typeof body.in_trash === "boolean") entry.in_trash = body.in_trash;
  edited(c, place, entry);
  return c.json(pageView(c, found));
}

/** The title of a page outside of databases: `{"title": {"title": […]}}`, or the list alone. */
function titleFrom({ title }: Record<string, unknown>): string | undefined {
  if (title === undefined) return undefined;
  return plainOf(Array.isArray(title) ? title : record(title).title);
}

function cells(database: Database, properties: Record<string, unknown>, world: NotionWorld) {
  return Object.fromEntries(
    Object.entries(properties).map(([given, value]) => {
      const name = given === "title" ? titleName(database) : given;
      const property = database.properties[name];
      if (!property) throw invalid(`${given} is not a property that exists.`);
      return [name, cellFrom(name, property, value, world)];
    }),
  );
}

function titleName({ properties }: Database): string {
  return Object.entries(properties).find(([, { type }]) => type === "title")?.[0] ?? "title";
}
