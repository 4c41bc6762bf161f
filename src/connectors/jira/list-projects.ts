import * as z from "zod/mini";
import { readPages } from "../http/pages.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatMarkdownTable, formatNoun } from "../markup/markdown.ts";
import { withDescription } from "../tool.ts";
import { getJiraApi } from "./issue.ts";

const Input = z.object({
  name: withDescription(z.optional(z.string()), "Part of the name or key, to list only matching projects."),
});

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
export const listProjectsTool = defineListTool({
  name: "jira.list_projects",
  description: "List the Jira projects that this account can see, with the keys that other tools use.",
  input: Input,
  limit: { usual: 25, most: 50 },
  examples: [
    "list jira projects",
    "list the projects in jira",
    "which jira projects are there",
    "show all jira projects",
    "find jira projects called {name}",
  ],
  summary: ({ name }) => `List Jira projects${name?.trim() ? ` with “${escapeCell(name)}” in their name` : ""}`,
  async run(input, context, list) {
    const { api, site } = getJiraApi(context);
    const part = input.name?.trim() ?? "";
    let count = 0;
    const { items, more } = await readPages(async (startAt, size) => {
      const page = await context.http.request({
        path: `${api}/project/search`,
        query: { query: part || undefined, orderBy: "name", maxResults: Math.min(50, size), startAt },
        answer: Projects,
        scope: "read:jira-work",
      });
      count = page.total ?? count;
      return { items: page.values, next: new URLSearchParams(page.nextPage?.split("?")[1]).get("startAt") };
    }, list);
    const projects = items.map(({ key, name, projectTypeKey: type }) => {
      return { key, name, type: type ?? null, url: `${site}/browse/${encodeURIComponent(key)}` };
    });
    const total = Math.max(count, projects.length + (more ? 1 : 0));
    const text = formatList(list, {
      count: projects.length,
      words: `${formatNoun(total, "project")}${part ? ` with “${escapeCell(part)}”` : ""}`,
      more,
      total,
      items: () =>
        formatMarkdownTable(
          ["Key", "Name", "Kind"],
          projects.map(({ key, name, type }) => [key, name, type ?? ""]),
        ),
    });
    return { data: { projects, total }, text, url: `${site}/jira/projects` };
  },
});
