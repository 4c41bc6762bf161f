import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { getSite } from "../atlassian/oauth.ts";
import { formatMarkdownTable } from "../markup/markdown.ts";
import { formatPlace, quoteName, quoteTitle } from "../place.ts";
import { type ToolContext, withDescription } from "../tool.ts";

const Named = z.nullish(z.looseObject({ name: z.nullish(z.string()) }));
const Person = z.nullish(z.looseObject({ accountId: z.nullish(z.string()), displayName: z.nullish(z.string()) }));

/** The fields that lists show. A field that a project hides is missing. */
export const IssueFields = z.looseObject({
  summary: z.nullish(z.string()),
  issuetype: Named,
  status: z.nullish(
    z.looseObject({
      name: z.nullish(z.string()),
      statusCategory: z.nullish(z.looseObject({ key: z.nullish(z.string()), name: z.nullish(z.string()) })),
    }),
  ),
  priority: Named,
  assignee: Person,
  reporter: Person,
  updated: z.nullish(z.string()),
});

/** An issue as Jira returns it. Source: Jira Cloud REST v3, "Issue search". */
export const Issue = z.looseObject({ key: z.string(), fields: z._default(IssueFields, {}) });
export type Issue = z.output<typeof Issue>;

/** The fields that {@link Issue} reads. */
export const ISSUE_FIELDS = ["summary", "issuetype", "status", "priority", "assignee", "updated"];

/** Returns the API path of the selected site, and its web address. */
export function getJiraApi(context: Pick<ToolContext, "metadata">): { api: string; site: string } {
  const { cloudId, url } = getSite(context.metadata, "jira");
  return { api: `/ex/jira/${cloudId}/rest/api/3`, site: url };
}

/** Describes an issue for the approval of a call that names it by its key. */
export async function describeIssue(text: string, context: ToolContext): Promise<string> {
  const path = `${getJiraApi(context).api}/issue/${encodeURIComponent(parseIssueKey(text))}`;
  const query = { fields: "summary,status,assignee" };
  const { key, fields } = await context.http.request({ path, query, answer: Issue, scope: "read:jira-work" });
  const { summary, status, assignee } = fields;
  const facts = [status?.name, assignee?.displayName ? `assigned to ${assignee.displayName}` : "unassigned"];
  return `${key} ${quoteTitle(summary ?? "")} (${facts.filter(Boolean).join(", ")})`;
}

/** The field of a tool that names an issue. */
export const ISSUE_FIELD = withDescription(z.string(), "Key of the issue, such as KAY-3.");

type IssueInput = { issue: string };

/** The place, object and target of a tool that changes one issue. */
export const ISSUE_TARGET = {
  resource: ({ issue }: IssueInput) => formatIssueProjectPlace(issue),
  object: ({ issue }: IssueInput) => formatIssueKey(issue),
  describeTarget: ({ issue }: IssueInput, context: ToolContext) => describeIssue(issue, context),
};

/** Converts an issue to data for the model. */
export function toIssueData(issue: Issue, site: string): Record<string, unknown> {
  const { fields, key } = issue;
  return {
    key,
    summary: fields.summary ?? "",
    type: fields.issuetype?.name,
    status: fields.status?.name,
    status_category: fields.status?.statusCategory?.key,
    priority: fields.priority?.name,
    assignee: fields.assignee?.displayName ?? null,
    updated: fields.updated,
    url: buildBrowseUrl(site, key),
  };
}

/** Formats issues as a table. */
export function formatIssueTable(issues: Issue[]): string {
  const rows = issues.map(({ key, fields }) => [
    key,
    fields.summary ?? "",
    fields.issuetype?.name ?? "",
    fields.status?.name ?? "",
    fields.assignee?.displayName ?? "–",
  ]);
  return formatMarkdownTable(["Key", "Summary", "Type", "Status", "Assignee"], rows);
}

/** Returns the web page of an issue. */
export function buildBrowseUrl(site: string, key: string): string {
  return `${site}/browse/${encodeURIComponent(key)}`;
}

/**
 * Parses an issue key from `kay-3`, `KAY-3`, or the issue's URL.
 *
 * @throws Problem INVALID_REQUEST when there is none
 */
export function parseIssueKey(text: string): string {
  const key = /(?:^|\/|=)([A-Za-z][A-Za-z0-9_]*-\d+)\/?$/.exec(text.trim().replace(/[?#].*$/s, ""))?.[1];
  if (key) return key.toUpperCase();
  throw new Problem("INVALID_REQUEST", `“${text}” is not an issue key such as KAY-3.`, {
    hint: "Specify the issue by its key.",
  });
}

/** Parses a project. A lower-case word is read as a key: `kay` is KAY, `Website` stays a name. */
export function parseProjectName(text: string): string {
  const name = text.trim();
  return /^[a-z][a-z0-9_]{1,9}$/.test(name) ? name.toUpperCase() : name;
}

/** Formats the key for a summary, before anything is validated. */
export function formatIssueKey(text: string): string {
  try {
    return parseIssueKey(text);
  } catch {
    return text;
  }
}

/** Returns the text of an approval for a project: a key in capitals, or a name of several words in quotation marks. */
export function formatProjectPlace(text: string): string | undefined {
  const name = text.trim();
  return formatPlace("in project", /^[a-z][a-z0-9_]+$/i.test(name) ? name.toUpperCase() : quoteName(name));
}

/** Returns the text of an approval for the project of an issue. */
export function formatIssueProjectPlace(issue: string): string | undefined {
  const [, project] = /^([A-Z][A-Z0-9_]*)-\d+$/.exec(formatIssueKey(issue)) ?? [];
  return formatPlace("in project", project);
}
