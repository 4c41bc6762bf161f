import type { Context, Hono } from "hono";
import type { ProviderContext } from "../provider.ts";
import {
  createId,
  findPage,
  getEntry,
  type NotionEnv,
  paginate,
  parseBody,
  requireCapability,
  toRecord,
} from "./access.ts";
import { invalidError } from "./errors.ts";
import { checkRichText } from "./limits.ts";
import type { NotionState } from "./state.ts";
import { toPlainText } from "./values.ts";
import { toCommentView } from "./views.ts";

/** Comments on pages (developers.notion.com/reference/comment-object). */
export function registerCommentRoutes(app: Hono<NotionEnv>, provider: ProviderContext<NotionState>): void {
  app.get("/comments", requireCapability("read_comments"), (c) => {
    const entry = getEntry(findPage(c.get("world"), c.req.query("block_id") ?? ""));
    const views = entry.comments.map((comment) => toCommentView(comment, entry.id));
    return c.json({
      ...paginate(views, c.req.query("page_size"), c.req.query("start_cursor")),
      type: "comment",
      comment: {},
    });
  });
  app.post("/comments", requireCapability("insert_comments"), (c) => create(c, provider));
}

async function create(c: Context<NotionEnv>, provider: ProviderContext<NotionState>) {
  const body = await parseBody(c);
  const { page_id } = toRecord(body.parent);
  if (page_id === undefined)
    throw invalidError("body failed validation: body.parent.page_id should be defined, instead was `undefined`.");
  checkRichText(body.rich_text, "body.rich_text");
  const entry = getEntry(findPage(c.get("world"), String(page_id)));
  const text = toPlainText(body.rich_text);
  const comment = {
    id: createId(provider),
    author: c.get("user").id,
    text,
    created_time: new Date(provider.now()).toISOString(),
  };
  entry.comments.push(comment);
  provider.save();
  return c.json(toCommentView(comment, entry.id));
}
