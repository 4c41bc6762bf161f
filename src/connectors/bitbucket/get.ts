import * as z from "zod/mini";
import { escapeCell, truncateText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import {
  buildPullRequestUrl,
  buildRepositoryPath,
  getPersonName,
  listApprovers,
  PullRequest,
  parseRepository,
  type Repository,
  toPullRequestData,
} from "./pull-request.ts";

const Input = z.object({
  repository: withDescription(z.string(), "Name of the repository."),
  id: withDescription(z.coerce.number().check(z.int(), z.minimum(1)), "Number of the pull request, such as 12."),
});
type Input = z.output<typeof Input>;

/** Longest description shown to the user and the model, in characters. */
const MAX_DESCRIPTION_LENGTH = 4_000;

/** Source: Bitbucket Cloud REST 2.0, GET /2.0/repositories/{workspace}/{repo_slug}/pullrequests/{id}. */
export const getPullRequestTool = defineTool({
  name: "bitbucket.get_pull_request",
  description: "Read one Bitbucket pull request: its state, branches, approvals and description.",
  access: "read",
  input: Input,
  examples: [
    "show pull request {id} in {repository}",
    "show PR {id} of {repository}",
    "what is pull request {id} in {repository} about",
    "is pull request {id} in {repository} approved",
    "who approved pull request {id} in {repository}",
  ],
  summary: ({ repository, id }: Input) => `Read pull request #${id} in ${repository.trim()}`,
  async run(input, context) {
    const repository = parseRepository(input.repository, context);
    const pull = await context.http.request({
      path: `${buildRepositoryPath(repository)}/pullrequests/${input.id}`,
      answer: PullRequest,
      scope: "pullrequest",
    });
    const description = truncateText(pull.description?.trim() ?? "", MAX_DESCRIPTION_LENGTH);
    const data = { ...toPullRequestData(pull, repository), description, approved_by: listApprovers(pull) };
    return { data, text: formatPullRequest(pull, repository, description), url: buildPullRequestUrl(pull, repository) };
  },
});

function formatPullRequest(pull: PullRequest, repository: Repository, description: string): string {
  const approved = listApprovers(pull);
  const facts: [string, string][] = [
    ["State", `${pull.state.toLowerCase()}${pull.draft ? ", draft" : ""}`],
    ["Repository", repository.slug],
    ["Author", getPersonName(pull.author)],
    ["Branches", `${pull.source?.branch?.name ?? "?"} → ${pull.destination?.branch?.name ?? "?"}`],
    ["Approved by", approved.length > 0 ? approved.join(", ") : "no one yet"],
    ["Comments", String(pull.comment_count ?? 0)],
    ["Updated", pull.updated_on?.slice(0, 10) ?? "unknown"],
  ];
  const lines = facts.map(([name, value]) => `- ${name}: ${escapeCell(value)}`).join("\n");
  return [`**#${pull.id}** ${escapeCell(pull.title)}`, lines, description].filter(Boolean).join("\n\n");
}
