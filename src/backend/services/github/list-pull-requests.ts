import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell } from "../markdown.ts";
import { defineTool, type ToolContext, type ToolResult } from "../service.ts";
import { issueData, issueTable } from "./issue.ts";
import { allPages, PAGE } from "./paging.ts";
import { PullRequest, pullRequestData, pullRequestTable } from "./pull-request.ts";
import { apiPath, findRepository, fullName, repositoryPath } from "./repository.ts";
import { searchIssues } from "./search-issues.ts";

const Input = z.object({
  repository: describe(
    z.optional(z.string()),
    "Repository as owner/name, or its name alone; all that concern the account when left out.",
  ),
  state: describe(z.optional(z.string()), '"open" (default), "merged", "closed" or "all".'),
  limit: describe(z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(100))), "At most so many; 20."),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.github.com/en/rest/pulls/pulls, "List pull requests"; without a repository, the search. */
export const listPullRequests = defineTool({
  name: "github.list_pull_requests",
  description: "List pull requests of a GitHub repository, or those on GitHub that concern this account.",
  access: "read",
  input: Input,
  examples: [
    "list github pull requests in {repository}",
    "show open github PRs in {repository}",
    "list my github pull requests",
    "show my open pull requests",
    "show my PRs",
    "which pull requests are open on github",
    "list the {state} github pull requests in {repository}",
  ],
  summary: (input: Input) => `List ${words(input)}`,
  run: async (input, context) =>
    input.repository?.trim() ? ofRepository(input.repository, input, context) : everywhere(input, context),
});

async function ofRepository(text: string, input: Input, context: ToolContext): Promise<ToolResult> {
  const limit = input.limit ?? 20;
  const state = stateOf(input.state);
  const repository = await findRepository(context, text);
  const name = fullName(repository);
  const query = {
    state: state === "merged" ? "closed" : state,
    sort: "updated",
    direction: "desc",
    per_page: Math.min(PAGE, state === "merged" ? limit * 2 : limit),
  };
  const { values, more } = await allPages(
    context.http,
    { path: `${apiPath(repository)}/pulls`, query, scope: "repo" },
    PullRequest,
    { limit, counts: ({ merged_at }) => state !== "merged" || Boolean(merged_at) },
  );
  return {
    data: { pull_requests: values.map((pull) => pullRequestData(pull, name)), more },
    text: resultText(values.length, more, input, () => pullRequestTable(values, name)),
    url: `${context.metadata.url}/${name}/pulls`,
  };
}

async function everywhere(input: Input, context: ToolContext): Promise<ToolResult> {
  const state = stateOf(input.state);
  const query = ["is:pr", state === "all" ? "" : `is:${state}`, "involves:@me"].filter(Boolean).join(" ");
  const { issues, total } = await searchIssues(context, query, input.limit ?? 20);
  const more = total > issues.length;
  return {
    data: { pull_requests: issues.map(issueData), more },
    text: resultText(issues.length, more, input, () => issueTable(issues)),
    url: `${context.metadata.url}/pulls`,
  };
}

function resultText(number: number, more: boolean, input: Input, table: () => string): string {
  const what = cell(words(input, number));
  if (number === 0) return `No ${what}.`;
  return `${more ? `The first ${number} ${what}; there are more:` : `${number} ${what}:`}\n\n${table()}`;
}

function stateOf(word: string | undefined): "open" | "merged" | "closed" | "all" {
  const state = word?.trim().toLowerCase() ?? "open";
  if (/^(all|any|every)$/.test(state)) return "all";
  if (/^(merged|done|accepted)$/.test(state)) return "merged";
  return /^(closed|declined|rejected)$/.test(state) ? "closed" : "open";
}

function words({ repository, state }: Input, number = 2): string {
  const which = stateOf(state) === "all" ? "" : `${stateOf(state)} `;
  const where = repository?.trim()
    ? `in ${repositoryPath(repository)}`
    : `on GitHub that concern${number === 1 ? "s" : ""} you`;
  return `${which}pull request${number === 1 ? "" : "s"} ${where}`;
}
