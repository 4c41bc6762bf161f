import type { Context, Hono } from "hono";
import type { Place } from "../provider.ts";
import { blocksAt, bodyOf, edited, type NotionEnv, needs, newId, paged, record } from "./access.ts";
import { invalid, notFound } from "./errors.ts";
import { checkChildren } from "./limits.ts";
import { plainOf } from "./values.ts";
import { blockView } from "./views.ts";
import type { Block, NotionWorld } from "./world.ts";

/** Blocks of pages (developers.notion.com/reference/block). */
export function blockRoutes(app: Hono<NotionEnv>, place: Place<NotionWorld>): void {
  app.get("/blocks/:id", needs("read_content"), (c) => {
    const { entry, block, parent } = blocksAt(c.get("world"), c.req.param("id"));
    if (!block) throw notFound("block", c.req.param("id"));
    return c.json(blockView(block, entry, parent ?? entry.id));
  });
  app.get("/blocks/:id/children", needs("read_content"), (c) => {
    const { entry, blocks, block } = blocksAt(c.get("world"), c.req.param("id"));
    const views = blocks.map((one) => blockView(one, entry, block?.id ?? entry.id));
    return c.json({ ...paged(views, c.req.query("page_size"), c.req.query("start_cursor")), type: "block", block: {} });
  });
  app.patch("/blocks/:id/children", needs("insert_content"), (c) => append(c, place));
  app.delete("/blocks/:id", needs("update_content"), (c) => remove(c, place));
}

async function append(c: Context<NotionEnv>, place: Place<NotionWorld>) {
  const body = await bodyOf(c);
  const { entry, blocks, block } = blocksAt(c.get("world"), c.req.param("id") ?? "");
  const children = checkChildren(body.children);
  if (children.length === 0) throw invalid("body failed validation: body.children should not be empty.");
  if ("after" in body && c.req.header("notion-version") !== "2025-09-03") {
    throw invalid("body failed validation: body.after should be not present, instead use body.position.");
  }
  const added = blocksFrom(children, place);
  blocks.splice(positionOf(body, blocks), 0, ...added);
  edited(c, place, entry);
  const results = added.map((one) => blockView(one, entry, block?.id ?? entry.id));
  return c.json({ object: "list", results, next_cursor: null, has_more: false, type: "block", block: {} });
}

/** Where new blocks go: the end, unless the request says otherwise. */
function positionOf(body: Record<string, unknown>, blocks: Block[]): number {
  const position = record(body.position);
  if (position.type === "start") return 0;
  const after = body.after ?? record(position.after_block).id;
  if (after === undefined) return blocks.length;
  const index = blocks.findIndex(({ id }) => id === after);
  if (index < 0) throw notFound("block", String(after));
  return index + 1;
}

async function remove(c: Context<NotionEnv>, place: Place<NotionWorld>) {
  const world = c.get("world");
  const { entry, block, parent = "" } = blocksAt(world, c.req.param("id") ?? "");
  if (!block) throw notFound("block", c.req.param("id") ?? "");
  const { blocks } = blocksAt(world, parent);
  blocks.splice(blocks.indexOf(block), 1);
  edited(c, place, entry);
  return c.json({ ...blockView(block, entry, parent), in_trash: true });
}

/** Checked blocks of a request as they are kept, with ids, and with the text as answers have it. */
export function blocksFrom(children: Record<string, unknown>[], place: Place<NotionWorld>): Block[] {
  return children.map(({ type, value, children: inner }) => {
    const { children: _within, ...own } = record(value);
    return {
      id: newId(place),
      type: String(type),
      value: {
        ...(type === "to_do" ? { checked: false } : {}),
        ...Object.fromEntries(Object.entries(own).map(([name, one]) => [name, answered(name, one)])),
      },
      children: blocksFrom(inner as Record<string, unknown>[], place),
      created_time: new Date(place.now()).toISOString(),
    };
  });
}

function answered(name: string, value: unknown): unknown {
  if (name === "rich_text" || name === "caption") return (value as unknown[]).map(answeredPiece);
  return name === "cells" ? (value as unknown[][]).map((cell) => cell.map(answeredPiece)) : value;
}

const PLAIN = { bold: false, italic: false, strikethrough: false, underline: false, code: false, color: "default" };

function answeredPiece(piece: unknown): Record<string, unknown> {
  const { text, annotations } = record(piece);
  const { link = null } = record(text);
  return {
    type: "text",
    text: { content: plainOf([piece]), link },
    annotations: { ...PLAIN, ...record(annotations) },
    plain_text: plainOf([piece]),
    href: record(link).url ?? null,
  };
}
