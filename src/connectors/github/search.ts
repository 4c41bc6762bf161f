import * as z from "zod/mini";
import type { ListRequest } from "../http/pages.ts";
import { createChoiceSchema } from "../input-text.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatMarkdownTable, formatNoun, truncateText } from "../markup/markdown.ts";
import { type ToolContext, type ToolResult, withDescription } from "../tool.ts";
import { formatIssueTable, Issue, toIssueData } from "./issue.ts";
import { readAllPages } from "./paging.ts";
import { findRepository, formatFullName, parseRepositoryPath } from "./repository.ts";

const Input = z.object({
  text: withDescription(z.string(), "Search text. GitHub's search qualifiers are allowed."),
  type: withDescription(
    createChoiceSchema(["issue", "pull request", "repository"], {
      issues: "issue",
      pr: "pull request",
      prs: "pull request",
      "pull requests": "pull request",
      repo: "repository",
      repos: "repository",
      repositories: "repository",
    }),
    "Type of results. Default: issue.",
  ),
  repository: withDescription(
    z.optional(z.string()),
    "Search only this repository, given as owner/name or only its name.",
  ),
});
type Input = z.output<typeof Input>;

const Repository = z.looseObject({
  full_name: z.string(),
  description: z.nullish(z.string()),
  private: z.nullish(z.boolean()),
  language: z.nullish(z.string()),
  stargazers_count: z.nullish(z.number()),
  open_issues_count: z.nullish(z.number()),
  updated_at: z.nullish(z.string()),
  html_url: z.string(),
});

/** Source: https://docs.github.com/en/rest/search/search */
export const searchTool = defineListTool({
  name: "github.search",
  description: "Search GitHub for issues, pull requests or repositories.",
  input: Input,
  limit: { usual: 20, most: 100 },
  mentions: ["issue", "pull request"].map((type) => ({
    input: { text: "involves:@me", type, limit: 50 },
    list: "results",
    name: "{repository}#{number}",
    note: "{title}",
  })),
  examples: [
    "search github for {text}",
    "find github issues about {text}",
    "find github issues about {text} in {repository}",
    "search github for {type} about {text}",
    "find github repositories about {text}",
    "look for {text} on github",
  ],
  summary: (input) => `Search GitHub for ${describeSearch(input)}`,
  run: async (input, context, list) =>
    input.type === "repository" ? searchForRepositories(input, context, list) : searchForIssues(input, context, list),
});

async function searchForIssues(input: Input, context: ToolContext, list: ListRequest): Promise<ToolResult> {
  const kind = input.type === "pull request" ? "is:pr" : "is:issue";
  const repository = input.repository?.trim() ? await findRepository(context, input.repository) : undefined;
  const query = [input.text.trim(), kind, repository ? `repo:${formatFullName(repository)}` : ""]
    .filter(Boolean)
    .join(" ");
  const issues = await searchIssues(context, query, list);
  return {
    data: { query, results: issues.issues.map(toIssueData), more: issues.more },
    text: formatResult(input, issues.issues.length, issues, list, () => formatIssueTable(issues.issues)),
    url: `${context.metadata.url}/search?q=${encodeURIComponent(query)}&type=issues`,
  };
}

async function searchForRepositories(input: Input, context: ToolContext, list: ListRequest): Promise<ToolResult> {
  const query = { q: input.text.trim(), per_page: list.limit };
  const request = { path: "/search/repositories", query };
  const { values: items, ...found } = await readAllPages(context.http, request, Repository, {
    limit: list,
    isSearch: true,
  });
  const rows = items.map((repository) => [
    repository.full_name,
    truncateText(repository.description ?? "", 80),
    repository.language ?? "",
    String(repository.open_issues_count ?? 0),
    repository.updated_at?.slice(0, 10) ?? "",
  ]);
  const formatTable = () => formatMarkdownTable(["Repository", "About", "Language", "Open issues", "Updated"], rows);
  return {
    data: {
      query: query.q,
      results: items.map((repository) => ({
        repository: repository.full_name,
        description: repository.description ?? "",
        private: repository.private ?? false,
        language: repository.language ?? undefined,
        stars: repository.stargazers_count ?? 0,
        url: repository.html_url,
      })),
      more: found.more,
    },
    text: formatResult(input, items.length, found, list, formatTable),
    url: `${context.metadata.url}/search?q=${encodeURIComponent(query.q)}&type=repositories`,
  };
}

function formatResult(
  input: Input,
  count: number,
  { total, more }: { total: number; more: boolean },
  list: ListRequest,
  items: () => string,
): string {
  const words = escapeCell(describeSearch(input, total));
  if (count === 0 && total > 0 && !more)
    return `GitHub found ${total} ${words}, but did not return them in time. Narrow the search.`;
  return formatList(list, { count, words, more, total, items });
}

function describeSearch({ text, type, repository }: Input, number = 2): string {
  const kind = type ?? "issue";
  const kinds = formatNoun(number, kind, kind === "repository" ? "repositories" : undefined);
  return `${kinds} about “${text.trim()}”${repository?.trim() ? ` in ${parseRepositoryPath(repository)}` : ""}`;
}

/**
 * Runs a query in GitHub's syntax and returns issues and pull requests, most recently changed first. Source:
 * https://docs.github.com/en/rest/search/search, "Search issues and pull requests"
 */
export async function searchIssues(
  { http }: Pick<ToolContext, "http">,
  q: string,
  list: ListRequest,
): Promise<{ issues: Issue[]; total: number; more: boolean }> {
  const query = { q, sort: "updated", order: "desc", per_page: list.limit };
  const pages = await readAllPages(http, { path: "/search/issues", query }, Issue, { limit: list, isSearch: true });
  return { issues: pages.values, total: pages.total, more: pages.more };
}
