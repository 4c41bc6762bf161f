import * as z from "zod/mini";
import { truncateText } from "../markup/markdown.ts";
import { defineTool } from "../tool.ts";
import { formatDetails, MAX_TEXT_LENGTH } from "./issue.ts";
import { MAX_PAGE_SIZE, readAllPages } from "./paging.ts";
import {
  formatBranches,
  formatPullState,
  listReviewers,
  listVerdicts,
  PullRequest,
  Review,
  toPullRequestData,
} from "./pull-request.ts";
import {
  buildApiPath,
  createNumberField,
  findRepository,
  formatFullName,
  parseRepositoryPath,
  REPOSITORY_FIELD,
} from "./repository.ts";

const Input = z.object({
  repository: REPOSITORY_FIELD,
  number: createNumberField("the pull request"),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.github.com/en/rest/pulls/pulls, "Get a pull request", and …/pulls/reviews. */
export const getPullRequestTool = defineTool({
  name: "github.get_pull_request",
  description: "Read one GitHub pull request: its state, branches, reviews and description.",
  access: "read",
  input: Input,
  examples: [
    "show github pull request {number} in {repository}",
    "show github PR {number} of {repository}",
    "what is github pull request {number} in {repository} about",
    "who approved github pull request {number} in {repository}",
  ],
  summary: ({ repository, number }: Input) => `Read pull request #${number} in ${parseRepositoryPath(repository)}`,
  async run(input, context) {
    const repository = await findRepository(context, input.repository);
    const path = `${buildApiPath(repository)}/pulls/${input.number}`;
    const pull = await context.http.request({ path, answer: PullRequest, scope: "repo" });
    const request = { path: `${path}/reviews`, query: { per_page: MAX_PAGE_SIZE }, scope: "repo" };
    const reviews = await readAllPages(context.http, request, Review, { limit: 3 * MAX_PAGE_SIZE });
    const { approved, changes } = listVerdicts(reviews.values);
    const description = truncateText(pull.body?.trim() ?? "", MAX_TEXT_LENGTH);
    const facts: [string, string | undefined][] = [
      ["State", formatPullState(pull)],
      ["Repository", formatFullName(repository)],
      ["Author", pull.user?.login ?? "someone"],
      ["Branches", formatBranches(pull)],
      ["Approved by", approved.join(", ") || "no one yet"],
      ["Changes requested by", changes.join(", ")],
      ["Waiting for", listReviewers(pull).join(", ")],
      ["Changes", getSize(pull)],
      ["Updated", pull.updated_at?.slice(0, 10)],
    ];
    return {
      data: {
        ...toPullRequestData(pull, formatFullName(repository)),
        approved_by: approved,
        changes_requested_by: changes,
        comments: pull.comments ?? 0,
        additions: pull.additions ?? undefined,
        deletions: pull.deletions ?? undefined,
        description,
      },
      text: formatDetails(pull, facts, description),
      url: pull.html_url,
    };
  },
});

function getSize({ additions, deletions, changed_files: files }: PullRequest): string | undefined {
  if (additions === null || additions === undefined) return undefined;
  return `+${additions} −${deletions ?? 0} in ${files ?? 0} ${files === 1 ? "file" : "files"}`;
}
