import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { getSite } from "../atlassian/oauth.ts";
import { formatMarkdownTable } from "../markup/markdown.ts";
import { formatPlace, quoteName } from "../place.ts";
import type { ToolContext } from "../service.ts";

const Named = z.nullish(z.looseObject({ name: z.nullish(z.string()) }));
const Person = z.nullish(z.looseObject({ accountId: z.nullish(z.string()), displayName: z.nullish(z.string()) }));

/** An issue as Jira gives it, with the fields that lists show. Source: Jira Cloud REST v3, "Issue search". */
export const Issue = z.looseObject({
  key: z.string(),
  fields: z.looseObject({
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
  }),
});
export type Issue = z.output<typeof Issue>;

/** Names of the fields that {@link Issue} reads. */
export const ISSUE_FIELDS = ["summary", "issuetype", "status", "priority", "assignee", "updated"];

/** Where Jira is for a connection: the API path of the chosen site, and the address that people open. */
export function getJiraApi(context: Pick<ToolContext, "metadata">): { api: string; site: string } {
  const { cloudId, url } = getSite(context.metadata, "jira");
  return { api: `/ex/jira/${cloudId}/rest/api/3`, site: url };
}

/** An issue trimmed for a model. */
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

/** Issues as a table for a person. */
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

/** Where a person looks at an issue. */
export function buildBrowseUrl(site: string, key: string): string {
  return `${site}/browse/${encodeURIComponent(key)}`;
}

/**
 * The key in what a person typed: `kay-3`, `KAY-3`, or the address of the issue.
 *
 * @throws Problem INVALID_REQUEST when there is none
 */
export function parseIssueKey(text: string): string {
  const key = /(?:^|\/|=)([A-Za-z][A-Za-z0-9_]*-\d+)\/?$/.exec(text.trim().replace(/[?#].*$/, ""))?.[1];
  if (key) return key.toUpperCase();
  throw new Problem("INVALID_REQUEST", `“${text}” is not the key of an issue, such as KAY-3.`, {
    hint: "Name the issue by its key.",
  });
}

/** What a person typed for a project, with a word in small letters taken for its key: `kay` is KAY, `Website` stays a name. */
export function parseProjectName(text: string): string {
  const name = text.trim();
  return /^[a-z][a-z0-9_]{1,9}$/.test(name) ? name.toUpperCase() : name;
}

/** The key as it will be shown in a summary, before anything is checked. */
export function formatIssueKey(text: string): string {
  try {
    return parseIssueKey(text);
  } catch {
    return text;
  }
}

/** The words of a grant for a project: a key in capitals, as a name of several words in quotation marks. */
export function formatProjectPlace(text: string): string | undefined {
  const name = text.trim();
  return formatPlace("in project", /^[a-z][a-z0-9_]+$/i.test(name) ? name.toUpperCase() : quoteName(name));
}

/** The words of a grant for the project that an issue is in. */
export function formatIssueProjectPlace(issue: string): string | undefined {
  const [, project] = /^([A-Z][A-Z0-9_]*)-\d+$/.exec(formatIssueKey(issue)) ?? [];
  return formatPlace("in project", project);
}
