import { hash } from "node:crypto";
import type { Context, Hono } from "hono";
import { parseQueryList } from "../../api.ts";
import type { ProviderContext } from "../../provider.ts";
import { requireScope, type SiteEnv } from "../gateway.ts";
import type { AtlassianState, Issue } from "../state.ts";
import { jiraError, parseBody, parseNumber } from "./errors.ts";
import { toViewContext } from "./issue.ts";
import { runJql } from "./jql.ts";
import { getSelfUrl, pickFields, toFieldsView } from "./views.ts";

const REMOVED =
  "The requested API has been removed. Please migrate to the /rest/api/3/search/jql API. A full migration guideline is available at https://developer.atlassian.com/changelog/#CHANGE-2046";

/**
 * The enhanced JQL search (group issue-search). Pages by `nextPageToken` have at most 100 issues with fields, or 5,000
 * with IDs or keys only. Without requested fields, an issue has only its ID.
 */
export function registerSearchRoutes(app: Hono<SiteEnv>, provider: ProviderContext<AtlassianState>): void {
  const read = requireScope("read:jira-work");
  app.get("/search/jql", read, (c) =>
    c.json(sendPage(c, provider, { ...c.req.query(), fields: parseQueryList(c, "fields") })),
  );
  app.post("/search/jql", read, async (c) => c.json(sendPage(c, provider, await parseBody(c, NAMES))));
  app.post("/search/approximate-count", read, async (c) =>
    c.json({ count: findIssues(c, provider, (await parseBody(c)).jql).length }),
  );
  app.on(["GET", "POST"], "/search", () => {
    throw jiraError(410, [REMOVED]);
  });
}

const NAMES = [
  "jql",
  "maxResults",
  "fields",
  "nextPageToken",
  "expand",
  "properties",
  "fieldsByKeys",
  "failFast",
  "reconcileIssues",
];

function sendPage(c: Context<SiteEnv>, provider: ProviderContext<AtlassianState>, query: Record<string, unknown>) {
  const jql = typeof query.jql === "string" ? query.jql : "";
  const fields = (Array.isArray(query.fields) ? query.fields.map(String) : []).filter(Boolean);
  const isSmall = fields.every((name) => name === "id" || name === "key");
  const size = Math.max(1, parseNumber(query.maxResults, "maxResults", 50, isSmall ? 5000 : 100));
  const start = getStart(query.nextPageToken, jql);
  const issues = findIssues(c, provider, jql);
  const hasMore = start + size < issues.length;
  return {
    issues: issues.slice(start, start + size).map((issue) => toView(c, issue, fields)),
    ...(hasMore ? { nextPageToken: getToken(start + size, jql) } : {}),
    isLast: !hasMore,
  };
}

function findIssues(c: Context<SiteEnv>, provider: ProviderContext<AtlassianState>, jql: unknown): Issue[] {
  const me = c.get("account").accountId;
  return runJql(typeof jql === "string" ? jql : "", {
    site: c.get("site"),
    accounts: c.get("world").accounts,
    me,
    now: provider.now(),
  });
}

function toView(c: Context<SiteEnv>, issue: Issue, fields: string[]) {
  const shared = toViewContext(c);
  const others = fields.filter((name) => name !== "id" && name !== "key");
  if (fields.length === 0 || (others.length === 0 && !fields.includes("key"))) return { id: issue.id };
  const head = {
    expand: "operations,versionedRepresentations,editmeta,changelog,renderedFields",
    id: issue.id,
    self: getSelfUrl(shared, `issue/${issue.id}`),
    key: issue.key,
  };
  return others.length === 0 ? head : { ...head, fields: pickFields(toFieldsView(shared, issue), others) };
}

/** A token is valid only for its query. */
function getToken(start: number, jql: string): string {
  return Buffer.from(JSON.stringify([start, mark(jql)])).toString("base64url");
}

function getStart(token: unknown, jql: string): number {
  if (token === undefined || token === null || token === "") return 0;
  try {
    const [start, query] = JSON.parse(Buffer.from(String(token), "base64url").toString()) as [unknown, unknown];
    if (typeof start === "number" && query === mark(jql)) return start;
  } catch {
    // reported below, like the token of another query
  }
  throw jiraError(400, ["The provided next page token is invalid or expired."]);
}

function mark(jql: string): string {
  return hash("sha256", jql, "base64url").slice(0, 12);
}
