import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell, excerpt } from "../markdown.ts";
import { defineTool } from "../service.ts";
import {
  inRepository,
  PullRequest,
  pullRequestData,
  pullRequestPath,
  pullRequestUrl,
  repositoryOf,
  shownRepository,
} from "./pull-request.ts";

const Input = z.object({
  repository: describe(z.string(), "Name of the repository."),
  id: describe(z.coerce.number().check(z.int(), z.minimum(1)), "Number of the pull request, such as 12."),
  strategy: describe(
    z.optional(z.enum(["merge_commit", "squash", "fast_forward"])),
    "merge_commit, squash or fast_forward; what the repository has chosen when left out.",
  ),
  message: describe(z.optional(z.string()), "Message of the commit; Bitbucket's own when left out."),
  close_source_branch: describe(
    z.optional(z.boolean()),
    "Whether the branch goes; as it was said when the pull request was opened when left out.",
  ),
});
type Input = z.output<typeof Input>;

/**
 * Source: Bitbucket Cloud REST 2.0, POST …/pullrequests/{id}/merge. A merge is not undone: what takes it back is another commit. Checks and
 * conflicts that forbid it are told by the service.
 */
export const mergePullRequest = defineTool({
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
      `Merge pull request #${id} in ${shownRepository(repository)}`,
      strategy ? ` (${strategy.replace("_", " ")})` : "",
      closes ? " and remove its branch" : "",
      message?.trim() ? `: “${excerpt(cell(message), 300)}”` : "",
    ].join(""),
  resource: ({ repository }: Input) => inRepository(repository),
  async run(input, context) {
    const repository = repositoryOf(input.repository, context);
    const pull = await context.http.request({
      method: "POST",
      path: `${pullRequestPath(repository, input.id)}/merge`,
      body: {
        type: "pullrequest_merge_parameters",
        ...(input.strategy ? { merge_strategy: input.strategy } : {}),
        ...(input.message?.trim() ? { message: input.message.trim() } : {}),
        ...(input.close_source_branch === undefined ? {} : { close_source_branch: input.close_source_branch }),
      },
      answer: PullRequest,
      scope: "pullrequest:write",
    });
    const url = pullRequestUrl(pull, repository);
    const into = pull.destination?.branch?.name ?? "its destination";
    const text = `Merged #${pull.id} ${cell(pull.title)} into ${cell(into)}.\n\n${url}`;
    return { data: pullRequestData(pull, repository), text, url };
  },
});
