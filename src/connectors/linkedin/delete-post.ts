import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { defineTool, withDescription } from "../tool.ts";
import { formatPost, POSTING_SCOPES, parsePostUrn, VERSION_HEADERS } from "./post.ts";

const DeletePostInput = z.object({
  post: withDescription(z.string(), "URL of the post, or its ID such as urn:li:share:7012345678901234567."),
});
type DeletePostInput = z.output<typeof DeletePostInput>;

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
  summary: ({ post }: DeletePostInput) => `Delete the LinkedIn post ${formatPost(post)}`,
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
