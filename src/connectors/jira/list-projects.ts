import * as z from "zod/mini";
import { readPages } from "../http/pages.ts";
import { escapeCell, formatCount, formatMarkdownTable } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { getJiraApi } from "./issue.ts";

const Input = z.object({
  name: withDescription(z.optional(z.string()), "Part of the name or key, to list only matching projects."),
  limit: withDescription(
    z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(50))),
    "Maximum number of results. Default: 25.",
  ),
});
type Input = z.output<typeof Input>;

const Projects = z.looseObject({
  values: z.array(
    z.looseObject({
      key: z.string(),
      name: z.string(),
      projectTypeKey: z.nullish(z.string()),
    }),
  ),
  total: z.nullish(z.number()),
  nextPage: z.nullish(z.string()),
});

/** Source: Jira Cloud REST v3, GET /rest/api/3/project/search. */
export const listProjectsTool = defineTool({
  name: "jira.list_projects",
  description: "List the Jira projects that this account can see, with the keys that other tools use.",
  access: "read",
  input: Input,
  examples: [
    "list jira projects",
    "list the projects in jira",
    "which jira projects are there",
    "show all jira projects",
    "find jira projects called {name}",
  ],
  summary: ({ name }: Input) => `List Jira projects${name?.trim() ? ` with “${escapeCell(name)}” in their name` : ""}`,
  async run(input, context) {
    const { api, site } = getJiraApi(context);
    const part = input.name?.trim() ?? "";
    const limit = input.limit ?? 25;
    let count = 0;
    const { items, more } = await readPages(async (startAt, before) => {
      const page = await context.http.request({
        path: `${api}/project/search`,
        query: { query: part || undefined, orderBy: "name", maxResults: limit - before, startAt },
        answer: Projects,
        scope: "read:jira-work",
      });
      count = page.total ?? count;
      return { items: page.values, next: new URLSearchParams(page.nextPage?.split("?")[1]).get("startAt") };
    }, limit);
    const projects = items.map(({ key, name, projectTypeKey: type }) => {
      return { key, name, type: type ?? null, url: `${site}/browse/${encodeURIComponent(key)}` };
    });
    const total = Math.max(count, projects.length + (more ? 1 : 0));
    const text = formatResult(projects, total, part);
    return { data: { projects, total }, text, url: `${site}/jira/projects` };
  },
});

function formatResult(projects: { key: string; name: string; type: string | null }[], total: number, part: string) {
  const [shown, words] = [projects.length, part ? ` with “${escapeCell(part)}”` : ""];
  if (shown === 0) return `No projects${words}.`;
  const rows = projects.map(({ key, name, type }) => [key, name, type ?? ""]);
  const head =
    total > shown
      ? `The first ${shown} of ${formatCount(total, "project")}${words}:`
      : `${formatCount(shown, "project")}${words}:`;
  return `${head}\n\n${formatMarkdownTable(["Key", "Name", "Kind"], rows)}`;
}
