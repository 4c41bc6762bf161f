import * as z from "zod/mini";
import { truncateText } from "../markup/markdown.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import {
  Comment,
  formatComment,
  formatDetails,
  formatIssueState,
  getRepositoryName,
  Issue,
  listAssignees,
  listLabels,
  MAX_TEXT_LENGTH,
  toIssueData,
} from "./issue.ts";
import {
  buildApiPath,
  createNumberField,
  findRepository,
  parseRepositoryPath,
  REPOSITORY_FIELD,
} from "./repository.ts";

const Input = z.object({
  repository: REPOSITORY_FIELD,
  number: createNumberField("the issue"),
});

/** Number of newest comments to show. */
const MAX_COMMENTS = 5;

/** Source: https://docs.github.com/en/rest/issues/issues, "Get an issue", and …/issues/comments. */
export const getIssueTool = defineTool({
  name: "github.get_issue",
  description: "Read one GitHub issue: its state, people, description and newest comments.",
  access: "read",
  input: Input,
  examples: [
    "show issue {number} in {repository}",
    "show github issue {number} in {repository}",
    "what is issue {number} of {repository} about",
    "read issue {number} in {repository}",
    "what is the state of issue {number} in {repository}",
    "show the comments on issue {number} in {repository}",
  ],
  summary: ({ repository, number }) => `Read issue #${number} in ${parseRepositoryPath(repository)}`,
  async run(input, context) {
    const path = `${buildApiPath(await findRepository(context, input.repository))}/issues/${input.number}`;
    const issue = await context.http.request({ path, answer: Issue, scope: "repo" });
    const comments = issue.comments ? await fetchNewestComments(context, path, issue.comments) : [];
    const description = truncateText(issue.body?.trim() ?? "", MAX_TEXT_LENGTH);
    const facts: [string, string | undefined][] = [
      ["State", formatIssueState(issue)],
      ["Repository", getRepositoryName(issue)],
      ["Author", issue.user?.login ?? undefined],
      ["Assignee", listAssignees(issue).join(", ") || "nobody"],
      ["Labels", listLabels(issue).join(", ")],
      ["Updated", issue.updated_at?.slice(0, 10)],
    ];
    return {
      data: {
        ...toIssueData(issue),
        description,
        newest_comments: comments.map(({ user, body, created_at }) => ({
          author: user?.login ?? "someone",
          created: created_at,
          text: truncateText(body?.trim() ?? "", MAX_TEXT_LENGTH),
        })),
      },
      text: formatDetails(issue, facts, description, ...comments.map(formatComment)),
      url: issue.html_url,
    };
  },
});

/**
 * Returns the newest comments. Comments are listed oldest first, so the newest are on the last page, or also on the one
 * before it.
 */
async function fetchNewestComments({ http }: ToolContext, path: string, total: number) {
  const last = Math.ceil(total / MAX_COMMENTS);
  const fetchPage = (number: number) =>
    http.request({
      path: `${path}/comments`,
      query: { per_page: MAX_COMMENTS, page: number },
      answer: z.array(Comment),
      scope: "repo",
    });
  const newest = await fetchPage(last);
  if (newest.length >= MAX_COMMENTS || last === 1) return newest;
  return [...(await fetchPage(last - 1)), ...newest].slice(-MAX_COMMENTS);
}
