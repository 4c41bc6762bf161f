import type { Context } from "hono";
import type { SiteEnv } from "../gateway.ts";
import { confluenceError } from "./errors.ts";
import { getBaseUrl } from "./views.ts";

/**
 * Cuts a page of a v2 list: `limit` (25, at most 250) and an opaque `cursor`. The next page is in `_links.next`,
 * relative to the site, and in the `Link` header, as in Confluence.
 */
export function paginate<T>(c: Context<SiteEnv>, items: T[], view: (item: T) => unknown) {
  const limit = getLimit(c);
  const start = getStart(c.req.query("cursor"));
  const results = items.slice(start, start + limit).map(view);
  const query = new URL(c.req.url).searchParams;
  query.set("limit", String(limit));
  query.set("cursor", Buffer.from(JSON.stringify({ start: start + limit })).toString("base64url"));
  const next = `${c.req.path.replace(/^\/ex\/confluence\/[^/]+/, "")}?${query}`;
  const hasMore = start + limit < items.length;
  if (hasMore) c.header("link", `<${next}>; rel="next"`);
  return c.json({ results, _links: { ...(hasMore ? { next } : {}), base: getBaseUrl(c) } });
}

function getLimit(c: Context): number {
  const limit = Number(c.req.query("limit") ?? 25);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 250) return limit;
  throw confluenceError(
    2,
    400,
    `Provided value {${c.req.query("limit")}} for 'limit' is not valid. It must be between 1 and 250.`,
  );
}

function getStart(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  try {
    const { start } = JSON.parse(Buffer.from(cursor, "base64url").toString()) as { start: unknown };
    if (typeof start === "number") return start;
  } catch {
    // reported below, like every other invalid cursor
  }
  throw confluenceError(2, 400, `Provided value {${cursor}} for 'cursor' is not valid.`);
}
