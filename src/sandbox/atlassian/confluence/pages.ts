import type { Context, Hono } from "hono";
import type { ProviderContext } from "../../provider.ts";
import { requireScope, type SiteEnv } from "../gateway.ts";
import { findAdfProblem } from "../jira/adf.ts";
import type { AtlassianState, Page, Site } from "../state.ts";
import { adfToStorage } from "./convert.ts";
import { confluenceError, notFoundError, parseBody } from "./errors.ts";
import { paginate } from "./paging.ts";
import { parseStorage, StorageError } from "./storage.ts";
import { getBaseUrl, toPageView, toSpaceView } from "./views.ts";

const FORMATS = ["storage", "atlas_doc_format"];

/** Pages and spaces (developer.atlassian.com/cloud/confluence/rest/v2, groups page and space). */
export function registerPageRoutes(app: Hono<SiteEnv>, provider: ProviderContext<AtlassianState>): void {
  const [read, write] = [requireScope("read:page:confluence"), requireScope("write:page:confluence")];
  app.get("/pages", read, (c) => listPages(c, sort(listMatchingPages(c), c.req.query("sort"))));
  app.get("/pages/:id", read, (c) => {
    const format = getFormat(c, [...FORMATS, "view"]);
    const view = toPageView(c.get("site"), findPage(c), format);
    return c.json({ ...view, _links: { ...view._links, base: getBaseUrl(c) } });
  });
  app.post("/pages", write, async (c) => save(c, provider, undefined));
  app.put("/pages/:id", write, async (c) => save(c, provider, findPage(c)));
  app.delete("/pages/:id", requireScope("delete:page:confluence"), (c) => {
    const [page, site] = [findPage(c), c.get("site")];
    site.pages = site.pages.filter((other) => other !== page);
    for (const child of site.pages) if (child.parent === page.id) child.parent = page.parent;
    provider.save();
    return c.body(null, 204);
  });
  const spaces = requireScope("read:space:confluence");
  app.get("/spaces", spaces, (c) => {
    const [ids, keys] = [readQueryList(c, "ids"), readQueryList(c, "keys")];
    const spaces = c
      .get("site")
      .spaces.filter(({ id, key }) => (!ids || ids.includes(id)) && (!keys || keys.includes(key)));
    return paginate(c, spaces, (space) => toSpaceView(c.get("site"), space));
  });
  app.get("/spaces/:id", spaces, (c) =>
    c.json({
      ...toSpaceView(c.get("site"), findSpaceById(c)),
      _links: { webui: `/spaces/${findSpaceById(c).key}`, base: getBaseUrl(c) },
    }),
  );
  app.get("/spaces/:id/pages", read, (c) => {
    const { key } = findSpaceById(c);
    return listPages(
      c,
      sort(
        listMatchingPages(c).filter(({ space }) => space === key),
        c.req.query("sort"),
      ),
    );
  });
}

function listPages(c: Context<SiteEnv>, pages: Page[]) {
  const format = getFormat(c, FORMATS);
  return paginate(c, pages, (page) => toPageView(c.get("site"), page, format));
}

function listMatchingPages(c: Context<SiteEnv>): Page[] {
  const [ids, spaces, title] = [readQueryList(c, "id"), readQueryList(c, "space-id"), c.req.query("title")];
  const { pages, spaces: all } = c.get("site");
  const keys = spaces && all.filter(({ id }) => spaces.includes(id)).map(({ key }) => key);
  const invalidId = [...(ids ?? []), ...(spaces ?? [])].find((id) => !/^\d+$/.test(id));
  if (invalidId !== undefined)
    throw confluenceError(
      2,
      400,
      `Provided value {${invalidId}} for 'id' is not the correct type. Expected type is long.`,
    );
  return pages.filter(
    (page) =>
      (!ids || ids.includes(page.id)) &&
      (!keys || keys.includes(page.space)) &&
      (title === undefined || page.title === title),
  );
}

function sort(pages: Page[], sort: string | undefined): Page[] {
  const name = sort?.replace(/^-/, "") ?? "id";
  const keys: Record<string, (page: Page) => string> = {
    id: ({ id }) => id.padStart(20, "0"),
    title: ({ title }) => title.toLowerCase(),
    "created-date": ({ created }) => created,
    "modified-date": ({ updated }) => updated,
  };
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (!key) throw confluenceError(2, 400, `Provided value {${sort}} for 'sort' is not valid.`);
  return [...pages].sort((a, b) => (sort?.startsWith("-") ? -1 : 1) * key(a).localeCompare(key(b), "en"));
}

async function save(c: Context<SiteEnv>, provider: ProviderContext<AtlassianState>, page: Page | undefined) {
  const fields = await parseBody(c);
  const site = c.get("site");
  const now = provider.timestamp();
  const fieldValues = page
    ? applyChange(fields, page, site, now)
    : create(fields, site, c.get("account").accountId, now);
  if (!page) site.pages.push(fieldValues as Page);
  else Object.assign(page, fieldValues);
  provider.save();
  const view = toPageView(site, page ?? (fieldValues as Page), "storage");
  return c.json({ ...view, _links: { ...view._links, base: getBaseUrl(c) } });
}

function create(fields: Record<string, unknown>, site: Site, author: string, now: string): Page {
  const space = site.spaces.find(({ id }) => id === String(fields.spaceId ?? ""));
  if (fields.spaceId === undefined) throw confluenceError(2, 400, "Missing required property 'spaceId'.");
  if (!space) throw notFoundError(`Cannot find a space with id [${String(fields.spaceId)}]`);
  const title = getTitle(fields.title);
  requireFreeTitle(site, space.key, title, undefined);
  const parent = fields.parentId === undefined || fields.parentId === null ? null : String(fields.parentId);
  if (parent !== null && !site.pages.some(({ id }) => id === parent))
    throw notFoundError(`Cannot find a page with id [${parent}]`);
  const id = String(Math.max(98_305, ...site.pages.map((page) => Number(page.id)).filter(Number.isFinite)) + 32);
  return {
    id,
    space: space.key,
    title,
    body: parsePageBody(fields.body) ?? "",
    parent,
    author,
    version: 1,
    created: now,
    updated: now,
    comments: [],
  };
}

function applyChange(fields: Record<string, unknown>, page: Page, site: Site, now: string): Partial<Page> {
  for (const name of ["id", "status", "title", "body", "version"]) {
    if (fields[name] === undefined) throw confluenceError(2, 400, `Missing required property '${name}'.`);
  }
  if (String(fields.id) !== page.id) throw confluenceError(2, 400, "The id in the body is not the id in the path.");
  const number = Number((fields.version as { number?: unknown }).number);
  if (number !== page.version + 1) {
    throw confluenceError(
      2,
      409,
      `Version must be incremented on update. Current version is: ${page.version}`,
      "CONFLICT",
    );
  }
  const title = getTitle(fields.title);
  requireFreeTitle(site, page.space, title, page);
  return { title, body: parsePageBody(fields.body) ?? page.body, version: number, updated: now };
}

function requireFreeTitle(site: Site, space: string, title: string, page: Page | undefined) {
  const namesake = site.pages.find((other) => other !== page && other.space === space && other.title === title);
  if (namesake)
    throw confluenceError(
      2,
      400,
      "A page with this title already exists: A page already exists with the same TITLE in this space",
    );
}

/** `{representation, value}`, alone or under the name of its representation. */
export function parsePageBody(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  const fields = body as Record<string, unknown>;
  const inner = (fields.representation === undefined ? (fields.storage ?? fields.atlas_doc_format) : fields) as
    | Record<string, unknown>
    | undefined;
  if (typeof inner?.value !== "string") throw confluenceError(2, 400, "Missing required property 'body.value'.");
  try {
    if (inner.representation !== "atlas_doc_format") return parseStorage(inner.value) && inner.value;
    const document: unknown = JSON.parse(inner.value);
    if (findAdfProblem(document) === undefined) return adfToStorage(document as Parameters<typeof adfToStorage>[0]);
  } catch (error) {
    if (error instanceof StorageError) throw confluenceError(2, 400, error.message);
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw confluenceError(2, 400, "Content body cannot be converted to new editor format");
}

function getTitle(title: unknown): string {
  if (typeof title !== "string" || title.trim() === "") throw confluenceError(2, 400, "Title cannot be empty.");
  if (title.length > 255) throw confluenceError(2, 400, "Title cannot be longer than 255 characters.");
  return title;
}

export function findPage(c: Context<SiteEnv>): Page {
  const id = c.req.param("id") ?? "";
  if (!/^\d+$/.test(id))
    throw confluenceError(2, 400, `Provided value {${id}} for 'id' is not the correct type. Expected type is long.`);
  return findPageById(c, id);
}

export function findPageById(c: Context<SiteEnv>, pageId: string): Page {
  const page = c.get("site").pages.find(({ id }) => id === pageId);
  if (!page) throw notFoundError("Not Found");
  return page;
}

function findSpaceById(c: Context<SiteEnv>) {
  const space = c.get("site").spaces.find(({ id }) => id === c.req.param("id"));
  if (!space) throw notFoundError(`Cannot find a space with id [${c.req.param("id")}]`);
  return space;
}

function getFormat(c: Context<SiteEnv>, formats: string[]): string | undefined {
  const format = c.req.query("body-format");
  if (format === undefined || formats.includes(format)) return format;
  throw confluenceError(
    2,
    400,
    `Provided value {${format}} for 'body-format' is not valid. Valid values are: ${formats.join(", ")}`,
  );
}

/** Reads a parameter that is repeated or separated by commas. */
function readQueryList(c: Context<SiteEnv>, name: string): string[] | undefined {
  return c.req.queries(name)?.flatMap((part) => part.split(","));
}
