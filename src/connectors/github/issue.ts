import * as z from "zod/mini";
import { isMe } from "../input-text.ts";
import { escapeCell, formatMarkdownTable, truncateText } from "../markup/markdown.ts";
import { quoteTitle } from "../place.ts";
import type { ToolContext } from "../tool.ts";
import { buildApiPath, findRepository, formatFullName, REPOSITORY_TARGET } from "./repository.ts";

export const Person = z.nullish(z.looseObject({ login: z.nullish(z.string()) }));

/** An issue, or a pull request in an issue list. Source: https://docs.github.com/en/rest/issues/issues */
export const Issue = z.looseObject({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  state_reason: z.nullish(z.string()),
  user: Person,
  assignees: z.nullish(z.array(z.looseObject({ login: z.nullish(z.string()) }))),
  labels: z.nullish(z.array(z.union([z.string(), z.looseObject({ name: z.nullish(z.string()) })]))),
  comments: z.nullish(z.number()),
  body: z.nullish(z.string()),
  updated_at: z.nullish(z.string()),
  html_url: z.string(),
  repository_url: z.nullish(z.string()),
  draft: z.nullish(z.boolean()),
  pull_request: z.nullish(z.looseObject({ merged_at: z.nullish(z.string()) })),
});
export type Issue = z.output<typeof Issue>;

export const Comment = z.looseObject({
  id: z.number(),
  user: Person,
  body: z.nullish(z.string()),
  created_at: z.nullish(z.string()),
  html_url: z.nullish(z.string()),
});

/** Describes an issue or pull request for the approval of a call that names it by its number. */
async function describeIssue(
  { repository: text, number }: { repository: string; number: number },
  context: ToolContext,
): Promise<string> {
  const repository = await findRepository(context, text);
  const path = `${buildApiPath(repository)}/issues/${number}`;
  const issue = await context.http.request({ path, answer: Issue, scope: "repo" });
  const kind = issue.pull_request ? "pull request" : "issue";
  const by = issue.user?.login ? ` by ${issue.user.login}` : "";
  return `${quoteTitle(issue.title)}, ${formatIssueState(issue)} ${kind} #${issue.number}${by} in ${formatFullName(repository)}`;
}

/** The place, recipient, object and target of a tool that changes one issue or pull request. */
export const ISSUE_TARGET = {
  ...REPOSITORY_TARGET,
  object: ({ number }: { number: number }) => `#${number}`,
  describeTarget: describeIssue,
};

/** Longest description or comment shown to the user and the model, in characters. */
export const MAX_TEXT_LENGTH = 4_000;

/** Converts an issue to data for the model. */
export function toIssueData(issue: Issue): Record<string, unknown> {
  return {
    number: issue.number,
    repository: getRepositoryName(issue),
    title: issue.title,
    state: formatIssueState(issue),
    author: issue.user?.login,
    assignees: listAssignees(issue),
    labels: listLabels(issue),
    comments: issue.comments ?? 0,
    updated: issue.updated_at,
    url: issue.html_url,
  };
}

/** Formats issues or pull requests as a table. */
export function formatIssueTable(issues: Issue[]): string {
  const rows = issues.map((issue) => [
    getRepositoryName(issue),
    `#${issue.number}`,
    issue.title,
    formatIssueState(issue),
    issue.pull_request ? (issue.user?.login ?? "someone") : listAssignees(issue).join(", ") || "–",
    listLabels(issue).join(", "),
    issue.updated_at?.slice(0, 10) ?? "",
  ]);
  const who = issues.some((issue) => !issue.pull_request) ? "Assignee" : "Author";
  return formatMarkdownTable(["Repository", "ID", "Title", "State", who, "Labels", "Updated"], rows);
}

/** Formats a state: `open`, `closed`, `closed as not planned`; for pull requests also `merged` and `open, draft`. */
export function formatIssueState({ state, state_reason, pull_request, draft }: Issue): string {
  if (pull_request?.merged_at) return "merged";
  if (state === "open") return draft ? "open, draft" : "open";
  return state_reason && state_reason !== "completed" ? `${state} as ${state_reason.replaceAll("_", " ")}` : state;
}

export function listAssignees(issue: Issue): string[] {
  return (issue.assignees ?? []).flatMap(({ login }) => login ?? []);
}

export function listLabels(issue: Issue): string[] {
  return (issue.labels ?? []).flatMap((label) => (typeof label === "string" ? label : (label.name ?? [])));
}

/** Returns the repository of an issue as `owner/name`, from its URL. */
export function getRepositoryName({ repository_url, html_url }: Pick<Issue, "repository_url" | "html_url">): string {
  const [owner, name] = URL.canParse(html_url) ? new URL(html_url).pathname.split("/").slice(1) : [];
  return repository_url?.split("/").slice(-2).join("/") ?? (owner && name ? `${owner}/${name}` : "");
}

/** Formats facts as a list, followed by the description and further sections. */
export function formatDetails(
  head: { number: number; title: string },
  facts: [name: string, value: string | undefined][],
  ...rest: string[]
): string {
  const lines = facts.flatMap(([name, value]) => (value ? [`- ${name}: ${escapeCell(value)}`] : [])).join("\n");
  return [`**#${head.number}** ${escapeCell(head.title)}`, lines, ...rest].filter(Boolean).join("\n\n");
}

/** Formats a comment. */
export function formatComment({ user, body, created_at }: z.output<typeof Comment>): string {
  return `**${escapeCell(user?.login ?? "someone")}**, ${created_at?.slice(0, 10) ?? ""}:\n\n${truncateText(body?.trim() ?? "", MAX_TEXT_LENGTH)}`;
}

/** Returns the login for a typed name. `me` is the connected account. */
export function parseLogin(text: string, { metadata }: Pick<ToolContext, "metadata">): string {
  return isMe(text) && typeof metadata.login === "string" ? metadata.login : text.trim().replace(/^@/, "");
}
