import * as z from "zod/mini";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatMarkdownTable, formatNoun, truncateText } from "../markup/markdown.ts";
import { withDescription } from "../tool.ts";
import { MAX_PAGE_SIZE, readAllPages } from "./paging.ts";

const Input = z.object({
  name: withDescription(z.optional(z.string()), "Part of the name or owner, to list only matching repositories."),
});

const Repository = z.looseObject({
  full_name: z.string(),
  html_url: z.string(),
  description: z.nullish(z.string()),
  private: z.nullish(z.boolean()),
  archived: z.nullish(z.boolean()),
  language: z.nullish(z.string()),
  open_issues_count: z.nullish(z.number()),
  pushed_at: z.nullish(z.string()),
});
type Repository = z.output<typeof Repository>;

/** Source: https://docs.github.com/en/rest/repos/repos, "List repositories for the authenticated user". */
export const listRepositoriesTool = defineListTool({
  name: "github.list_repositories",
  description: "List the GitHub repositories that this account works on, most recently changed first.",
  input: Input,
  limit: { usual: 25, most: 100 },
  examples: [
    "list github repositories",
    "list my repositories on github",
    "which github repositories do I have",
    "show my github repos",
    "find my github repositories called {name}",
  ],
  summary: ({ name }) => `List GitHub repositories${name?.trim() ? ` with “${escapeCell(name)}” in their name` : ""}`,
  async run(input, context, list) {
    const part = input.name?.trim().toLowerCase() ?? "";
    const request = { path: "/user/repos", query: { sort: "pushed", per_page: MAX_PAGE_SIZE }, scope: "repo" };
    const isMatch = ({ full_name: name }: Repository) => name.toLowerCase().includes(part);
    const { values, more } = await readAllPages(context.http, request, Repository, {
      limit: list,
      counts: isMatch,
    });
    const text = formatList(list, {
      count: values.length,
      words: `${formatNoun(values.length, "repository", "repositories")}${part ? ` with “${escapeCell(part)}”` : ""}`,
      more,
      items: () => formatRepositories(values),
    });
    return { data: { repositories: values.map(toRepositoryData), more }, text };
  },
});

function toRepositoryData(repository: Repository): Record<string, unknown> {
  return {
    repository: repository.full_name,
    description: truncateText(repository.description?.trim() ?? "", 200),
    private: repository.private ?? null,
    archived: repository.archived ?? false,
    open_issues: repository.open_issues_count ?? null,
    pushed: repository.pushed_at ?? null,
    url: repository.html_url,
  };
}

function formatRepositories(list: Repository[]): string {
  const rows = list.map((repository) => [
    repository.full_name,
    truncateText(repository.description ?? "", 80),
    repository.language ?? "",
    [repository.private ? "private" : "public", repository.archived ? "archived" : ""].filter(Boolean).join(", "),
    repository.pushed_at?.slice(0, 10) ?? "",
  ]);
  return formatMarkdownTable(["Repository", "About", "Language", "Notes", "Changed"], rows);
}
