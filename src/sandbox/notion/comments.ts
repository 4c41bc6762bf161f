import type { Context, Hono } from "hono";
import type { Place } from "../provider.ts";
import { bodyOf, entryOf, type NotionEnv, needs, newId, paged, pageOf, record } from "./access.ts";
import { invalid } from "./errors.ts";
import { checkRichText } from "./limits.ts";
import { plainOf } from "./values.ts";
import { commentView } from "./views.ts";
import type { NotionWorld } from "./world.ts";

/** Comments on pages (developers.notion.com/reference/comment-object). */
export function commentRoutes(app: Hono<NotionEnv>, place: Place<NotionWorld>): void {
  app.get("/comments", needs("read_comments"), (c) => {
    const entry = entryOf(pageOf(c.get("world"), c.req.query("block_id") ?? ""));
    const views = entry.comments.map((comment) => commentView(comment, entry.id));
    return c.json({
      ...paged(views, c.req.query("page_size"), c.req.query("start_cursor")),
      type: "comment",
      comment: {},
    });
  });
  app.post("/comments", needs("insert_comments"), (c) => create(c, place));
}

async function create(c: Context<NotionEnv>, place: Place<NotionWorld>) {
  const body = await bodyOf(c);
  const { page_id } = record(body.parent);
  if (page_id === undefined)
    throw invalid("body failed validation: body.parent.page_id should be defined, instead was `undefined`.");
  checkRichText(body.rich_text, "body.rich_text");
  const entry = entryOf(pageOf(c.get("world"), String(page_id)));
  const text = plainOf(body.rich_text);
  const comment = {
    id: newId(place),
    author: c.get("user").id,
    text,
    created_time: new Date(place.now()).toISOString(),
  };
  entry.comments.push(comment);
  place.changed();
  return c.json(commentView(comment, entry.id));
}
