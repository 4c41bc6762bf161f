import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { type ListRequest, readPages } from "../http/pages.ts";
import { isMe, isNobody, splitList } from "../input-text.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatNoun } from "../markup/markdown.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { formatIssueTable, getJiraApi, ISSUE_FIELDS, Issue, parseProjectName, toIssueData } from "./issue.ts";
import { buildJql, describeFilter, ISSUE_DATES, type IssueFilter } from "./jql.ts";
import { findPerson } from "./people.ts";

const Input = z.object({
  project: withDescription(z.optional(z.string()), "Key or name of the project, such as KAY."),
  status: withDescription(
    z.optional(z.string()),
    '"open" (everything not done), "done", "In Progress", "To Do", or the exact name of a status.',
  ),
  assignee: withDescription(z.optional(z.string()), '"me", "nobody", or the name or email address of a user.'),
  type: withDescription(z.optional(z.string()), "Type of issue: Bug, Task, Story, Epic …"),
  text: withDescription(z.optional(z.string()), "Words in the summary, description or comments."),
  reporter: withDescription(z.optional(z.string()), '"me", or the name or email address of the reporter.'),
  priority: withDescription(z.optional(z.string()), "Highest, High, Medium, Low or Lowest."),
  sprint: withDescription(
    z.optional(z.string()),
    '"current", "next", "none", or the name of a sprint, such as Sprint 7.',
  ),
  labels: withDescription(z.optional(z.string()), "Labels that the issues have, separated by commas."),
  updatedSince: withDescription(z.optional(z.string()), "Changed on or after this day, such as 2026-01-31."),
  updatedBefore: withDescription(z.optional(z.string()), "Changed before this day, such as 2026-01-31."),
  createdSince: withDescription(z.optional(z.string()), "Created on or after this day, such as 2026-01-31."),
  createdBefore: withDescription(z.optional(z.string()), "Created before this day, such as 2026-01-31."),
  resolvedSince: withDescription(z.optional(z.string()), "Resolved on or after this day, such as 2026-01-31."),
  resolvedBefore: withDescription(z.optional(z.string()), "Resolved before this day, such as 2026-01-31."),
  dueBefore: withDescription(z.optional(z.string()), "Due on or before this day, such as 2026-01-31."),
  dueAfter: withDescription(z.optional(z.string()), "Due on or after this day, such as 2026-01-31."),
  order: withDescription(
    z.optional(z.enum(["updated", "newest", "oldest", "due", "priority"])),
    "updated (default): last changed first; newest or oldest: by creation; due: next due first.",
  ),
  jql: withDescription(z.optional(z.string()), "A complete JQL query. It overrides all other fields except limit."),
});
type Input = z.output<typeof Input>;

const Page = z.looseObject({
  issues: z.array(Issue),
  nextPageToken: z.nullish(z.string()),
  isLast: z.nullish(z.boolean()),
  warningMessages: z.nullish(z.array(z.string())),
});

/** Source: Jira Cloud REST v3, POST /rest/api/3/search/jql (enhanced search, paged by token). */
export const searchTool = defineListTool({
  name: "jira.search",
  description:
    "Find Jira issues by project, status, people, type, priority, sprint, labels, dates or text, or by a JQL query.",
  input: Input,
  limit: { usual: 20, most: 100 },
  mentions: [{ input: { updatedSince: "-30d", limit: 100 }, list: "issues", name: "{key}", note: "{summary}" }],
  examples: [
    "what is open in project {project}",
    "what's open in {project}",
    "show the open {type} issues in {project}",
    "list all issues in project {project}",
    "which bugs are open in {project}",
    "what is assigned to me",
    "my open issues",
    "show my tickets in {project}",
    "what is {assignee} working on in {project}",
    "which issues in {project} are {status}",
    "find issues about {text}",
    "show issues mentioning {text}",
    "search jira for {text} in {project}",
    "search for {text} in {project}",
    "what is not done in {project}",
    "unassigned issues in {project}",
    "which bugs did {reporter} report",
    "issues reported by {reporter}",
    "what changed in {project} since {updatedSince}",
    "what is in the {sprint} sprint",
    "what is in the {sprint} sprint of {project}",
    "show the open issues in the {sprint} sprint",
    "my issues in the {sprint} sprint",
  ],
  summary: (input) =>
    `Search Jira for ${input.jql ? `issues matching ${input.jql}` : describeFilter(getFilter(input))}`,
  async run(input, context, list) {
    const { site } = getJiraApi(context);
    const jql = input.jql?.trim() || (await resolveJql(getFilter(input), context));
    const { issues, more, warnings } = await searchIssues(context, jql, list);
    const words = input.jql ? formatNoun(issues.length, "issue") : describeFilter(getFilter(input), issues.length);
    return {
      data: { jql, issues: issues.map((issue) => toIssueData(issue, site)), more, warnings },
      text: `${formatList(list, {
        count: issues.length,
        words: escapeCell(words),
        more,
        items: () => formatIssueTable(issues),
      })}${warnings ? `\n\nJira warns: ${escapeCell(warnings.join(" "))}` : ""}`,
      url: `${site}/issues/?jql=${encodeURIComponent(jql)}`,
    };
  },
});

/** Returns the issues of a query, over as many pages as the limit needs. `more` is set if others remain. */
async function searchIssues(
  context: ToolContext,
  jql: string,
  list: ListRequest,
): Promise<{ issues: Issue[]; more: boolean; warnings?: string[] }> {
  const path = `${getJiraApi(context).api}/search/jql`;
  let warnings: string[] = [];
  const { items, more } = await readPages(async (token, size) => {
    const body = {
      jql,
      fields: ISSUE_FIELDS,
      maxResults: Math.min(100, size),
      ...(token ? { nextPageToken: token } : {}),
    };
    const request = { method: "POST", path, body, answer: Page, reads: true, scope: "read:jira-work" } as const;
    const page = await context.http.request(request);
    warnings = page.warningMessages ?? [];
    return { items: page.issues, next: page.isLast === true ? undefined : page.nextPageToken };
  }, list);
  return { issues: items, more, ...(warnings.length > 0 ? { warnings } : {}) };
}

async function resolveJql(filter: IssueFilter, context: ToolContext): Promise<string> {
  const find = async (person: string | undefined) => {
    if (!person || isMe(person) || isNobody(person)) return undefined;
    return (await findPerson(context, person, { purpose: "read" })).accountId;
  };
  for (const name of ISSUE_DATES) {
    if (filter[name] === undefined || /^(\d{4}-\d\d-\d\d( \d\d:\d\d)?|-?\d+[hdwm])$/.test(filter[name])) continue;
    const hint = "Write it as 2026-01-31, or -7d for the last seven days.";
    throw new Problem("INVALID_REQUEST", `“${filter[name]}” is not a day.`, { hint, details: { field: name } });
  }
  return buildJql(filter, { assignee: await find(filter.assignee), reporter: await find(filter.reporter) });
}

function getFilter({ project, labels, jql: _query, ...input }: Input): IssueFilter {
  const filters = Object.entries(input).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : []));
  return {
    ...(Object.fromEntries(filters) as Omit<IssueFilter, "labels">),
    project: project?.trim() ? parseProjectName(project) : undefined,
    labels: splitList(labels),
  };
}
