import * as z from "zod/mini";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { narrowPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import {
  buildPullRequestPath,
  buildPullRequestUrl,
  describePullRequest,
  formatRepository,
  formatRepositoryPlace,
  PullRequest,
  parseRepository,
  toPullRequestData,
} from "./pull-request.ts";

const Input = z.object({
  repository: withDescription(z.string(), "Name of the repository."),
  id: withDescription(z.coerce.number().check(z.int(), z.minimum(1)), "Number of the pull request, such as 12."),
  strategy: withDescription(
    z.optional(z.enum(["merge_commit", "squash", "fast_forward"])),
    "merge_commit, squash or fast_forward. Default: the repository's setting.",
  ),
  message: withDescription(z.optional(z.string()), "Commit message. Default: Bitbucket's message."),
  close_source_branch: withDescription(
    z.optional(z.boolean()),
    "Whether to delete the source branch. Default: as chosen when the pull request was opened.",
  ),
});
type Input = z.output<typeof Input>;

/**
 * Source: Bitbucket Cloud REST 2.0, POST …/pullrequests/{id}/merge. A merge cannot be undone, only reverted by another
 * commit. The service reports checks and conflicts that prevent it.
 */
export const mergePullRequestTool = defineTool({
  name: "bitbucket.merge_pull_request",
  description: "Merge an open Bitbucket pull request into its destination branch.",
  access: "destructive",
  input: Input,
  examples: [
    "merge pull request {id} in {repository}",
    "merge PR {id} in {repository}",
    "merge the bitbucket pull request {id} of {repository}",
    "merge PR {id} of {repository} with {strategy}",
  ],
  summary: ({ repository, id, strategy, message, close_source_branch: closes }: Input) =>
    [
      `Merge pull request #${id} in ${formatRepository(repository)}`,
      strategy ? ` (${strategy.replace("_", " ")})` : "",
      closes ? " and delete its branch" : "",
      message?.trim() ? `: ${quoteText(message, 300)}` : "",
    ].join(""),
  resource: ({ repository, id }: Input) => narrowPlace(formatRepositoryPlace(repository), `pull request ${id}`),
  describeTarget: (input, context) => describePullRequest(input, context),
  async run(input, context) {
    const repository = parseRepository(input.repository, context);
    const pull = await context.http.request({
      method: "POST",
      path: `${buildPullRequestPath(repository, input.id)}/merge`,
      body: {
        type: "pullrequest_merge_parameters",
        ...(input.strategy ? { merge_strategy: input.strategy } : {}),
        ...(input.message?.trim() ? { message: input.message.trim() } : {}),
        ...(input.close_source_branch === undefined ? {} : { close_source_branch: input.close_source_branch }),
      },
      answer: PullRequest,
      scope: "pullrequest:write",
    });
    const url = buildPullRequestUrl(pull, repository);
    const into = pull.destination?.branch?.name ?? "its destination";
    const text = `Merged #${pull.id} ${escapeCell(pull.title)} into ${escapeCell(into)}.\n\n${url}`;
    return { data: toPullRequestData(pull, repository), text, url };
  },
});
