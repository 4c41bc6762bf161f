import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell } from "../markdown.ts";
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
});
type Input = z.output<typeof Input>;

/** Source: Bitbucket Cloud REST 2.0, POST …/pullrequests/{id}/decline. What was declined cannot be opened again. */
export const declinePullRequest = defineTool({
  name: "bitbucket.decline_pull_request",
  description: "Decline an open Bitbucket pull request; it cannot be opened again.",
  access: "destructive",
  input: Input,
  examples: [
    "decline pull request {id} in {repository}",
    "decline PR {id} in {repository}",
    "reject pull request {id} in {repository}",
    "decline the bitbucket pull request {id} of {repository}",
  ],
  summary: ({ repository, id }: Input) => `Decline pull request #${id} in ${shownRepository(repository)} for good`,
  resource: ({ repository }: Input) => inRepository(repository),
  async run(input, context) {
    const repository = repositoryOf(input.repository, context);
    const pull = await context.http.request({
      method: "POST",
      path: `${pullRequestPath(repository, input.id)}/decline`,
      answer: PullRequest,
      scope: "pullrequest:write",
    });
    const url = pullRequestUrl(pull, repository);
    const text = `Declined #${pull.id} ${cell(pull.title)}.\n\n${url}`;
    return { data: pullRequestData(pull, repository), text, url };
  },
});
