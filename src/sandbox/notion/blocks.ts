import type { Context, Hono } from "hono";
import { toRecord } from "#protocol/json";
import type { ProviderContext } from "../provider.ts";
import { createId, findBlocks, type NotionEnv, paginate, parseBody, requireCapability, touchEntry } from "./access.ts";
import { invalidError, notFoundError } from "./errors.ts";
import { checkChildren } from "./limits.ts";
import type { Block, NotionState } from "./state.ts";
import { toPlainText } from "./values.ts";
import { toBlockView } from "./views.ts";

/** Blocks of pages (developers.notion.com/reference/block). */
export function registerBlockRoutes(app: Hono<NotionEnv>, provider: ProviderContext<NotionState>): void {
  app.get("/blocks/:id", requireCapability("read_content"), (c) => {
    const { entry, block, parent } = findBlocks(c.get("world"), c.req.param("id"));
    if (!block) throw notFoundError("block", c.req.param("id"));
    return c.json(toBlockView(block, entry, parent ?? entry.id));
  });
  app.get("/blocks/:id/children", requireCapability("read_content"), (c) => {
    const { entry, blocks, block } = findBlocks(c.get("world"), c.req.param("id"));
    const views = blocks.map((child) => toBlockView(child, entry, block?.id ?? entry.id));
    return c.json({
      ...paginate(views, c.req.query("page_size"), c.req.query("start_cursor")),
      type: "block",
      block: {},
    });
  });
  app.patch("/blocks/:id/children", requireCapability("insert_content"), (c) => append(c, provider));
  app.delete("/blocks/:id", requireCapability("update_content"), (c) => remove(c, provider));
}

async function append(c: Context<NotionEnv>, provider: ProviderContext<NotionState>) {
  const body = await parseBody(c);
  const { entry, blocks, block } = findBlocks(c.get("world"), c.req.param("id") ?? "");
  const children = checkChildren(body.children);
  if (children.length === 0) throw invalidError("body failed validation: body.children should not be empty.");
  if ("after" in body && c.req.header("notion-version") !== "2025-09-03") {
    throw invalidError("body failed validation: body.after should be not present, instead use body.position.");
  }
  const addedBlocks = toBlocks(children, provider);
  blocks.splice(getPosition(body, blocks), 0, ...addedBlocks);
  touchEntry(c, provider, entry);
  const results = addedBlocks.map((addedBlock) => toBlockView(addedBlock, entry, block?.id ?? entry.id));
  return c.json({ object: "list", results, next_cursor: null, has_more: false, type: "block", block: {} });
}

/** Returns the position of new blocks; the end by default. */
function getPosition(body: Record<string, unknown>, blocks: Block[]): number {
  const position = toRecord(body.position);
  if (position.type === "start") return 0;
  const after = body.after ?? toRecord(position.after_block).id;
  if (after === undefined) return blocks.length;
  const index = blocks.findIndex(({ id }) => id === after);
  if (index < 0) throw notFoundError("block", String(after));
  return index + 1;
}

async function remove(c: Context<NotionEnv>, provider: ProviderContext<NotionState>) {
  const world = c.get("world");
  const { entry, block, parent = "" } = findBlocks(world, c.req.param("id") ?? "");
  if (!block) throw notFoundError("block", c.req.param("id") ?? "");
  const { blocks } = findBlocks(world, parent);
  blocks.splice(blocks.indexOf(block), 1);
  touchEntry(c, provider, entry);
  return c.json({ ...toBlockView(block, entry, parent), in_trash: true });
}

/** Converts validated blocks of a request to stored ones, with IDs and the text of responses. */
export function toBlocks(children: Record<string, unknown>[], provider: ProviderContext<NotionState>): Block[] {
  return children.map(({ type, value, children: inner }) => {
    const { children: _within, ...own } = toRecord(value);
    return {
      id: createId(provider),
      type: String(type),
      value: {
        ...(type === "to_do" ? { checked: false } : {}),
        ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, toAnswer(name, value)])),
      },
      children: toBlocks(inner as Record<string, unknown>[], provider),
      created_time: provider.timestamp(),
    };
  });
}

function toAnswer(name: string, value: unknown): unknown {
  if (name === "rich_text" || name === "caption") return (value as unknown[]).map(toAnsweredPiece);
  return name === "cells" ? (value as unknown[][]).map((cell) => cell.map(toAnsweredPiece)) : value;
}

const PLAIN = { bold: false, italic: false, strikethrough: false, underline: false, code: false, color: "default" };

function toAnsweredPiece(piece: unknown): Record<string, unknown> {
  const { text, annotations } = toRecord(piece);
  const { link = null } = toRecord(text);
  return {
    type: "text",
    text: { content: toPlainText([piece]), link },
    annotations: { ...PLAIN, ...toRecord(annotations) },
    plain_text: toPlainText([piece]),
    href: toRecord(link).url ?? null,
  };
}
