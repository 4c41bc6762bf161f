import * as z from "zod/mini";
import { toAdf } from "../atlassian/adf/write.ts";
import { emptyTextProblem } from "../input-text.ts";
import { quoteText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { buildBrowseUrl, formatIssueKey, getJiraApi, ISSUE_FIELD, ISSUE_TARGET, parseIssueKey } from "./issue.ts";

const Input = z.object({
  issue: ISSUE_FIELD,
  text: withDescription(z.string(), "The comment, as text or Markdown."),
});

const Comment = z.looseObject({ id: z.string() });

/** Source: Jira Cloud REST v3, POST /rest/api/3/issue/{issueIdOrKey}/comment. */
export const addCommentTool = defineTool({
  name: "jira.add_comment",
  description: "Add a comment to a Jira issue.",
  access: "write",
  input: Input,
  examples: [
    "comment on {issue}: {text}",
    "comment {text} on {issue}",
    "add a comment to {issue}: {text}",
    "add a comment on {issue}: {text}",
    "leave a comment on {issue} saying {text}",
    "reply to {issue} with {text}",
    "reply on {issue} that {text}",
    "tell {issue} that {text}",
  ],
  summary: ({ issue, text }) => `Comment on ${formatIssueKey(issue)}: ${quoteText(text, 200)}`,
  ...ISSUE_TARGET,
  async run(input, context) {
    const { api, site } = getJiraApi(context);
    const key = parseIssueKey(input.issue);
    const body = toAdf(input.text, "comment");
    if (!body) throw emptyTextProblem("comment");
    const { id } = await context.http.request({
      method: "POST",
      path: `${api}/issue/${encodeURIComponent(key)}/comment`,
      body: { body },
      answer: Comment,
      scope: "write:jira-work",
    });
    const url = `${buildBrowseUrl(site, key)}?focusedCommentId=${encodeURIComponent(id)}`;
    return { data: { key, comment: id, url }, text: `Commented on ${key}.\n\n${url}`, url };
  },
});
