import * as z from "zod/mini";
import { requireTitle } from "../input-text.ts";
import { escapeCell, quoteText, toOneLine } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import {
  buildPullRequestUrl,
  buildRepositoryPath,
  formatRepository,
  formatRepositoryPlace,
  PullRequest,
  parseRepository,
  REPOSITORY_FIELD,
  toPullRequestData,
} from "./pull-request.ts";

const Input = z.object({
  repository: REPOSITORY_FIELD,
  source: withDescription(z.string(), "Source branch, such as feature/login."),
  title: withDescription(z.string(), "Title of the pull request, in one line."),
  destination: withDescription(z.optional(z.string()), "Destination branch. Default: the main branch."),
  description: withDescription(z.optional(z.string()), "Description, as text or Markdown."),
  close_source_branch: withDescription(z.optional(z.boolean()), "Whether to delete the source branch after the merge."),
});
type Input = z.output<typeof Input>;

/** Source: Bitbucket Cloud REST 2.0, POST /2.0/repositories/{workspace}/{repo_slug}/pullrequests. */
export const createPullRequestTool = defineTool({
  name: "bitbucket.create_pull_request",
  description: "Open a pull request in a Bitbucket repository for a pushed branch.",
  access: "write",
  input: Input,
  examples: [
    "create a bitbucket pull request in {repository} from {source}: {title}",
    "create a pull request in {repository} from {source} called {title}",
    "create a pull request in {repository} from {source} to {destination}: {title}",
    "open a pull request in {repository} from {source}: {title}",
    "open a PR in {repository} from {source} into {destination}: {title}",
  ],
  summary: describeCall,
  resource: ({ repository }) => formatRepositoryPlace(repository),
  async run(input, context) {
    const title = requireTitle(input.title, "A pull request");
    const source = requireTitle(input.source, "A pull request", { noun: "source branch", field: "source" });
    const repository = parseRepository(input.repository, context);
    const pull = await context.http.request({
      method: "POST",
      path: `${buildRepositoryPath(repository)}/pullrequests`,
      body: {
        title,
        source: { branch: { name: source } },
        ...(input.destination?.trim() ? { destination: { branch: { name: input.destination.trim() } } } : {}),
        ...(input.description?.trim() ? { description: input.description.trim() } : {}),
        ...(input.close_source_branch === undefined ? {} : { close_source_branch: input.close_source_branch }),
      },
      answer: PullRequest,
      scope: "pullrequest:write",
    });
    const url = buildPullRequestUrl(pull, repository);
    const text = `Opened #${pull.id} in ${escapeCell(repository.slug)}: ${escapeCell(pull.title)}\n\n${url}`;
    return { data: toPullRequestData(pull, repository), text, url };
  },
});

function describeCall(input: Input): string {
  const branches = `${toOneLine(input.source)} → ${input.destination?.trim() ? toOneLine(input.destination) : "the main branch"}`;
  const says = input.description?.trim() ? `: ${quoteText(input.description, 300)}` : "";
  const closes = input.close_source_branch ? ", deletes the source branch after the merge" : "";
  return `Open a pull request in ${formatRepository(input.repository)}, ${branches}${closes}: “${toOneLine(input.title)}”${says}`;
}
