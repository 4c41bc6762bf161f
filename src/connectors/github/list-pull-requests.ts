import * as z from "zod/mini";
import type { ListRequest } from "../http/pages.ts";
import { createChoiceSchema, isMe } from "../input-text.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatNoun } from "../markup/markdown.ts";
import { type ToolContext, type ToolResult, withDescription } from "../tool.ts";
import { formatIssueTable, parseLogin, toIssueData } from "./issue.ts";
import { MAX_PAGE_SIZE, readAllPages } from "./paging.ts";
import { formatPullRequestTable, PullRequest, toPullRequestData } from "./pull-request.ts";
import { buildApiPath, findRepository, formatFullName, parseRepositoryPath } from "./repository.ts";
import { searchIssues } from "./search.ts";

const Input = z.object({
  repository: withDescription(
    z.optional(z.string()),
    "Repository as owner/name, or only its name. Default: all pull requests that involve the account.",
  ),
  author: withDescription(z.optional(z.string()), '"me" or a login: only pull requests that this account opened.'),
  state: withDescription(
    createChoiceSchema(["open", "merged", "closed", "all"], {
      any: "all",
      accepted: "merged",
      declined: "closed",
      rejected: "closed",
    }),
    "Default: open.",
  ),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.github.com/en/rest/pulls/pulls, "List pull requests"; without a repository, the search. */
export const listPullRequestsTool = defineListTool({
  name: "github.list_pull_requests",
  description: "List pull requests of a GitHub repository, or those on GitHub that involve this account.",
  input: Input,
  limit: { usual: 20, most: 100 },
  examples: [
    "list github pull requests in {repository}",
    "show open github PRs in {repository}",
    "list my github pull requests",
    "show my open pull requests",
    "show my PRs",
    "which pull requests are open on github",
    "list the {state} github pull requests in {repository}",
  ],
  summary: (input) => `List ${describeList(input)}`,
  run: async (input, context, list) =>
    input.repository?.trim()
      ? listRepositoryPullRequests(input.repository, input, context, list)
      : searchInvolvedPullRequests(input, context, list),
});

async function listRepositoryPullRequests(
  text: string,
  input: Input,
  context: ToolContext,
  list: ListRequest,
): Promise<ToolResult> {
  const state = input.state ?? "open";
  const repository = await findRepository(context, text);
  const name = formatFullName(repository);
  const author = input.author?.trim() ? parseLogin(input.author, context).toLowerCase() : undefined;
  const query = {
    state: state === "merged" ? "closed" : state,
    sort: "updated",
    direction: "desc",
    per_page: Math.min(MAX_PAGE_SIZE, state === "merged" ? list.limit * 2 : list.limit),
  };
  const { values, more } = await readAllPages(
    context.http,
    { path: `${buildApiPath(repository)}/pulls`, query, scope: "repo" },
    PullRequest,
    {
      limit: list,
      counts: ({ merged_at, user }) =>
        (state !== "merged" || Boolean(merged_at)) && (author === undefined || user?.login?.toLowerCase() === author),
    },
  );
  return {
    data: { pull_requests: values.map((pull) => toPullRequestData(pull, name)), more },
    text: formatResult(values.length, more, input, list, () => formatPullRequestTable(values, name)),
    url: `${context.metadata.url}/${name}/pulls`,
  };
}

async function searchInvolvedPullRequests(input: Input, context: ToolContext, list: ListRequest): Promise<ToolResult> {
  const state = input.state ?? "open";
  const author = input.author?.trim() ? parseLogin(input.author, context) : undefined;
  const query = ["is:pr", state === "all" ? "" : `is:${state}`, author ? `author:${author}` : "involves:@me"]
    .filter(Boolean)
    .join(" ");
  const { issues, more } = await searchIssues(context, query, list);
  return {
    data: { pull_requests: issues.map(toIssueData), more },
    text: formatResult(issues.length, more, input, list, () => formatIssueTable(issues)),
    url: `${context.metadata.url}/pulls`,
  };
}

function formatResult(count: number, more: boolean, input: Input, list: ListRequest, items: () => string): string {
  return formatList(list, { count, words: escapeCell(describeList(input, count)), more, items });
}

function describeList({ repository, state, author }: Input, number = 2): string {
  const which = state === "all" ? "" : `${state ?? "open"} `;
  const by = author?.trim() ? ` by ${isMe(author) ? "you" : author.trim()}` : "";
  const where = repository?.trim() ? `in ${parseRepositoryPath(repository)}` : "on GitHub";
  const whose = repository?.trim() || by ? "" : ` that ${formatNoun(number, "concerns", "concern")} you`;
  return `${which}${formatNoun(number, "pull request")}${by} ${where}${whose}`;
}
