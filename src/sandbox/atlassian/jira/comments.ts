import type { Context, Hono } from "hono";
import type { Place } from "../../provider.ts";
import { needs, type SiteEnv } from "../gateway.ts";
import type { AtlassianWorld, Comment, Issue } from "../world.ts";
import { adfText } from "./adf.ts";
import { readComment } from "./edit.ts";
import { bodyOf, JiraRefusal, numberOf } from "./errors.ts";
import { issueOf, nextNumber, touch, viewOf } from "./issue.ts";
import { commentView } from "./views.ts";

const ALL = "/issue/:key/comment";
const ONE = `${ALL}/:comment`;

/** Comments of issues (developer.atlassian.com/cloud/jira/platform/rest/v3, group issue-comments). */
export function commentRoutes(app: Hono<SiteEnv>, place: Place<AtlassianWorld>): void {
  const [read, write] = [needs("read:jira-work"), needs("write:jira-work")];
  app.get(ALL, read, (c) => list(c, place));
  app.post(ALL, write, async (c) => {
    const issue = issueOf(c);
    return c.json(view(c, place, issue, addComment(c, issue, (await bodyOf(c)).body, place)), 201);
  });
  app.get(ONE, read, (c) => {
    const issue = issueOf(c);
    return c.json(view(c, place, issue, commentOf(c, issue)));
  });
  app.put(ONE, write, async (c) => {
    const issue = issueOf(c);
    return c.json(view(c, place, issue, change(c, issue, (await bodyOf(c)).body, place)));
  });
  app.delete(ONE, write, (c) => {
    const issue = issueOf(c);
    const comment = commentOf(c, issue);
    issue.comments = issue.comments.filter((one) => one !== comment);
    touch(issue, place);
    return c.body(null, 204);
  });
}

/** The same in version 2, where what is written and what is answered is text. */
export function textCommentRoutes(
  app: Hono<SiteEnv>,
  place: Place<AtlassianWorld>,
  document: (text: unknown) => unknown,
) {
  const write = needs("write:jira-work");
  const text = (c: Context<SiteEnv>, issue: Issue, comment: Comment) => ({
    ...view(c, place, issue, comment),
    body: adfText(comment.body),
  });
  app.post(ALL, write, async (c) => {
    const issue = issueOf(c);
    return c.json(text(c, issue, addComment(c, issue, document((await bodyOf(c)).body), place)), 201);
  });
  app.put(ONE, write, async (c) => {
    const issue = issueOf(c);
    return c.json(text(c, issue, change(c, issue, document((await bodyOf(c)).body), place)));
  });
}

/** Add a comment by the one who asks. @throws JiraRefusal for what is no document */
export function addComment(c: Context<SiteEnv>, issue: Issue, body: unknown, place: Place<AtlassianWorld>): Comment {
  const now = new Date(place.now()).toISOString();
  const taken = c.get("site").issues.flatMap((one) => one.comments.map(({ id }) => Number(id)));
  const author = c.get("account").accountId;
  const id = String(nextNumber(taken, 20_000));
  const comment: Comment = { id, author, body: readComment(body), created: now, updated: now };
  issue.comments.push(comment);
  touch(issue, place);
  return comment;
}

function change(c: Context<SiteEnv>, issue: Issue, body: unknown, place: Place<AtlassianWorld>): Comment {
  const comment = commentOf(c, issue);
  comment.body = readComment(body);
  comment.updateAuthor = c.get("account").accountId;
  comment.updated = new Date(place.now()).toISOString();
  touch(issue, place);
  return comment;
}

function list(c: Context<SiteEnv>, place: Place<AtlassianWorld>) {
  const issue = issueOf(c);
  const startAt = numberOf(c.req.query("startAt"), "startAt", 0, Number.MAX_SAFE_INTEGER);
  const maxResults = numberOf(c.req.query("maxResults"), "maxResults", 100, 5000);
  const newest = c.req.query("orderBy") === "-created";
  const sorted = [...issue.comments].sort((a, b) => (newest ? -1 : 1) * a.created.localeCompare(b.created));
  const comments = sorted.slice(startAt, startAt + maxResults).map((comment) => view(c, place, issue, comment));
  return c.json({ startAt, maxResults, total: sorted.length, comments });
}

function view(c: Context<SiteEnv>, place: Place<AtlassianWorld>, issue: Issue, comment: Comment) {
  return commentView(viewOf(c, place), issue, comment);
}

function commentOf(c: Context<SiteEnv>, issue: Issue): Comment {
  const id = c.req.param("comment") ?? "";
  const comment = issue.comments.find((one) => one.id === id);
  if (!comment) throw new JiraRefusal(404, [`Can not find a comment for the id: ${id}.`]);
  return comment;
}
