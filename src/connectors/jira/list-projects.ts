import * as z from "zod/mini";
import { escapeCell, formatCount, formatMarkdownTable } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../service.ts";
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
    const { values, total } = await context.http.request({
      path: `${api}/project/search`,
      query: { query: part || undefined, orderBy: "name", maxResults: input.limit ?? 25 },
      answer: Projects,
      scope: "read:jira-work",
    });
    const projects = values.map(({ key, name, projectTypeKey: type }) => {
      return { key, name, type: type ?? null, url: `${site}/browse/${encodeURIComponent(key)}` };
    });
    const text = formatResult(projects, total ?? projects.length, part);
    return { data: { projects, total: total ?? projects.length }, text, url: `${site}/jira/projects` };
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
