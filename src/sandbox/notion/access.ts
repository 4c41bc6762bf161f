import type { Context, MiddlewareHandler } from "hono";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { invalidError, NotionError, notFoundError } from "./errors.ts";
import { createUuid, normalizeId } from "./ids.ts";
import type { Block, Database, Entry, NotionState, Page, Row, User } from "./state.ts";

/** Context of a request under `/v1`: its account and the state. */
export type NotionEnv = {
  Bindings: SandboxEnv["Bindings"];
  Variables: SandboxEnv["Variables"] & { user: User; world: NotionState };
};

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

/** Requires a valid token and an API version. */
export function requireToken(provider: ProviderContext<NotionState>): MiddlewareHandler<NotionEnv> {
  return async (c, next) => {
    const grant = provider.grant(c.req.raw);
    const world = provider.world();
    const user = world.users.find(({ id }) => id === grant?.account);
    if (!grant || !user) throw new NotionError(401, "unauthorized", "API token is invalid.");
    const version = c.req.header("notion-version");
    if (version === undefined) {
      const versions = VERSIONS.map((version) => `"${version}"`).join(", ");
      throw new NotionError(
        400,
        "missing_version",
        `Notion-Version header failed validation: Notion-Version header should be ${versions}, instead was \`undefined\`.`,
      );
    }
    if (!VERSIONS.includes(version))
      throw invalidError(`Notion-Version header failed validation: ${version} is not supported by the sandbox.`);
    c.set("grant", grant);
    c.set("user", user);
    c.set("world", world);
    await next();
  };
}

/** Requires this capability of the connection. */
export function requireCapability(capability: string): MiddlewareHandler<NotionEnv> {
  return async (c, next) => {
    if (!c.get("grant").scopes.includes(capability)) {
      throw new NotionError(403, "restricted_resource", "Insufficient permissions for this endpoint.");
    }
    await next();
  };
}

/** A page or a row. */
export type FoundPage =
  | { page: Page; row?: undefined; database?: undefined }
  | { row: Row; database: Database; page?: undefined };

/** Finds a page or row by ID. @throws NotionRefusal 404 */
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

/** Finds a data source by ID. @throws NotionRefusal 404 */
export function findDataSource(world: NotionState, id: string): Database {
  const database = world.databases.find(({ data_source_id }) => data_source_id === normalizeId(id));
  if (!database) throw notFoundError("data source", id);
  return database;
}

/** Finds the parent of blocks: a page, or a block on it. @throws NotionRefusal 404 */
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

/** Reads the body of a request. @throws NotionRefusal 400 */
export async function parseBody(c: Context<NotionEnv>): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await c.req.json();
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  } catch {
    // reported below
  }
  throw new NotionError(400, "invalid_json", "Error parsing JSON body.");
}

/** Records the editor of an entry, and saves the state. */
export function touchEntry(c: Context<NotionEnv>, provider: ProviderContext<NotionState>, entry: Entry): void {
  entry.last_edited_by = c.get("user").id;
  entry.last_edited_time = new Date(provider.now()).toISOString();
  provider.save();
}

/** A new id. */
export function createId(provider: ProviderContext<NotionState>): string {
  return createUuid(provider.random);
}

/** Returns a page of a list: `page_size` (at most 100) from `start_cursor`. */
export function paginate(things: unknown[], size: unknown, cursor: unknown): Record<string, unknown> {
  const length = size === undefined ? 100 : Number(size);
  if (!Number.isInteger(length) || length < 1 || length > 100) {
    throw invalidError(`body failed validation: body.page_size should be ≤ \`100\`, instead was \`${String(size)}\`.`);
  }
  const start = cursor === undefined ? 0 : Number(/^cursor-(\d+)$/.exec(String(cursor))?.[1] ?? Number.NaN);
  if (Number.isNaN(start)) throw invalidError("The start_cursor provided is invalid.");
  const more = start + length < things.length;
  return {
    object: "list",
    results: things.slice(start, start + length),
    next_cursor: more ? `cursor-${start + length}` : null,
    has_more: more,
  };
}
