import * as z from "zod/mini";
import { defineTool, withDescription } from "../tool.ts";
import {
  buildPostUrl,
  formatPost,
  formatPostPlace,
  getAuthor,
  POSTING_SCOPES,
  parsePostUrn,
  VERSION_HEADERS,
} from "./post.ts";

/** LinkedIn's API names for the reactions that users see. */
const REACTIONS = {
  like: "LIKE",
  celebrate: "PRAISE",
  support: "APPRECIATION",
  love: "EMPATHY",
  insightful: "INTEREST",
  funny: "ENTERTAINMENT",
} as const;

const Input = z.object({
  post: withDescription(z.string(), "URL of the post, or its ID such as urn:li:share:7012345678901234567."),
  reaction: withDescription(
    z.optional(z.enum(["like", "celebrate", "support", "love", "insightful", "funny"])),
    "like (default), celebrate, support, love, insightful or funny.",
  ),
});
type Input = z.output<typeof Input>;

/**
 * Source: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/reactions-api. Returns 201,
 * or 409 for a repeated reaction.
 */
export const addReactionTool = defineTool({
  name: "linkedin.react",
  description: "React to a LinkedIn post in your name: like it, celebrate it, support it.",
  access: "write",
  input: Input,
  examples: [
    "like the linkedin post {post}",
    "like {post}",
    "react to the linkedin post {post} with {reaction}",
    "react with {reaction} to {post}",
    "celebrate the linkedin post {post}",
  ],
  summary: ({ post, reaction }: Input) => `React to the LinkedIn post ${formatPost(post)} with “${reaction ?? "like"}”`,
  resource: ({ post }: Input) => formatPostPlace(post),
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
