import type { Context, Hono } from "hono";
import { toRecord } from "#protocol/json";
import type { ProviderContext } from "../provider.ts";
import {
  createId,
  type FoundPage,
  findDataSource,
  findPage,
  getEntry,
  type NotionEnv,
  parseBody,
  requireCapability,
  touchEntry,
} from "./access.ts";
import { toBlocks } from "./blocks.ts";
import { invalidError } from "./errors.ts";
import { checkChildren } from "./limits.ts";
import type { Database, Entry, NotionState } from "./state.ts";
import { parseCell, toPlainText } from "./values.ts";
import { toPageView } from "./views.ts";

/** Pages and rows (developers.notion.com/reference/page). */
export function registerPageRoutes(app: Hono<NotionEnv>, provider: ProviderContext<NotionState>): void {
  app.get("/pages/:id", requireCapability("read_content"), (c) =>
    c.json(toPageView(c, findPage(c.get("world"), c.req.param("id")))),
  );
  app.post("/pages", requireCapability("insert_content"), (c) => create(c, provider));
  app.patch("/pages/:id", requireCapability("update_content"), (c) => update(c, provider));
}

async function create(c: Context<NotionEnv>, provider: ProviderContext<NotionState>) {
  const body = await parseBody(c);
  const world = c.get("world");
  const children = body.children === undefined ? [] : checkChildren(body.children);
  const parent = toRecord(body.parent);
  const properties = toRecord(body.properties);
  const now = provider.timestamp();
  const me = c.get("account").id;
  const entry: Entry = {
    id: createId(provider),
    blocks: toBlocks(children, provider),
    comments: [],
    created_by: me,
    last_edited_by: me,
    created_time: now,
    last_edited_time: now,
    in_trash: false,
  };
  const page = add(world, parent, properties, entry);
  provider.save();
  return c.json(toPageView(c, page));
}

function add(
  world: NotionState,
  parent: Record<string, unknown>,
  properties: Record<string, unknown>,
  entry: Entry,
): FoundPage {
  if (parent.data_source_id !== undefined) {
    const database = findDataSource(world, String(parent.data_source_id));
    const row = { ...entry, properties: parseCells(database, properties, world) };
    database.rows.push(row);
    return { row, database };
  }
  if (parent.page_id === undefined)
    throw invalidError("body failed validation: body.parent.page_id should be defined, instead was `undefined`.");
  const above = getEntry(findPage(world, String(parent.page_id)));
  const page = { ...entry, title: parseTitle(properties) ?? "", parent: above.id };
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

async function update(c: Context<NotionEnv>, provider: ProviderContext<NotionState>) {
  const body = await parseBody(c);
  const world = c.get("world");
  const page = findPage(world, c.req.param("id") ?? "");
  const properties = toRecord(body.properties);
  if (page.page) {
    const otherName = Object.keys(properties).find((name) => name !== "title");
    if (otherName !== undefined) throw invalidError(`${otherName} is not a property that exists.`);
    page.page.title = parseTitle(properties) ?? page.page.title;
  } else Object.assign(page.row.properties, parseCells(page.database, properties, world));
  const entry = getEntry(page);
  if (typeof body.in_trash === "boolean") entry.in_trash = body.in_trash;
  touchEntry(c, provider, entry);
  return c.json(toPageView(c, page));
}

/** Reads the title of a page outside databases: `{"title": {"title": […]}}`, or the list alone. */
function parseTitle({ title }: Record<string, unknown>): string | undefined {
  if (title === undefined) return undefined;
  return toPlainText(Array.isArray(title) ? title : toRecord(title).title);
}

function parseCells(database: Database, properties: Record<string, unknown>, world: NotionState) {
  return Object.fromEntries(
    Object.entries(properties).map(([propertyName, value]) => {
      const name = propertyName === "title" ? findTitleName(database) : propertyName;
      const property = database.properties[name];
      if (!property) throw invalidError(`${propertyName} is not a property that exists.`);
      return [name, parseCell(name, property, value, world)];
    }),
  );
}

function findTitleName({ properties }: Database): string {
  return Object.entries(properties).find(([, { type }]) => type === "title")?.[0] ?? "title";
}
