import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { excerpt } from "../markdown.ts";
import { defineTool } from "../service.ts";
import { detailText, LONGEST } from "./issue.ts";
import { allPages, PAGE } from "./paging.ts";
import { branches, PullRequest, pullRequestData, pullState, Review, reviewers, verdicts } from "./pull-request.ts";
import { apiPath, findRepository, fullName, repositoryPath } from "./repository.ts";

const Input = z.object({
  repository: describe(z.string(), "Repository as owner/name, or its name alone."),
  number: describe(z.coerce.number().check(z.int(), z.minimum(1)), "Number of the pull request, such as 12."),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.github.com/en/rest/pulls/pulls, "Get a pull request", and …/pulls/reviews. */
export const getPullRequest = defineTool({
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
  summary: ({ repository, number }: Input) => `Read pull request #${number} in ${repositoryPath(repository)}`,
  async run(input, context) {
    const repository = await findRepository(context, input.repository);
    const path = `${apiPath(repository)}/pulls/${input.number}`;
    const pull = await context.http.request({ path, answer: PullRequest, scope: "repo" });
    const request = { path: `${path}/reviews`, query: { per_page: PAGE }, scope: "repo" };
    const reviews = await allPages(context.http, request, Review, { limit: 3 * PAGE });
    const { approved, changes } = verdicts(reviews.values);
    const description = excerpt(pull.body?.trim() ?? "", LONGEST);
    const facts: [string, string | undefined][] = [
      ["State", pullState(pull)],
      ["Repository", fullName(repository)],
      ["Author", pull.user?.login ?? undefined],
      ["Branches", branches(pull)],
      ["Approved by", approved.join(", ") || "nobody yet"],
      ["Changes requested by", changes.join(", ")],
      ["Waiting for", reviewers(pull).join(", ")],
      ["Changes", sizeOf(pull)],
      ["Updated", pull.updated_at?.slice(0, 10)],
    ];
    return {
      data: {
        ...pullRequestData(pull, fullName(repository)),
        approved_by: approved,
        changes_requested_by: changes,
        comments: pull.comments ?? 0,
        additions: pull.additions ?? undefined,
        deletions: pull.deletions ?? undefined,
        description,
      },
      text: detailText(pull, facts, description),
      url: pull.html_url,
    };
  },
});

function sizeOf({ additions, deletions, changed_files: files }: PullRequest): string | undefined {
  if (additions === null || additions === undefined) return undefined;
  return `+${additions} −${deletions ?? 0} in ${files ?? 0} ${files === 1 ? "file" : "files"}`;
}
