import * as z from "zod/mini";
import type { ListRequest } from "../http/pages.ts";
import { createChoiceSchema, isMe, isNobody } from "../input-text.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatNoun } from "../markup/markdown.ts";
import { parseOptionalInstant } from "../time.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { formatIssueTable, Issue, parseLogin, toIssueData } from "./issue.ts";
import { MAX_PAGE_SIZE, readAllPages } from "./paging.ts";
import { buildApiPath, findRepository, formatFullName, parseRepositoryPath } from "./repository.ts";
import { searchIssues } from "./search.ts";

const Input = z.object({
  repository: withDescription(
    z.optional(z.string()),
    "Repository as owner/name, or only its name. Default: all issues that involve the account.",
  ),
  state: withDescription(
    createChoiceSchema(["open", "closed", "all"], {
      any: "all",
      done: "closed",
      resolved: "closed",
      completed: "closed",
    }),
    "Default: open.",
  ),
  assignee: withDescription(z.optional(z.string()), '"me", "nobody", or the login of a user.'),
  label: withDescription(
    z.optional(z.string()),
    'Name of a label, such as "bug". Issues must have all of several, separated by commas.',
  ),
  since: withDescription(z.optional(z.string()), "Only issues changed on or after this day or time, in ISO 8601."),
});
type Input = z.output<typeof Input>;

/**
 * Source: https://docs.github.com/en/rest/issues/issues, "List repository issues"; without a repository, the search.
 */
export const listIssuesTool = defineListTool({
  name: "github.list_issues",
  description: "List issues of a GitHub repository, or the issues on GitHub that involve this account.",
  input: Input,
  limit: { usual: 20, most: 100 },
  examples: [
    "list github issues in {repository}",
    "show the open issues in repository {repository}",
    "which issues are open in the {repository} repo",
    "list my github issues",
    "what is assigned to me on github",
    "list {state} github issues in {repository}",
    "show issues labelled {label} in repository {repository}",
  ],
  summary: (input) => `List ${describeList(input)}`,
  async run(input, context, list) {
    const { issues, more, url } = input.repository?.trim()
      ? await listRepositoryIssues(input.repository, input, context, list)
      : await searchInvolvedIssues(input, context, list);
    const words = escapeCell(describeList(input, issues.length));
    return {
      data: { issues: issues.map(toIssueData), more },
      text: formatList(list, { count: issues.length, words, more, items: () => formatIssueTable(issues) }),
      url,
    };
  },
});

type Found = { issues: Issue[]; more: boolean; url?: string };

/** Lists a repository's issues. GitHub mixes pull requests into the list; they are omitted. */
async function listRepositoryIssues(
  text: string,
  input: Input,
  context: ToolContext,
  list: ListRequest,
): Promise<Found> {
  const repository = await findRepository(context, text);
  const assignee = input.assignee?.trim();
  const query = {
    state: input.state ?? "open",
    assignee: assignee ? (isNobody(assignee) ? "none" : parseLogin(assignee, context)) : undefined,
    labels: splitLabels(input.label).join(",") || undefined,
    since: parseOptionalInstant(input.since, "since", context.timeZone),
    per_page: Math.min(MAX_PAGE_SIZE, list.limit * 2),
  };
  const { values, more } = await readAllPages(
    context.http,
    { path: `${buildApiPath(repository)}/issues`, query, scope: "repo" },
    Issue,
    { limit: list, counts: ({ pull_request }) => !pull_request },
  );
  return { issues: values, more, url: `${context.metadata.url}/${formatFullName(repository)}/issues` };
}

async function searchInvolvedIssues(input: Input, context: ToolContext, list: ListRequest): Promise<Found> {
  const { assignee } = input;
  const since = parseOptionalInstant(input.since, "since", context.timeZone);
  const state = input.state ?? "open";
  const who = assignee?.trim()
    ? isNobody(assignee)
      ? "no:assignee involves:@me"
      : `assignee:${parseLogin(assignee, context)}`
    : "involves:@me";
  const query = [
    "is:issue",
    state === "all" ? "" : `is:${state}`,
    who,
    ...splitLabels(input.label).map((label) => `label:"${label}"`),
    since ? `updated:>=${since}` : "",
  ];
  const { issues, more } = await searchIssues(context, query.filter(Boolean).join(" "), list);
  return { issues, more, url: `${context.metadata.url}/issues` };
}

function splitLabels(labels: string | undefined): string[] {
  return (labels ?? "")
    .split(",")
    .map((label) => label.replace(/"/g, "").trim())
    .filter(Boolean);
}

function describeList({ repository, state, assignee, label, since }: Input, number = 2): string {
  const which = state === "all" ? "" : `${state ?? "open"} `;
  const kind = formatNoun(number, "issue");
  const changes = since?.trim() ? ` changed since ${since.trim()}` : "";
  const labelled = `${label?.trim() ? ` labelled ${label.trim()}` : ""}${changes}`;
  const who = assignee?.trim() ? ` assigned to ${isMe(assignee) ? "you" : assignee.trim()}` : "";
  const where = repository?.trim()
    ? ` in ${parseRepositoryPath(repository)}`
    : who
      ? " on GitHub"
      : ` on GitHub that ${formatNoun(number, "concerns", "concern")} you`;
  return `${which}${kind}${labelled}${who}${where}`;
}
