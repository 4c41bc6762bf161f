import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell, count, excerpt, markdownTable } from "../markdown.ts";
import { defineTool } from "../service.ts";
import { allPages, PAGE } from "./paging.ts";

const Input = z.object({
  name: describe(z.optional(z.string()), "Part of the name or owner, to list only repositories that have it."),
  limit: describe(z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(100))), "At most so many; 25."),
});
type Input = z.output<typeof Input>;

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
export const listRepositories = defineTool({
  name: "github.list_repositories",
  description: "List the GitHub repositories that this account works on, those changed last first.",
  access: "read",
  input: Input,
  examples: [
    "list github repositories",
    "list my repositories on github",
    "which github repositories do I have",
    "show my github repos",
    "find my github repositories called {name}",
  ],
  summary: ({ name }: Input) => `List GitHub repositories${name?.trim() ? ` with “${cell(name)}” in their name` : ""}`,
  async run(input, context) {
    const part = input.name?.trim().toLowerCase() ?? "";
    const request = { path: "/user/repos", query: { sort: "pushed", per_page: PAGE }, scope: "repo" };
    const counts = ({ full_name: name }: Repository) => name.toLowerCase().includes(part);
    const { values, more } = await allPages(context.http, request, Repository, { limit: input.limit ?? 25, counts });
    return { data: { repositories: values.map(repositoryData), more }, text: resultText(values, more, part) };
  },
});

function repositoryData(repository: Repository): Record<string, unknown> {
  return {
    repository: repository.full_name,
    description: excerpt(repository.description?.trim() ?? "", 200),
    private: repository.private ?? null,
    archived: repository.archived ?? false,
    open_issues: repository.open_issues_count ?? null,
    pushed: repository.pushed_at ?? null,
    url: repository.html_url,
  };
}

function resultText(list: Repository[], more: boolean, part: string): string {
  const words = `${count(list.length, "repository", "repositories")}${part ? ` with “${cell(part)}”` : ""}`;
  if (list.length === 0) return `No ${words.replace(/^0 /, "")}.`;
  const rows = list.map((one) => [
    one.full_name,
    excerpt(one.description ?? "", 80),
    one.language ?? "",
    [one.private ? "private" : "public", one.archived ? "archived" : ""].filter(Boolean).join(", "),
    one.pushed_at?.slice(0, 10) ?? "",
  ]);
  const head = more ? `The first ${words}; there are more:` : `${words}:`;
  return `${head}\n\n${markdownTable(["Repository", "About", "Language", "Notes", "Changed"], rows)}`;
}
