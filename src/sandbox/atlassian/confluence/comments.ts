import type { Context, Hono } from "hono";
import type { Place } from "../../provider.ts";
import { needs, type SiteEnv } from "../gateway.ts";
import type { AtlassianWorld, Page, PageComment } from "../world.ts";
import { ConfluenceRefusal, notFound } from "./errors.ts";
import { bodyOf, pageOf, pageWith } from "./pages.ts";
import { listed } from "./paging.ts";
import { baseUrl, webPath } from "./views.ts";

/** Comments below pages (developer.atlassian.com/cloud/confluence/rest/v2, group comment). */
export function commentRoutes(app: Hono<SiteEnv>, place: Place<AtlassianWorld>): void {
  const [read, write] = [needs("read:comment:confluence"), needs("write:comment:confluence")];
  app.get("/pages/:id/footer-comments", read, (c) => {
    const page = pageOf(c);
    return listed(c, page.comments, (comment) => commentView(page, comment, c.req.query("body-format")));
  });
  app.get("/footer-comments/:comment", read, (c) => {
    const wanted = c.req.param("comment");
    for (const page of c.get("site").pages) {
      const found = page.comments.find(({ id }) => id === wanted);
      if (found) return shown(c, page, found, c.req.query("body-format"), 200);
    }
    throw notFound("Not Found");
  });
  app.post("/footer-comments", write, (c) => create(c, place));
}

/** Answers 201, unlike the creation of pages. */
async function create(c: Context<SiteEnv>, place: Place<AtlassianWorld>) {
  const given: unknown = await c.req.json().catch(() => undefined);
  if (typeof given !== "object" || given === null) throw new ConfluenceRefusal(2, 400, "Invalid JSON");
  const { pageId, body } = given as Record<string, unknown>;
  if (pageId === undefined) {
    throw new ConfluenceRefusal(2, 400, "Exactly one of pageId, blogPostId, parentCommentId must be given.");
  }
  const page = pageWith(c, String(pageId));
  const value = bodyOf(body);
  if (value === undefined) throw new ConfluenceRefusal(2, 400, "Missing required property 'body'.");
  const ids = c.get("site").pages.flatMap(({ comments }) => comments.map(({ id }) => Number(id)));
  const comment: PageComment = {
    id: String(Math.max(131_072, ...ids) + 1),
    author: c.get("account").accountId,
    body: value,
    created: new Date(place.now()).toISOString(),
  };
  page.comments.push(comment);
  place.changed();
  return shown(c, page, comment, "storage", 201);
}

function shown(c: Context<SiteEnv>, page: Page, comment: PageComment, format: string | undefined, status: 200 | 201) {
  const view = commentView(page, comment, format);
  return c.json({ ...view, _links: { ...view._links, base: baseUrl(c) } }, status);
}

function commentView(page: Page, { id, author, body, created }: PageComment, format: string | undefined) {
  return {
    id,
    status: "current",
    title: `Re: ${page.title}`,
    pageId: page.id,
    version: { number: 1, message: "", minorEdit: false, authorId: author, createdAt: created },
    body: format === "storage" ? { storage: { representation: "storage", value: body } } : {},
    _links: { webui: `${webPath(page)}?focusedCommentId=${id}` },
  };
}
