import * as z from "zod/mini";
import { escapeCell } from "../markup/markdown.ts";
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
});
type Input = z.output<typeof Input>;

/** Source: Bitbucket Cloud REST 2.0, POST …/pullrequests/{id}/decline. A declined pull request cannot be reopened. */
export const declinePullRequestTool = defineTool({
  name: "bitbucket.decline_pull_request",
  description: "Decline an open Bitbucket pull request. It cannot be reopened.",
  access: "destructive",
  input: Input,
  examples: [
    "decline pull request {id} in {repository}",
    "decline PR {id} in {repository}",
    "reject pull request {id} in {repository}",
    "decline the bitbucket pull request {id} of {repository}",
  ],
  summary: ({ repository, id }: Input) => `Decline pull request #${id} in ${formatRepository(repository)} permanently`,
  resource: ({ repository, id }: Input) => narrowPlace(formatRepositoryPlace(repository), `pull request ${id}`),
  describeTarget: (input, context) => describePullRequest(input, context),
  async run(input, context) {
    const repository = parseRepository(input.repository, context);
    const pull = await context.http.request({
      method: "POST",
      path: `${buildPullRequestPath(repository, input.id)}/decline`,
      answer: PullRequest,
      scope: "pullrequest:write",
    });
    const url = buildPullRequestUrl(pull, repository);
    const text = `Declined #${pull.id} ${escapeCell(pull.title)}.\n\n${url}`;
    return { data: toPullRequestData(pull, repository), text, url };
  },
});
