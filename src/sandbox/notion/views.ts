import type { Context } from "hono";
import { createUuidFromName } from "../ids.ts";
import type { FoundPage, NotionEnv } from "./access.ts";
import { getEntry } from "./access.ts";
import type { Block, Comment, Database, Entry, NotionState, Property, User } from "./state.ts";
import { toTextPiece } from "./text.ts";
import { getPropertyId, toOptionView, toValueView } from "./values.ts";

/** Returns a person as in responses. */
export function toUserView({ id, name, email }: User): Record<string, unknown> {
  return { object: "user", id, name, avatar_url: null, type: "person", person: { email } };
}

/** Returns the bot of a connection, with its owner. */
export function toBotView({ workspace }: NotionState, user: User): Record<string, unknown> {
  return {
    object: "user",
    id: getBotId(user.id),
    name: "kay",
    avatar_url: null,
    type: "bot",
    bot: {
      owner: { type: "user", user: toUserView(user) },
      workspace_name: workspace.name,
      workspace_id: workspace.id,
      workspace_limits: { max_file_upload_size_in_bytes: 5_242_880 },
    },
  };
}

export function getBotId(account: string): string {
  return createUuidFromName(`bot of ${account}`);
}

/** Returns the title of a page or row. */
export function getTitle(page: FoundPage): string {
  if (page.page) return page.page.title;
  const name = Object.entries(page.database.properties).find(([, { type }]) => type === "title")?.[0] ?? "";
  return String(page.row.properties[name] ?? "");
}

/** A page or row (developers.notion.com/reference/page). */
export function toPageView(c: Context<NotionEnv>, page: FoundPage): Record<string, unknown> {
  const entry = getEntry(page);
  const { id, created_time, last_edited_time, created_by, last_edited_by, in_trash } = entry;
  return {
    object: "page",
    id,
    created_time,
    last_edited_time,
    created_by: { object: "user", id: created_by },
    last_edited_by: { object: "user", id: last_edited_by },
    cover: null,
    icon: null,
    parent: getParent(page),
    in_trash,
    is_locked: false,
    properties: page.page
      ? { title: { id: "title", type: "title", title: page.page.title === "" ? [] : [toTextPiece(page.page.title)] } }
      : toRowProperties(c, page),
    url: buildPageUrl(c, getTitle(page), id),
    public_url: null,
  };
}

function getParent({ page, database }: FoundPage): Record<string, unknown> {
  if (database) return { type: "data_source_id", data_source_id: database.data_source_id, database_id: database.id };
  return page.parent === null ? { type: "workspace", workspace: true } : { type: "page_id", page_id: page.parent };
}

function toRowProperties(c: Context<NotionEnv>, page: FoundPage): Record<string, unknown> {
  const { users } = c.get("world");
  const toPerson = (id: string) => {
    const user = users.find((user) => user.id === id);
    return user ? toUserView(user) : { object: "user", id };
  };
  const entries = Object.entries(page.database?.properties ?? {});
  return Object.fromEntries(
    entries.map(([name, property]) => [name, toValueView(name, property, page.row?.properties[name], toPerson)]),
  );
}

/** Returns a database, which names its data sources (developers.notion.com/reference/database). */
export function toDatabaseView(c: Context<NotionEnv>, database: Database): Record<string, unknown> {
  const { id, title, parent, data_source_id, created_time, last_edited_time } = database;
  return {
    object: "database",
    id,
    title: [toTextPiece(title)],
    parent: parent === null ? { type: "workspace", workspace: true } : { type: "page_id", page_id: parent },
    is_inline: false,
    in_trash: false,
    created_time,
    last_edited_time,
    data_sources: [{ id: data_source_id, name: title }],
    icon: null,
    cover: null,
    url: buildPageUrl(c, title, id),
    public_url: null,
  };
}

/** Returns a data source with its properties (developers.notion.com/reference/data-source). */
export function toDataSourceView(c: Context<NotionEnv>, database: Database): Record<string, unknown> {
  const { id, title, data_source_id, properties, created_time, last_edited_time } = database;
  return {
    object: "data_source",
    id: data_source_id,
    title: [toTextPiece(title)],
    description: [],
    parent: { type: "database_id", database_id: id },
    database_parent: toDatabaseView(c, database).parent,
    in_trash: false,
    created_time,
    last_edited_time,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, toPropertyView(name, property)]),
    ),
    icon: null,
    url: buildPageUrl(c, title, id),
    public_url: null,
  };
}

function toPropertyView(name: string, { type, options }: Property): Record<string, unknown> {
  const choices = ["select", "multi_select", "status"].includes(type) ? { options: options.map(toOptionView) } : {};
  return { id: type === "title" ? "title" : getPropertyId(name), name, description: null, type, [type]: choices };
}

/** A block (developers.notion.com/reference/block). */
export function toBlockView(block: Block, entry: Entry, parent: string): Record<string, unknown> {
  const kind = parent === entry.id ? "page_id" : "block_id";
  return {
    object: "block",
    id: block.id,
    parent: { type: kind, [kind]: parent },
    created_time: block.created_time,
    last_edited_time: entry.last_edited_time,
    created_by: { object: "user", id: entry.created_by },
    last_edited_by: { object: "user", id: entry.last_edited_by },
    has_children: block.children.length > 0,
    in_trash: false,
    type: block.type,
    [block.type]: block.value,
  };
}

/** Returns a comment on a page (developers.notion.com/reference/comment-object). */
export function toCommentView({ id, author, text, created_time }: Comment, page: string): Record<string, unknown> {
  return {
    object: "comment",
    id,
    parent: { type: "page_id", page_id: page },
    discussion_id: createUuidFromName(`discussion of ${page}`),
    created_time,
    last_edited_time: created_time,
    created_by: { object: "user", id: author },
    rich_text: [toTextPiece(text)],
  };
}

/** Returns the URL of its page, on the requested origin. */
function buildPageUrl(c: Context<NotionEnv>, title: string, id: string): string {
  const slug = title.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return `${new URL(c.req.url).origin}/${slug === "" ? "" : `${slug}-`}${id.replaceAll("-", "")}`;
}
