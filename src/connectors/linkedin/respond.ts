import * as z from "zod/mini";
import { truncateText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import {
  buildPostUrl,
  COMMENT_LIMIT,
  checkTextLength,
  formatPost,
  formatPostPlace,
  getAuthor,
  POST_FIELD,
  POSTING_SCOPES,
  parsePostUrn,
  VERSION_HEADERS,
} from "./post.ts";

const CommentInput = z.object({
  post: POST_FIELD,
  text: withDescription(z.string(), "The comment, at most 1,250 characters."),
});

const CommentId = z.string().check(z.minLength(1));

/**
 * Source: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api. Comments are
 * plain text, not in "little" format.
 */
export const addCommentTool = defineTool({
  name: "linkedin.comment",
  description: "Comment on a LinkedIn post in your name.",
  access: "write",
  input: CommentInput,
  examples: [
    "comment on the linkedin post {post}: {text}",
    "comment on {post}: {text}",
    "comment {text} on the linkedin post {post}",
    "reply to the linkedin post {post}: {text}",
  ],
  summary: ({ post, text }) =>
    `Comment on the LinkedIn post ${formatPost(post)}: “${truncateText(text.trim(), COMMENT_LIMIT)}”`,
  resource: ({ post }) => formatPostPlace(post),
  async run(input, context) {
    const post = parsePostUrn(input.post);
    const text = checkTextLength(input.text, COMMENT_LIMIT, "comment");
    const id = await context.http.request({
      method: "POST",
      path: `/rest/socialActions/${encodeURIComponent(post)}/comments`,
      headers: VERSION_HEADERS,
      body: { actor: getAuthor(context), object: post, message: { text } },
      answer: CommentId,
      answerHeader: "x-restli-id",
      scope: POSTING_SCOPES,
    });
    const url = buildPostUrl(context, post);
    return { data: { post, comment: id, url }, text: `Commented on the LinkedIn post.\n\n${url}`, url };
  },
});

/** LinkedIn's API names for the reactions that users see. */
const REACTIONS = {
  like: "LIKE",
  celebrate: "PRAISE",
  support: "APPRECIATION",
  love: "EMPATHY",
  insightful: "INTEREST",
  funny: "ENTERTAINMENT",
} as const;

const ReactInput = z.object({
  post: POST_FIELD,
  reaction: withDescription(
    z.optional(z.enum(["like", "celebrate", "support", "love", "insightful", "funny"])),
    "like (default), celebrate, support, love, insightful or funny.",
  ),
});

/**
 * Source: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/reactions-api. Returns 201,
 * or 409 for a repeated reaction.
 */
export const addReactionTool = defineTool({
  name: "linkedin.react",
  description: "React to a LinkedIn post in your name: like it, celebrate it, support it.",
  access: "write",
  input: ReactInput,
  examples: [
    "like the linkedin post {post}",
    "like {post}",
    "react to the linkedin post {post} with {reaction}",
    "react with {reaction} to {post}",
    "celebrate the linkedin post {post}",
  ],
  summary: ({ post, reaction }) => `React to the LinkedIn post ${formatPost(post)} with “${reaction ?? "like"}”`,
  resource: ({ post }) => formatPostPlace(post),
  async run(input, context) {
    const post = parsePostUrn(input.post);
    const reaction = input.reaction ?? "like";
    await context.http.request({
      method: "POST",
      path: "/rest/reactions",
      query: { actor: getAuthor(context) },
      headers: VERSION_HEADERS,
      body: { root: post, reactionType: REACTIONS[reaction] },
      answer: z.unknown(),
      scope: POSTING_SCOPES,
    });
    const url = buildPostUrl(context, post);
    return { data: { post, reaction, url }, text: `Reacted to the LinkedIn post with “${reaction}”.\n\n${url}`, url };
  },
});
