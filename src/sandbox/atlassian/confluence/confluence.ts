import { type Context, Hono } from "hono";
import type { ProviderContext } from "../../provider.ts";
import { requireScope, type SiteEnv } from "../gateway.ts";
import type { AtlassianState, Page, PageComment } from "../state.ts";
import { confluenceError, notFoundError, parseBody } from "./errors.ts";
import { findPage, findPageById, parsePageBody, registerPageRoutes } from "./pages.ts";
import { paginate } from "./paging.ts";
import { registerSearchRoutes } from "./search.ts";
import { getBaseUrl, getWebPath } from "./views.ts";

/**
 * Confluence Cloud: REST API v2 for pages, their comments and spaces, v1 for search. Mounted behind the gateway at
 * `/ex/confluence/{cloudid}/wiki`.
 */
export function createConfluenceApp(provider: ProviderContext<AtlassianState>): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>();
  const [v1, v2] = [new Hono<SiteEnv>(), new Hono<SiteEnv>()];
  registerSearchRoutes(v1, provider);
  registerPageRoutes(v2, provider);
  registerCommentRoutes(v2, provider);
  app.route("/rest/api", v1);
  app.route("/api/v2", v2);
  app.all("/*", () => {
    throw notFoundError("Not Found");
  });
  return app;
}

/** Comments below pages (developer.atlassian.com/cloud/confluence/rest/v2, group comment). */
function registerCommentRoutes(app: Hono<SiteEnv>, provider: ProviderContext<AtlassianState>): void {
  const [read, write] = [requireScope("read:comment:confluence"), requireScope("write:comment:confluence")];
  app.get("/pages/:id/footer-comments", read, (c) => {
    const page = findPage(c);
    const comments = c.req.query("sort") === "-created-date" ? page.comments.toReversed() : page.comments;
    return paginate(c, comments, (comment) => toCommentView(page, comment, c.req.query("body-format")));
  });
  app.get("/footer-comments/:comment", read, (c) => {
    const commentId = c.req.param("comment");
    for (const page of c.get("site").pages) {
      const comment = page.comments.find(({ id }) => id === commentId);
      if (comment) return format(c, page, comment, c.req.query("body-format"), 200);
    }
    throw notFoundError("Not Found");
  });
  app.post("/footer-comments", write, (c) => create(c, provider));
  app.post("/users-bulk", requireScope("read:user:confluence"), async (c) => {
    const { accountIds } = await parseBody(c);
    if (!Array.isArray(accountIds)) throw confluenceError(2, 400, "Missing required property 'accountIds'.");
    const users = c.get("world").accounts.filter(({ accountId }) => accountIds.includes(accountId));
    const results = users.map(({ accountId, displayName }) => ({ accountId, displayName, accountType: "atlassian" }));
    return c.json({ results, _links: { base: getBaseUrl(c) } });
  });
}

/** Answers 201, unlike the creation of pages. */
async function create(c: Context<SiteEnv>, provider: ProviderContext<AtlassianState>) {
  const { pageId, body } = await parseBody(c);
  if (pageId === undefined) {
    throw confluenceError(2, 400, "Exactly one of pageId, blogPostId, parentCommentId must be given.");
  }
  const page = findPageById(c, String(pageId));
  const value = parsePageBody(body);
  if (value === undefined) throw confluenceError(2, 400, "Missing required property 'body'.");
  const ids = c.get("site").pages.flatMap(({ comments }) => comments.map(({ id }) => Number(id)));
  const comment: PageComment = {
    id: String(Math.max(131_072, ...ids) + 1),
    author: c.get("account").accountId,
    body: value,
    created: provider.timestamp(),
  };
  page.comments.push(comment);
  provider.save();
  return format(c, page, comment, "storage", 201);
}

function format(c: Context<SiteEnv>, page: Page, comment: PageComment, format: string | undefined, status: 200 | 201) {
  const view = toCommentView(page, comment, format);
  return c.json({ ...view, _links: { ...view._links, base: getBaseUrl(c) } }, status);
}

function toCommentView(page: Page, { id, author, body, created }: PageComment, format: string | undefined) {
  return {
    id,
    status: "current",
    title: `Re: ${page.title}`,
    pageId: page.id,
    version: { number: 1, message: "", minorEdit: false, authorId: author, createdAt: created },
    body: format === "storage" ? { storage: { representation: "storage", value: body } } : {},
    _links: { webui: `${getWebPath(page)}?focusedCommentId=${id}` },
  };
}
