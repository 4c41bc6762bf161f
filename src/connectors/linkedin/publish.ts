import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { truncateText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import {
  buildPostUrl,
  checkTextLength,
  formatPost,
  getAuthor,
  POST_FIELD,
  POST_LIMIT,
  POSTING_SCOPES,
  parsePostUrn,
  toLittleText,
  VERSION_HEADERS,
} from "./post.ts";

const CreatePostInput = z.object({
  text: withDescription(z.string(), "Text of the post, at most 3,000 characters. # begins a hashtag."),
  link: withDescription(z.optional(z.string()), "URL of a page to share, such as https://example.com/news."),
  link_title: withDescription(z.optional(z.string()), "Title of the shared page. Default: its host."),
  visibility: withDescription(
    z.optional(z.enum(["public", "connections"])),
    "Audience: public (default) or connections.",
  ),
});
type CreatePostInput = z.output<typeof CreatePostInput>;

/** LinkedIn returns the new ID in a header; the body is empty. */
const PostId = z.string().check(z.regex(/^urn:li:(share|ugcPost):\d+$/));

/**
 * Source: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api, POST /rest/posts.
 */
export const createPostTool = defineTool({
  name: "linkedin.create_post",
  description:
    "Publish a post on LinkedIn in your name, optionally with a link, for everyone or your connections. LinkedIn offers apps no search for people and no reading of posts.",
  access: "write",
  input: CreatePostInput,
  examples: [
    "post on linkedin: {text}",
    "post to linkedin: {text}",
    "post {text} on linkedin",
    "post to my connections on linkedin: {text}",
    "publish a linkedin post: {text}",
    "linkedin post: {text}",
    "publish a post on linkedin saying {text}",
    "share {link} on linkedin: {text}",
    "write a linkedin post: {text}",
    "create a linkedin post: {text}",
    "share on linkedin: {text}",
    "share this on linkedin: {text}",
  ],
  summary: ({ text, link, visibility }) =>
    `Post on LinkedIn for ${visibility === "connections" ? "your connections" : "everybody"}: “${truncateText(text.trim(), POST_LIMIT)}”${
      link?.trim() ? ` with the link ${link.trim()}` : ""
    }`,
  resource: ({ visibility }) => (visibility === "connections" ? "for your connections" : "for everybody"),
  chooseMode: ({ visibility }) => (visibility === "connections" ? undefined : "confirm_before_execution"),
  async run(input, context) {
    const text = checkTextLength(input.text, POST_LIMIT, "post");
    const body = {
      author: getAuthor(context),
      commentary: toLittleText(text),
      visibility: input.visibility === "connections" ? "CONNECTIONS" : "PUBLIC",
      distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
      ...buildArticle(input),
      lifecycleState: "PUBLISHED",
      isReshareDisabledByAuthor: false,
    };
    const post = await context.http.request({
      method: "POST",
      path: "/rest/posts",
      headers: VERSION_HEADERS,
      body,
      answer: PostId,
      answerHeader: "x-restli-id",
      scope: POSTING_SCOPES,
    });
    const url = buildPostUrl(context, post);
    return { data: { post, url }, text: `Posted on LinkedIn.\n\n${url}`, url };
  },
});

/** Builds the shared page. LinkedIn does not fetch it and requires a title. */
function buildArticle({ link, link_title }: CreatePostInput): {
  content?: { article: { source: string; title: string } };
} {
  const source = link?.trim();
  if (!source) return {};
  const url = URL.canParse(source) ? new URL(source) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Problem("INVALID_REQUEST", `“${source}” is not the URL of a page.`, {
      hint: "Start the URL with https://.",
      details: { field: "link" },
    });
  }
  return { content: { article: { source: url.href, title: link_title?.trim() || url.host } } };
}

const DeletePostInput = z.object({
  post: POST_FIELD,
});

/** Source: Posts API, DELETE /rest/posts/{urn of a share or ugcPost}; returns 204. */
export const deletePostTool = defineTool({
  name: "linkedin.delete_post",
  description: "Delete one of your LinkedIn posts for good, with its comments and reactions.",
  access: "destructive",
  input: DeletePostInput,
  examples: [
    "delete the linkedin post {post}",
    "delete my linkedin post {post}",
    "delete the post {post}",
    "remove the linkedin post {post}",
  ],
  summary: ({ post }) => `Delete the LinkedIn post ${formatPost(post)}`,
  async run(input, context) {
    const post = parsePostUrn(input.post);
    if (post.startsWith("urn:li:activity:")) {
      throw new Problem(
        "INVALID_REQUEST",
        "This URL contains the ID of an activity, but deleting a post requires the ID of the post.",
        {
          hint: "Use the URL that kay showed after posting, or delete the post in LinkedIn.",
          details: { field: "post" },
        },
      );
    }
    await context.http.request({
      method: "DELETE",
      path: `/rest/posts/${encodeURIComponent(post)}`,
      headers: { ...VERSION_HEADERS, "x-restli-method": "DELETE" },
      answer: z.unknown(),
      scope: POSTING_SCOPES,
    });
    return { data: { post, deleted: true }, text: `Deleted the LinkedIn post ${post}.` };
  },
});
