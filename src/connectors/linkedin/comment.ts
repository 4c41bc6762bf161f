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
  POSTING_SCOPES,
  parsePostUrn,
  VERSION_HEADERS,
} from "./post.ts";

const Input = z.object({
  post: withDescription(z.string(), "URL of the post, or its ID such as urn:li:share:7012345678901234567."),
  text: withDescription(z.string(), "The comment, at most 1,250 characters."),
});
type Input = z.output<typeof Input>;

const Created = z.string().check(z.minLength(1));

/**
 * Source: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api. Comments are
 * plain text, not in "little" format.
 */
export const addCommentTool = defineTool({
  name: "linkedin.comment",
  description: "Comment on a LinkedIn post in your name.",
  access: "write",
  input: Input,
  examples: [
    "comment on the linkedin post {post}: {text}",
    "comment on {post}: {text}",
    "comment {text} on the linkedin post {post}",
    "reply to the linkedin post {post}: {text}",
  ],
  summary: ({ post, text }: Input) =>
    `Comment on the LinkedIn post ${formatPost(post)}: “${truncateText(text.trim(), COMMENT_LIMIT)}”`,
  resource: ({ post }: Input) => formatPostPlace(post),
  async run(input, context) {
    const post = parsePostUrn(input.post);
    const text = checkTextLength(input.text, COMMENT_LIMIT, "comment");
    const id = await context.http.request({
      method: "POST",
      path: `/rest/socialActions/${encodeURIComponent(post)}/comments`,
      headers: VERSION_HEADERS,
      body: { actor: getAuthor(context), object: post, message: { text } },
      answer: Created,
      answerHeader: "x-restli-id",
      scope: POSTING_SCOPES,
    });
    const url = buildPostUrl(context, post);
    return { data: { post, comment: id, url }, text: `Commented on the LinkedIn post.\n\n${url}`, url };
  },
});
