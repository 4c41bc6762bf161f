import type { Context, Hono } from "hono";
import type { ProviderContext } from "../provider.ts";
import { findPost, type LinkedinEnv, LinkedinError, parseBody, requireScope, requireSelf } from "./access.ts";
import { createNextId } from "./build.ts";
import { type Comment, type LinkedinState, type Post, REACTIONS } from "./state.ts";

/** Longest text of a comment. */
const COMMENT = 1_250;

/** Comments and reactions (learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api and …/reactions-api). */
export function registerSocialRoutes(app: Hono<LinkedinEnv>, provider: ProviderContext<LinkedinState>): void {
  app.get("/rest/socialActions/:urn/comments", (c) => {
    requireScope(c, "r_member_social", "partnerApiSocialActions.GET");
    const post = findPost(c, c.req.param("urn"));
    return c.json({
      paging: { start: 0, count: 10, links: [] },
      elements: post.comments.map((one) => toCommentView(post, one)),
    });
  });
  app.post("/rest/socialActions/:urn/comments", (c) => addComment(c, provider));
  app.post("/rest/reactions", (c) => react(c, provider));
}

async function addComment(c: Context<LinkedinEnv>, provider: ProviderContext<LinkedinState>) {
  requireScope(c, "w_member_social", "partnerApiSocialActions.CREATE");
  const post = findPost(c, c.req.param("urn") ?? "");
  const body = await parseBody(c);
  requireSelf(c, body.actor, "actor");
  const text = (body.message as { text?: unknown } | undefined)?.text;
  if (typeof text !== "string" || text.trim() === "") throw invalid("message :: text is required");
  if (text.length > COMMENT) throw invalid(`message/text :: length ${text.length} is more than ${COMMENT}`);
  const comment: Comment = {
    id: createNextId(c.get("world")),
    actor: c.get("member").sub,
    text,
    created: new Date(provider.now()).toISOString(),
  };
  post.comments.push(comment);
  provider.save();
  return c.json(toCommentView(post, comment), 201, { "x-restli-id": comment.id });
}

async function react(c: Context<LinkedinEnv>, provider: ProviderContext<LinkedinState>) {
  requireScope(c, "w_member_social", "partnerApiReactions.CREATE");
  requireSelf(c, c.req.query("actor"), "actor");
  const body = await parseBody(c);
  const post = findPost(c, String(body.root ?? ""));
  const reactionType = REACTIONS.find((one) => one === body.reactionType);
  if (!reactionType) throw invalid(`reactionType :: "${String(body.reactionType)}" is not a reaction`);
  const actor = c.get("member").sub;
  if (post.reactions.some((one) => one.actor === actor)) {
    throw new LinkedinError(409, "CONFLICT", `The member has already reacted to ${post.id}`);
  }
  post.reactions.push({ actor, reactionType });
  provider.save();
  const person = `urn:li:person:${actor}`;
  const id = `urn:li:reaction:(${person},${post.id})`;
  return c.json({ id, reactionType, root: post.id, created: { actor: person, time: provider.now() } }, 201, {
    "x-restli-id": id,
  });
}

function toCommentView(post: Post, { id, actor, text, created }: Comment) {
  const person = `urn:li:person:${actor}`;
  const time = Date.parse(created);
  return {
    id,
    commentUrn: `urn:li:comment:(${post.id},${id})`,
    actor: person,
    object: post.id,
    message: { attributes: [], text },
    created: { actor: person, time },
    lastModified: { actor: person, time },
  };
}

function invalid(message: string): LinkedinError {
  return new LinkedinError(422, "UNPROCESSABLE_ENTITY", message);
}
