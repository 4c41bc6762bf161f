import * as z from "zod/mini";
import { toMarkdown } from "../atlassian/adf/read.ts";
import { escapeCell, truncateText } from "../markup/markdown.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import {
  buildBrowseUrl,
  formatIssueKey,
  getJiraApi,
  ISSUE_FIELD,
  ISSUE_FIELDS,
  IssueFields,
  parseIssueKey,
  toIssueData,
} from "./issue.ts";

const Input = z.object({ issue: ISSUE_FIELD });

const Comment = z.looseObject({
  author: z.nullish(z.looseObject({ displayName: z.nullish(z.string()) })),
  created: z.nullish(z.string()),
  body: z.optional(z.unknown()),
});

const Other = z.nullish(
  z.looseObject({ key: z.string(), fields: z.nullish(z.looseObject({ summary: z.nullish(z.string()) })) }),
);

/** A link, from the side of the issue: `outwardIssue` goes with the outward words. */
const Link = z.looseObject({
  type: z.looseObject({ inward: z.string(), outward: z.string() }),
  inwardIssue: Other,
  outwardIssue: Other,
});

const WholeIssue = z.looseObject({
  key: z.string(),
  fields: z.extend(IssueFields, {
    description: z.optional(z.unknown()),
    created: z.nullish(z.string()),
    labels: z.nullish(z.array(z.string())),
    duedate: z.nullish(z.string()),
    parent: z.nullish(z.looseObject({ key: z.nullish(z.string()) })),
    timespent: z.nullish(z.number()),
    issuelinks: z.nullish(z.array(Link)),
    comment: z.nullish(z.looseObject({ comments: z.nullish(z.array(Comment)), total: z.nullish(z.number()) })),
  }),
});
type WholeIssue = z.output<typeof WholeIssue>;

const FIELDS = `${ISSUE_FIELDS.join(",")},reporter,created,labels,duedate,parent,timespent,issuelinks,description,comment`;

/** Longest description or comment shown to the user and the model, in characters. */
const MAX_TEXT_LENGTH = 4_000;
/** Number of newest comments to show. */
const MAX_COMMENTS = 5;

/** Source: Jira Cloud REST v3, GET /rest/api/3/issue/{issueIdOrKey}. */
export const getIssueTool = defineTool({
  name: "jira.get_issue",
  description: "Read one Jira issue: its status, people, links, time spent, description and newest comments.",
  access: "read",
  input: Input,
  examples: [
    "show {issue}",
    "what is {issue} about",
    "describe {issue}",
    "read issue {issue}",
    "what is the status of {issue}",
    "what is the priority of {issue}",
    "when is {issue} due",
    "who works on {issue}",
    "who is assigned to {issue}",
    "who owns {issue}",
    "details of {issue}",
    "show the comments on {issue}",
    "who reported {issue}",
    "when was {issue} created",
  ],
  summary: (input) => `Read ${formatIssueKey(input.issue)}`,
  async run(input, context) {
    const { site } = getJiraApi(context);
    const issue = await readIssue(context, parseIssueKey(input.issue));
    const comments = fetchNewestComments(issue);
    const description = truncateText(toMarkdown(issue.fields.description), MAX_TEXT_LENGTH);
    const [links, minutes] = [listLinks(issue), Math.round((issue.fields.timespent ?? 0) / 60)];
    const { reporter, created, labels, duedate, parent } = issue.fields;
    const data = {
      ...toIssueData(issue, site),
      reporter: reporter?.displayName ?? null,
      created,
      labels: labels ?? [],
      due: duedate ?? null,
      parent: parent?.key ?? null,
      ...(links.length > 0 ? { links } : {}),
      ...(minutes > 0 ? { minutes_spent: minutes } : {}),
      description,
      comments,
      comments_total: issue.fields.comment?.total ?? comments.length,
    };
    return { data, text: formatIssueText(issue, description, comments), url: buildBrowseUrl(site, issue.key) };
  },
});

async function readIssue(context: ToolContext, key: string): Promise<WholeIssue> {
  const path = `${getJiraApi(context).api}/issue/${encodeURIComponent(key)}`;
  return context.http.request({ path, query: { fields: FIELDS }, answer: WholeIssue, scope: "read:jira-work" });
}

function listLinks({ fields }: WholeIssue): { relation: string; issue: string; summary: string }[] {
  return (fields.issuelinks ?? []).flatMap(({ type, inwardIssue, outwardIssue }) => {
    const linkedIssue = outwardIssue ?? inwardIssue;
    const relation = outwardIssue ? type.outward : type.inward;
    return linkedIssue ? [{ relation, issue: linkedIssue.key, summary: linkedIssue.fields?.summary ?? "" }] : [];
  });
}

function formatMinutes(minutes: number): string {
  return [`${Math.floor(minutes / 60)}h`, `${minutes % 60}m`].filter((part) => !part.startsWith("0")).join(" ");
}

type ShownComment = { author: string; created: string; text: string };

function fetchNewestComments({ fields }: WholeIssue): ShownComment[] {
  return (fields.comment?.comments ?? []).slice(-MAX_COMMENTS).map(({ author, created, body }) => ({
    author: author?.displayName ?? "someone",
    created: created ?? "",
    text: truncateText(toMarkdown(body), MAX_TEXT_LENGTH),
  }));
}

function formatIssueText(issue: WholeIssue, description: string, comments: ShownComment[]): string {
  const { key, fields } = issue;
  const facts: [string, string | null | undefined][] = [
    ["Type", fields.issuetype?.name],
    ["Status", fields.status?.name],
    ["Priority", fields.priority?.name],
    ["Assignee", fields.assignee?.displayName ?? "nobody"],
    ["Reporter", fields.reporter?.displayName],
    ["Labels", fields.labels?.join(", ")],
    ["Due", fields.duedate],
    ["Parent", fields.parent?.key],
    ...listLinks(issue).map(({ relation, issue: linkedIssue, summary }): [string, string] => [
      relation.charAt(0).toUpperCase() + relation.slice(1),
      `${linkedIssue} ${summary}`,
    ]),
    ["Time spent", formatMinutes(Math.round((fields.timespent ?? 0) / 60))],
    ["Updated", fields.updated?.slice(0, 10)],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`- ${name}: ${escapeCell(value)}`] : []));
  return [
    `**${key}** ${escapeCell(fields.summary ?? "")}`,
    lines.join("\n"),
    description,
    ...comments.map(({ author, created, text }) => {
      const when = created ? `, ${created.slice(0, 10)}` : "";
      return `**${escapeCell(author)}**${when}:\n\n${text}`;
    }),
  ]
    .filter(Boolean)
    .join("\n\n");
}
