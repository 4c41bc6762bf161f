import type { Context, Hono } from "hono";
import type { ApiError } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import {
  findPost,
  forbiddenError,
  type LinkedinEnv,
  linkedinError,
  parseBody,
  requireScope,
  requireSelf,
} from "./access.ts";
import { createNextId } from "./build.ts";
import type { LinkedinState, Post } from "./state.ts";

/** Maximum length of a commentary; LinkedIn truncates longer ones. */
const COMMENTARY = 3_000;

/** Posts (https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api). */
export function registerPostRoutes(app: Hono<LinkedinEnv>, provider: ProviderContext<LinkedinState>): void {
  app.post("/rest/posts", (c) => create(c, provider));
  app.get("/rest/posts", (c) => list(c));
  app.get("/rest/posts/:urn", (c) => {
    requireScope(c, "r_member_social", "partnerApiPostsExternal.GET");
    return c.json(toPostView(requireOwn(c, "partnerApiPostsExternal.GET")));
  });
  app.delete("/rest/posts/:urn", (c) => {
    requireScope(c, "w_member_social", "partnerApiPostsExternal.DELETE");
    const world = c.get("world");
    // Deleting a deleted post succeeds, as documented.
    const post = world.posts.find(({ id }) => id === c.req.param("urn"));
    if (post) requireSelf(c, getAuthor(post), "author");
    world.posts = world.posts.filter((other) => other !== post);
    provider.save();
    return c.body(null, 204);
  });
}

async function create(c: Context<LinkedinEnv>, provider: ProviderContext<LinkedinState>) {
  requireScope(c, "w_member_social", "partnerApiPostsExternal.CREATE");
  const world = c.get("world");
  const body = await parseBody(c);
  for (const field of ["author", "commentary", "visibility", "distribution", "lifecycleState"]) {
    if (body[field] === undefined) throw createMissingError(field);
  }
  requireSelf(c, body.author, "author");
  if (body.lifecycleState !== "PUBLISHED") throw createValueError("lifecycleState", String(body.lifecycleState));
  const visibility = (["PUBLIC", "CONNECTIONS", "LOGGED_IN"] as const).find(
    (visibility) => visibility === body.visibility,
  );
  if (!visibility) throw createValueError("visibility", String(body.visibility));
  const commentary = String(body.commentary).slice(0, COMMENTARY);
  const twin = world.posts.find((other) => other.author === c.get("account").sub && other.commentary === commentary);
  if (twin) throw duplicate(twin);
  const post: Post = {
    id: `urn:li:share:${createNextId(world)}`,
    author: c.get("account").sub,
    commentary,
    visibility,
    article: parseArticle(body.content),
    publishedAt: provider.timestamp(),
    comments: [],
    reactions: [],
  };
  world.posts.unshift(post);
  provider.save();
  return c.body(null, 201, { "x-restli-id": post.id, "x-linkedin-id": post.id });
}

function list(c: Context<LinkedinEnv>) {
  requireScope(c, "r_member_social", "partnerApiPostsExternal.FINDER-author");
  if (c.req.query("q") !== "author") throw linkedinError(400, "ILLEGAL_ARGUMENT", "Only the finder author is known");
  requireSelf(c, c.req.query("author"), "author");
  const [start, count] = [Number(c.req.query("start") ?? 0), Math.min(100, Number(c.req.query("count") ?? 10))];
  const ownPosts = c.get("world").posts.filter(({ author }) => author === c.get("account").sub);
  ownPosts.sort((a, b) => b.publishedAt.localeCompare(a.publishedAt));
  const elements = ownPosts.slice(start, start + count).map(toPostView);
  return c.json({ paging: { start, count, links: [], total: ownPosts.length }, elements });
}

function requireOwn(c: Context<LinkedinEnv>, resource: string): Post {
  const post = findPost(c, c.req.param("urn") ?? "");
  if (post.author !== c.get("account").sub) throw forbiddenError(resource);
  return post;
}

function toPostView(post: Post) {
  const time = Date.parse(post.publishedAt);
  return {
    id: post.id,
    author: getAuthor(post),
    commentary: post.commentary,
    visibility: post.visibility,
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    ...(post.article ? { content: { article: post.article } } : {}),
    lifecycleState: "PUBLISHED",
    lifecycleStateInfo: { isEditedByAuthor: false },
    isReshareDisabledByAuthor: false,
    createdAt: time,
    publishedAt: time,
    lastModifiedAt: time,
  };
}

function parseArticle(content: unknown): Post["article"] {
  const article = (content as { article?: { source?: unknown; title?: unknown } } | undefined)?.article;
  if (!article) return null;
  if (typeof article.source !== "string" || !URL.canParse(article.source))
    throw createValueError("content/article/source", String(article.source));
  if (typeof article.title !== "string" || article.title === "") throw createMissingError("content/article/title");
  return { source: article.source, title: article.title };
}

function getAuthor({ author }: Post): string {
  return `urn:li:person:${author}`;
}

function createMissingError(field: string): ApiError {
  return invalid(
    `/${field} :: field is required but not found and has no default value`,
    "MISSING_REQUIRED_FIELD",
    field,
  );
}

function createValueError(field: string, value: string): ApiError {
  return invalid(`/${field} :: "${value}" is not a value of this field`, "INVALID_VALUE_FOR_FIELD", field);
}

function duplicate({ id }: Post): ApiError {
  return invalid(`Content is a duplicate of ${id}`, "DUPLICATE_POST", "commentary");
}

function invalid(message: string, code: string, fieldPath: string): ApiError {
  return linkedinError(422, "UNPROCESSABLE_ENTITY", message, {
    errorDetailType: "com.linkedin.common.error.BadRequest",
    errorDetails: { inputErrors: [{ description: message, code, input: { inputPath: { fieldPath } } }] },
  });
}

/**
 * Returns the visible text of a commentary in the "little" format: without escapes, with mentions and hashtags as text.
 * Like LinkedIn, it stops at a reserved character that is neither escaped nor part of such an element. Source:
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format
 */
export function parseLittle(commentary: string): string {
  let text = "";
  let remaining = commentary;
  while (remaining !== "") {
    const match = ELEMENTS.map((element) => element.exec(remaining)).find(Boolean);
    if (!match) return text;
    text += match[1] ?? match[0];
    remaining = remaining.slice(match[0].length);
  }
  return text;
}

/** Plain text, an escaped character, a hashtag, a mention, or a hashtag template, each with its visible text. */
const ELEMENTS = [
  /^[^\\|{}@[\]()<>#*_~]+/u,
  /^\\([\\|{}@[\]()<>#*_~])/u,
  /^#[\p{L}\p{N}]+/u,
  /^@\[((?:[^\]\\]|\\.)*)\]\(urn:li:\w+:[\w-]+\)/u,
  /^\{hashtag\|\\?(#[^}|]*)\}/u,
];
