import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { toAdf } from "../atlassian/adf/write.ts";
import { escapeCell, quoteText, toOneLine } from "../markup/markdown.ts";
import { listGiven } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { describeFields, listEditFields, toFieldValues } from "./fields.ts";
import { buildBrowseUrl, formatIssueKey, getJiraApi, ISSUE_FIELD, ISSUE_TARGET, parseIssueKey } from "./issue.ts";
import { checkSummary, isNone, parseDueDate, parseLabels, parseParent, toPriority } from "./values.ts";

const Input = z.object({
  issue: ISSUE_FIELD,
  summary: withDescription(z.optional(z.string()), "New summary, at most 255 characters."),
  description: withDescription(
    z.optional(z.string()),
    "New description, as text or Markdown. It replaces the old one.",
  ),
  priority: withDescription(
    z.optional(z.string()),
    "Highest, High, Medium, Low, Lowest, or another priority of the site, such as Critical or Blocker.",
  ),
  due: withDescription(z.optional(z.string()), 'Due date such as 2026-01-31, or "none".'),
  labels: withDescription(
    z.optional(z.string()),
    'All labels, separated by commas, or "none". It replaces the old ones.',
  ),
  addLabels: withDescription(z.optional(z.string()), "Labels to add, separated by commas."),
  removeLabels: withDescription(z.optional(z.string()), "Labels to remove, separated by commas."),
  parent: withDescription(z.optional(z.string()), 'The epic or issue above it by its key, or "none".'),
  fields: withDescription(
    z.optional(z.record(z.string(), z.unknown())),
    'Other fields by name or ID, such as {"Team": "Core", "Story Points": 5}.',
  ),
});
type Input = z.output<typeof Input>;

/** Source: Jira Cloud REST v3, PUT /rest/api/3/issue/{issueIdOrKey} with `fields` and `update`; returns 204. */
export const editIssueTool = defineTool({
  name: "jira.edit_issue",
  description:
    "Change fields of a Jira issue: summary, description, priority, due date, labels, parent or others. Other tools change the status and the assignee.",
  access: "write",
  input: Input,
  examples: [
    "change the summary of {issue} to {summary}",
    "rename {issue} to {summary}",
    "change the priority of {issue} to {priority}",
    "set the priority of {issue} to {priority}",
    "set {issue} to {priority}",
    "make {issue} {priority} priority",
    "change the due date of {issue} to {due}",
    "set the due date of {issue} to {due}",
    "add the label {addLabels} to {issue}",
    "remove the label {removeLabels} from {issue}",
  ],
  summary: (input) => `Change ${formatIssueKey(input.issue)}: ${describeChanges(input).join(", ") || "nothing"}`,
  ...ISSUE_TARGET,
  object: ({ issue, ...changes }) => [formatIssueKey(issue), ...listGiven(changes)].join(", "),
  async run(input, context) {
    const { api, site } = getJiraApi(context);
    const key = parseIssueKey(input.issue);
    const body = await buildChanges(input, key, context);
    if (Object.keys(body.fields).length + Object.keys(body.update).length === 0) {
      throw new Problem("INVALID_REQUEST", "A change to the issue is required.", {
        hint: "Specify a summary, priority, due date, labels, parent or other fields.",
      });
    }
    await context.http.request({
      method: "PUT",
      path: `${api}/issue/${encodeURIComponent(key)}`,
      body,
      answer: z.unknown(),
      scope: "write:jira-work",
    });
    const url = buildBrowseUrl(site, key);
    const changes = describeChanges(input);
    return { data: { key, changes, url }, text: `Changed ${key}: ${escapeCell(changes.join(", "))}.\n\n${url}`, url };
  },
});

async function buildChanges(input: Input, key: string, context: ToolContext) {
  const [add, remove] = [parseLabels(input.addLabels), parseLabels(input.removeLabels)];
  const operations = [...add.map((label) => ({ add: label })), ...remove.map((label) => ({ remove: label }))];
  const others = Object.keys(input.fields ?? {}).length > 0 ? await listEditFields(context, key) : [];
  const fields: Record<string, unknown> = {
    ...(input.summary?.trim() ? { summary: checkSummary(input.summary) } : {}),
    ...(input.description === undefined ? {} : { description: toAdf(input.description, "description") ?? null }),
    ...(input.priority?.trim() ? { priority: toPriority(input.priority) } : {}),
    ...(input.due?.trim() ? { duedate: parseDueDate(input.due) } : {}),
    ...(input.labels?.trim() ? { labels: isNone(input.labels) ? [] : parseLabels(input.labels) } : {}),
    ...(input.parent?.trim() ? { parent: parseParent(input.parent) } : {}),
    ...(await toFieldValues(input.fields ?? {}, others, context)),
  };
  if (fields.labels !== undefined && operations.length > 0) {
    throw new Problem("INVALID_REQUEST", "The labels can be replaced, or added and removed, but not both.", {
      details: { field: "labels" },
    });
  }
  return { fields, update: operations.length > 0 ? { labels: operations } : {} };
}

function describeChanges(input: Input): string[] {
  const changes: [string, string | undefined][] = [
    ["summary", input.summary && `“${toOneLine(input.summary)}”`],
    ["description", input.description === undefined ? undefined : describeText(input.description)],
    ["priority", input.priority],
    ["due", input.due],
    ["labels", input.labels],
    ["add the labels", input.addLabels],
    ["remove the labels", input.removeLabels],
    ["parent", input.parent],
  ];
  const described = changes.flatMap(([name, value]) => (value?.trim() ? [`${name} ${value.trim()}`] : []));
  return [...described, ...describeFields(input.fields)];
}

function describeText(text: string): string {
  return text.trim() === "" ? "nothing" : quoteText(text, 300);
}
