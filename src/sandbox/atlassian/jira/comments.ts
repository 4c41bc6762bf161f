import type { Context, Hono } from "hono";
import type { ProviderContext } from "../../provider.ts";
import { requireScope, type SiteEnv } from "../gateway.ts";
import type { AtlassianState, Comment, Issue } from "../state.ts";
import { getAdfText } from "./adf.ts";
import { parseComment } from "./edit.ts";
import { jiraError, parseBody, parseNumber } from "./errors.ts";
import { findIssue, getNextNumber, touchIssue, toViewContext } from "./issue.ts";
import { toCommentView } from "./views.ts";

const ALL = "/issue/:key/comment";
const ONE = `${ALL}/:comment`;

/** Comments of issues (developer.atlassian.com/cloud/jira/platform/rest/v3, group issue-comments). */
export function registerCommentRoutes(app: Hono<SiteEnv>, provider: ProviderContext<AtlassianState>): void {
  const [read, write] = [requireScope("read:jira-work"), requireScope("write:jira-work")];
  app.get(ALL, read, list);
  app.post(ALL, write, async (c) => {
    const issue = findIssue(c);
    return c.json(toView(c, issue, addComment(c, issue, (await parseBody(c)).body, provider)), 201);
  });
  app.get(ONE, read, (c) => {
    const issue = findIssue(c);
    return c.json(toView(c, issue, getComment(c, issue)));
  });
  app.put(ONE, write, async (c) => {
    const issue = findIssue(c);
    return c.json(toView(c, issue, change(c, issue, (await parseBody(c)).body, provider)));
  });
  app.delete(ONE, write, (c) => {
    const issue = findIssue(c);
    const comment = getComment(c, issue);
    issue.comments = issue.comments.filter((other) => other !== comment);
    touchIssue(issue, provider);
    return c.body(null, 204);
  });
}

/** Comments of issues in version 2, where requests and responses have text. */
export function registerTextCommentRoutes(
  app: Hono<SiteEnv>,
  provider: ProviderContext<AtlassianState>,
  document: (text: unknown) => unknown,
) {
  const write = requireScope("write:jira-work");
  const toTextView = (c: Context<SiteEnv>, issue: Issue, comment: Comment) => ({
    ...toView(c, issue, comment),
    body: getAdfText(comment.body),
  });
  app.post(ALL, write, async (c) => {
    const issue = findIssue(c);
    return c.json(toTextView(c, issue, addComment(c, issue, document((await parseBody(c)).body), provider)), 201);
  });
  app.put(ONE, write, async (c) => {
    const issue = findIssue(c);
    return c.json(toTextView(c, issue, change(c, issue, document((await parseBody(c)).body), provider)));
  });
}

/** Adds a comment of the caller. @throws ApiError for an invalid document */
export function addComment(
  c: Context<SiteEnv>,
  issue: Issue,
  body: unknown,
  provider: ProviderContext<AtlassianState>,
): Comment {
  const now = provider.timestamp();
  const ids = c.get("site").issues.flatMap((issue) => issue.comments.map(({ id }) => Number(id)));
  const author = c.get("account").accountId;
  const id = String(getNextNumber(ids, 20_000));
  const comment: Comment = { id, author, body: parseComment(body), created: now, updated: now };
  issue.comments.push(comment);
  touchIssue(issue, provider);
  return comment;
}

function change(c: Context<SiteEnv>, issue: Issue, body: unknown, provider: ProviderContext<AtlassianState>): Comment {
  const comment = getComment(c, issue);
  comment.body = parseComment(body);
  comment.updateAuthor = c.get("account").accountId;
  comment.updated = provider.timestamp();
  touchIssue(issue, provider);
  return comment;
}

function list(c: Context<SiteEnv>) {
  const issue = findIssue(c);
  const startAt = parseNumber(c.req.query("startAt"), "startAt", 0, Number.MAX_SAFE_INTEGER);
  const maxResults = parseNumber(c.req.query("maxResults"), "maxResults", 100, 5000);
  const newest = c.req.query("orderBy") === "-created";
  const sorted = [...issue.comments].sort((a, b) => (newest ? -1 : 1) * a.created.localeCompare(b.created));
  const comments = sorted.slice(startAt, startAt + maxResults).map((comment) => toView(c, issue, comment));
  return c.json({ startAt, maxResults, total: sorted.length, comments });
}

function toView(c: Context<SiteEnv>, issue: Issue, comment: Comment) {
  return toCommentView(toViewContext(c), issue, comment);
}

function getComment(c: Context<SiteEnv>, issue: Issue): Comment {
  const id = c.req.param("comment") ?? "";
  const comment = issue.comments.find((comment) => comment.id === id);
  if (!comment) throw jiraError(404, [`Can not find a comment for the id: ${id}.`]);
  return comment;
}
