import * as z from "zod/mini";
import { createChoiceSchema } from "../input-text.ts";
import { escapeCell, formatMarkdownTable, truncateText } from "../markup/markdown.ts";
import { defineTool, type ToolContext, type ToolResult, withDescription } from "../tool.ts";
import { formatIssueTable, Issue, toIssueData } from "./issue.ts";
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
  limit: withDescription(
    z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(100))),
    "Maximum number of results. Default: 20.",
  ),
});
type Input = z.output<typeof Input>;

const Repositories = z.looseObject({
  total_count: z.number(),
  items: z.array(
    z.looseObject({
      full_name: z.string(),
      description: z.nullish(z.string()),
      private: z.nullish(z.boolean()),
      language: z.nullish(z.string()),
      stargazers_count: z.nullish(z.number()),
      open_issues_count: z.nullish(z.number()),
      updated_at: z.nullish(z.string()),
      html_url: z.string(),
    }),
  ),
});

/** Source: https://docs.github.com/en/rest/search/search */
export const searchTool = defineTool({
  name: "github.search",
  description: "Search GitHub for issues, pull requests or repositories.",
  access: "read",
  input: Input,
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
  summary: (input: Input) => `Search GitHub for ${describeSearch(input)}`,
  run: async (input, context) =>
    input.type === "repository" ? searchForRepositories(input, context) : searchForIssues(input, context),
});

async function searchForIssues(input: Input, context: ToolContext): Promise<ToolResult> {
  const kind = input.type === "pull request" ? "is:pr" : "is:issue";
  const repository = input.repository?.trim() ? await findRepository(context, input.repository) : undefined;
  const query = [input.text.trim(), kind, repository ? `repo:${formatFullName(repository)}` : ""]
    .filter(Boolean)
    .join(" ");
  const found = await searchIssues(context, query, input.limit ?? 20);
  return {
    data: { query, results: found.issues.map(toIssueData), more: found.total > found.issues.length },
    text: formatResult(input, found.issues.length, found.total, () => formatIssueTable(found.issues)),
    url: `${context.metadata.url}/search?q=${encodeURIComponent(query)}&type=issues`,
  };
}

async function searchForRepositories(input: Input, context: ToolContext): Promise<ToolResult> {
  const query = { q: input.text.trim(), per_page: input.limit ?? 20 };
  const { total_count, items } = await context.http.request({
    path: "/search/repositories",
    query,
    answer: Repositories,
  });
  const rows = items.map((one) => [
    one.full_name,
    truncateText(one.description ?? "", 80),
    one.language ?? "",
    String(one.open_issues_count ?? 0),
    one.updated_at?.slice(0, 10) ?? "",
  ]);
  const formatTable = () => formatMarkdownTable(["Repository", "About", "Language", "Open issues", "Updated"], rows);
  return {
    data: {
      query: query.q,
      results: items.map((one) => ({
        repository: one.full_name,
        description: one.description ?? "",
        private: one.private ?? false,
        language: one.language ?? undefined,
        stars: one.stargazers_count ?? 0,
        url: one.html_url,
      })),
      more: total_count > items.length,
    },
    text: formatResult(input, items.length, total_count, formatTable),
    url: `${context.metadata.url}/search?q=${encodeURIComponent(query.q)}&type=repositories`,
  };
}

function formatResult(input: Input, number: number, total: number, table: () => string): string {
  const what = escapeCell(describeSearch(input, number));
  if (number === 0 && total > 0)
    return `GitHub knows ${total} ${what}, but did not search for all in time. Narrow the search.`;
  if (number === 0) return `No ${what}.`;
  return `${total > number ? `The first ${number} of ${total} ${escapeCell(describeSearch(input))}:` : `${number} ${what}:`}\n\n${table()}`;
}

function describeSearch({ text, type, repository }: Input, number = 2): string {
  const kind = type ?? "issue";
  const kinds = number === 1 ? kind : kind === "repository" ? "repositories" : `${kind}s`;
  return `${kinds} about “${text.trim()}”${repository?.trim() ? ` in ${parseRepositoryPath(repository)}` : ""}`;
}

const Results = z.looseObject({ total_count: z.number(), items: z.array(Issue) });

/**
 * Runs a query in GitHub's syntax and returns issues and pull requests, most recently changed first. Source:
 * https://docs.github.com/en/rest/search/search, "Search issues and pull requests"
 */
export async function searchIssues(
  { http }: Pick<ToolContext, "http">,
  q: string,
  limit: number,
): Promise<{ issues: Issue[]; total: number }> {
  const query = { q, sort: "updated", order: "desc", per_page: limit };
  const { total_count, items } = await http.request({ path: "/search/issues", query, answer: Results });
  return { issues: items.slice(0, limit), total: total_count };
}
