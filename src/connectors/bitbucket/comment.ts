import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import {
  buildPullRequestPath,
  buildPullRequestUrl,
  describePullRequest,
  formatRepository,
  formatRepositoryPlace,
  parseRepository,
} from "./pull-request.ts";

const Input = z.object({
  repository: withDescription(z.string(), "Name of the repository."),
  id: withDescription(z.coerce.number().check(z.int(), z.minimum(1)), "Number of the pull request, such as 12."),
  text: withDescription(z.string(), "The comment, as text or Markdown."),
});
type Input = z.output<typeof Input>;

const Comment = z.looseObject({
  id: z.number(),
  links: z.nullish(z.looseObject({ html: z.nullish(z.looseObject({ href: z.nullish(z.string()) })) })),
});

/**
 * Source: Bitbucket Cloud REST 2.0, POST …/pullrequests/{id}/comments, with Markdown text. It requires no more than
 * reading does: scope `pullrequest`.
 */
export const addCommentTool = defineTool({
  name: "bitbucket.comment",
  description: "Comment on a Bitbucket pull request.",
  access: "write",
  input: Input,
  examples: [
    "comment on the bitbucket pull request {id} in {repository}: {text}",
    "comment on pull request {id} of {repository} in bitbucket: {text}",
    "add a comment to the bitbucket PR {id} in {repository}: {text}",
  ],
  summary: ({ repository, id, text }: Input) =>
    `Comment on pull request #${id} in ${formatRepository(repository)}: ${quoteText(text, 500)}`,
  resource: ({ repository }: Input) => formatRepositoryPlace(repository),
  object: ({ id }: Input) => `pull request ${id}`,
  describeTarget: (input, context) => describePullRequest(input, context),
  async run(input, context) {
    const raw = input.text.trim();
    if (raw === "")
      throw new Problem("INVALID_REQUEST", "The comment must not be empty.", { details: { field: "text" } });
    const repository = parseRepository(input.repository, context);
    const made = await context.http.request({
      method: "POST",
      path: `${buildPullRequestPath(repository, input.id)}/comments`,
      body: { content: { raw } },
      answer: Comment,
      scope: "pullrequest",
    });
    const url = made.links?.html?.href ?? buildPullRequestUrl({ id: input.id }, repository);
    const data = { comment: made.id, pull_request: input.id, repository: repository.slug, url };
    return { data, text: `Commented on #${input.id} in ${escapeCell(repository.slug)}.\n\n${url}`, url };
  },
});
