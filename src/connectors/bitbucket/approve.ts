import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { narrowPlace } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
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
});
type Input = z.output<typeof Input>;

/** Source: Bitbucket Cloud REST 2.0, POST …/pullrequests/{id}/approve; 409 means that it was already approved. */
export const approvePullRequestTool = defineTool({
  name: "bitbucket.approve_pull_request",
  description: "Approve a Bitbucket pull request.",
  access: "write",
  input: Input,
  examples: [
    "approve pull request {id} in {repository}",
    "approve PR {id} in {repository}",
    "approve the bitbucket pull request {id} of {repository}",
  ],
  summary: ({ repository, id }: Input) => `Approve pull request #${id} in ${formatRepository(repository)}`,
  resource: ({ repository, id }: Input) => narrowPlace(formatRepositoryPlace(repository), `pull request ${id}`),
  describeTarget: (input, context) => describePullRequest(input, context),
  async run(input, context) {
    const repository = parseRepository(input.repository, context);
    const changed = await approvePullRequest(`${buildPullRequestPath(repository, input.id)}/approve`, context);
    const url = buildPullRequestUrl({ id: input.id }, repository);
    const what = `#${input.id} in ${escapeCell(repository.slug)}`;
    const text = changed ? `Approved ${what}.` : `You had already approved ${what}.`;
    const data = { pull_request: input.id, repository: repository.slug, approved: true, changed, url };
    return { data, text: `${text}\n\n${url}`, url };
  },
});

/** Approves a pull request. Returns false if it was already approved. */
async function approvePullRequest(path: string, { http }: ToolContext): Promise<boolean> {
  try {
    await http.request({ method: "POST", path, answer: z.unknown(), scope: "pullrequest:write" });
    return true;
  } catch (error) {
    if (error instanceof Problem && error.details.service_status === 409) return false;
    throw error;
  }
}
