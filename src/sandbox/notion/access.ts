import type { Context, MiddlewareHandler } from "hono";
import type { JsonRecord } from "#protocol/json";
import { type ApiEnv, parseJsonObject, requireAccount } from "../api.ts";
import { formatUuid } from "../ids.ts";
import type { ProviderContext } from "../provider.ts";
import { invalidError, notFoundError, notionError } from "./errors.ts";
import type { Block, Database, Entry, NotionState, Page, Row, User } from "./state.ts";

/** Context of a request under `/v1`. */
export type NotionEnv = ApiEnv<NotionState, User>;

/** The capabilities of a connection, which Notion stores (developers.notion.com/reference/capabilities). */
export const CAPABILITIES: Record<string, string> = {
  read_content: "Read the pages that you share with it",
  insert_content: "Add pages and text",
  update_content: "Change pages and text",
  read_comments: "Read comments",
  insert_comments: "Comment on pages",
  read_users: "See the people of the workspace with their email addresses",
};

/** Versions with data sources, which this stand-in implements. */
const VERSIONS = ["2025-09-03", "2026-03-11"];

/** Requires a valid token. */
export function requireToken(provider: ProviderContext<NotionState>): MiddlewareHandler<NotionEnv> {
  return requireAccount(
    provider,
    ({ users }, userId) => users.find(({ id }) => id === userId),
    () => notionError(401, "unauthorized", "API token is invalid."),
  );
}

/** Requires a supported version of the API. */
export const requireVersion: MiddlewareHandler<NotionEnv> = async (c, next) => {
  const version = c.req.header("notion-version");
  if (version === undefined) {
    const versions = VERSIONS.map((version) => `"${version}"`).join(", ");
    throw notionError(
      400,
      "missing_version",
      `Notion-Version header failed validation: Notion-Version header should be ${versions}, instead was \`undefined\`.`,
    );
  }
  if (!VERSIONS.includes(version))
    throw invalidError(`Notion-Version header failed validation: ${version} is not supported by the sandbox.`);
  await next();
};

/** Requires this capability of the connection. */
export function requireCapability(capability: string): MiddlewareHandler<NotionEnv> {
  return async (c, next) => {
    if (!c.get("grant").scopes.includes(capability)) {
      throw notionError(403, "restricted_resource", "Insufficient permissions for this endpoint.");
    }
    await next();
  };
}

/** A page or a row. */
export type FoundPage =
  | { page: Page; row?: undefined; database?: undefined }
  | { row: Row; database: Database; page?: undefined };

/** Finds a page or row by ID. @throws ApiError 404 */
export function findPage(world: NotionState, id: string): FoundPage {
  const normalizedId = normalizeId(id);
  const page = world.pages.find((page) => page.id === normalizedId);
  if (page) return { page };
  for (const database of world.databases) {
    const row = database.rows.find((row) => row.id === normalizedId);
    if (row) return { row, database };
  }
  throw notFoundError("page", id);
}

/** Finds the entry of a page or row. */
export function getEntry(page: FoundPage): Entry {
  return page.page ?? page.row;
}

/** Finds a data source by ID. @throws ApiError 404 */
export function findDataSource(world: NotionState, id: string): Database {
  const database = world.databases.find(({ data_source_id }) => data_source_id === normalizeId(id));
  if (!database) throw notFoundError("data source", id);
  return database;
}

/** Finds the parent of blocks: a page, or a block on it. @throws ApiError 404 */
export function findBlocks(
  world: NotionState,
  id: string,
): { entry: Entry; blocks: Block[]; block?: Block; parent?: string } {
  const normalizedId = normalizeId(id);
  const entries = [...world.pages, ...world.databases.flatMap(({ rows }) => rows)];
  // A subpage is also a block of its parent, with the same ID; its content belongs to the page.
  const page = entries.find((entry) => entry.id === normalizedId);
  if (page) return { entry: page, blocks: page.blocks };
  for (const entry of entries) {
    const block = findBlockWithin(entry.blocks, normalizedId, entry.id);
    if (block) return { entry, blocks: block.block.children, ...block };
  }
  throw notFoundError("block", id);
}

function findBlockWithin(blocks: Block[], id: string, parent: string): { block: Block; parent: string } | undefined {
  for (const block of blocks) {
    if (block.id === id) return { block, parent };
    const match = findBlockWithin(block.children, id, block.id);
    if (match) return match;
  }
  return undefined;
}

/** Reads the body of a request. @throws ApiError 400 */
export async function parseBody(c: Context<NotionEnv>): Promise<JsonRecord> {
  return parseJsonObject(c, () => notionError(400, "invalid_json", "Error parsing JSON body."));
}

/** Records the editor of an entry, and saves the state. */
export function touchEntry(c: Context<NotionEnv>, provider: ProviderContext<NotionState>, entry: Entry): void {
  entry.last_edited_by = c.get("account").id;
  entry.last_edited_time = provider.timestamp();
  provider.save();
}

/** Creates an ID from random bytes. */
export function createId(provider: ProviderContext<NotionState>): string {
  return formatUuid(Buffer.from(provider.random(16)).toString("hex"));
}

/** Adds the hyphens of an ID, which requests may omit. */
export function normalizeId(text: string): string {
  const hex = text.replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(hex) ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") : text;
}

/** Returns a page of a list: `page_size` (at most 100) from `start_cursor`. */
export function paginate(items: unknown[], size: unknown, cursor: unknown): Record<string, unknown> {
  const length = size === undefined ? 100 : Number(size);
  if (!Number.isInteger(length) || length < 1 || length > 100) {
    throw invalidError(`body failed validation: body.page_size should be ≤ \`100\`, instead was \`${String(size)}\`.`);
  }
  const start = cursor === undefined ? 0 : Number(/^cursor-(\d+)$/.exec(String(cursor))?.[1] ?? Number.NaN);
  if (Number.isNaN(start)) throw invalidError("The start_cursor provided is invalid.");
  const hasMore = start + length < items.length;
  return {
    object: "list",
    results: items.slice(start, start + length),
    next_cursor: hasMore ? `cursor-${start + length}` : null,
    has_more: hasMore,
  };
}
