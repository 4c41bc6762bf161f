import type { Context, Hono } from "hono";
import type { ProviderContext } from "../../provider.ts";
import { requireScope, type SiteEnv } from "../gateway.ts";
import type { AtlassianState, Page } from "../state.ts";
import { getPageText, listSearchedWords, runCql } from "./cql.ts";
import { confluenceError } from "./errors.ts";
import { findSpace, getBaseUrl, getWebPath } from "./views.ts";

/**
 * `GET /wiki/rest/api/search` (REST API v1): CQL, `limit` (25), `start`, `_links.next`. Words that were searched for
 * come marked with `@@@hl@@@` and `@@@endhl@@@` in titles and excerpts, unless `excerpt=none`, as there.
 */
export function registerSearchRoutes(app: Hono<SiteEnv>, provider: ProviderContext<AtlassianState>): void {
  app.get("/search", requireScope("search:confluence", "read:content-details:confluence"), (c) => {
    const cql = c.req.query("cql") ?? "";
    if (cql.trim() === "") throw confluenceError(1, 400, "A cql query is required");
    const pages = runCql(cql, { site: c.get("site"), me: c.get("account").accountId, now: provider.now() });
    const [start, limit] = [
      readWholeNumber(c, "start", 0, Number.MAX_SAFE_INTEGER),
      readWholeNumber(c, "limit", 25, 1000),
    ];
    const results = pages
      .slice(start, start + limit)
      .map((page) => toResultView(c, page, listSearchedWords(cql), provider.now()));
    const hasMore = start + limit < pages.length;
    const query = new URLSearchParams({ ...c.req.query(), limit: String(limit), start: String(start + limit) });
    return c.json({
      results,
      start,
      limit,
      size: results.length,
      totalSize: pages.length,
      cqlQuery: cql,
      searchDuration: 12,
      _links: {
        base: getBaseUrl(c),
        context: "/wiki",
        ...(hasMore ? { next: `/rest/api/search?${query}` } : {}),
        self: `${getBaseUrl(c)}/rest/api/search?cql=${encodeURIComponent(cql)}`,
      },
    });
  });
}

function toResultView(c: Context<SiteEnv>, page: Page, words: string[], now: number) {
  const space = findSpace(c.get("site"), page);
  const isPlain = c.req.query("excerpt") === "none" || c.req.query("excerpt") === "indexed";
  const mark = (text: string) => (isPlain ? text : highlight(text, words));
  return {
    content: {
      id: page.id,
      type: "page",
      status: "current",
      title: page.title,
      childTypes: {},
      macroRenderedOutput: {},
      restrictions: {},
      _expandable: {
        container: "",
        metadata: "",
        extensions: "",
        operations: "",
        children: "",
        history: `/rest/api/content/${page.id}/history`,
        ancestors: "",
        body: "",
        version: "",
        descendants: "",
        space: `/rest/api/space/${space.key}`,
      },
      _links: {
        webui: getWebPath(page),
        self: `${getBaseUrl(c)}/rest/api/content/${page.id}`,
        tinyui: `/x/${Buffer.from(page.id).toString("base64url")}`,
      },
    },
    title: mark(page.title),
    excerpt: c.req.query("excerpt") === "none" ? "" : mark(cutExcerpt(getPageText(page), words)),
    url: getWebPath(page),
    resultGlobalContainer: { title: space.name, displayUrl: `/spaces/${space.key}` },
    breadcrumbs: [],
    entityType: "content",
    iconCssClass: "aui-icon content-type-page",
    lastModified: page.updated,
    friendlyLastModified: formatAge(page.updated, now),
    score: 0,
  };
}

/** Returns the 200 characters around the first searched word. */
function cutExcerpt(text: string, words: string[]): string {
  const flat = text.replace(/\s+/g, " ");
  const start = words.length === 0 ? 0 : Math.max(0, flat.toLowerCase().indexOf((words[0] ?? "").toLowerCase()));
  return flat.slice(Math.max(0, start - 60), Math.max(0, start - 60) + 200);
}

function highlight(text: string, words: string[]): string {
  if (words.length === 0) return text;
  return text.replace(/[\p{L}\p{N}_]+/gu, (word) =>
    words.some((candidate) => candidate.toLowerCase() === word.toLowerCase()) ? `@@@hl@@@${word}@@@endhl@@@` : word,
  );
}

function formatAge(iso: string, now: number): string {
  const days = Math.floor((now - Date.parse(iso)) / 86_400_000);
  if (days < 1) return "today";
  return days === 1
    ? "yesterday"
    : days < 31
      ? `${days} days ago`
      : new Date(iso).toLocaleDateString("en-US", { month: "short", day: "2-digit", year: "numeric", timeZone: "UTC" });
}

function readWholeNumber(c: Context, name: string, fallback: number, maximum: number): number {
  const value = Number(c.req.query(name) ?? fallback);
  if (!Number.isInteger(value) || value < 0) throw confluenceError(1, 400, `Invalid value for '${name}'`);
  return Math.min(value, maximum);
}
