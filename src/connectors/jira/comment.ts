import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { toAdf } from "../atlassian/adf/write.ts";
import { quoteText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import {
  buildBrowseUrl,
  describeIssue,
  formatIssueKey,
  formatIssueProjectPlace,
  getJiraApi,
  parseIssueKey,
} from "./issue.ts";

const Input = z.object({
  issue: withDescription(z.string(), "Key of the issue, such as KAY-3."),
  text: withDescription(z.string(), "The comment, as text or Markdown."),
});
type Input = z.output<typeof Input>;

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
    "add a comment to {issue} saying {text}",
    "reply on {issue} that {text}",
    "tell {issue} that {text}",
  ],
  summary: ({ issue, text }: Input) => `Comment on ${formatIssueKey(issue)}: ${quoteText(text, 200)}`,
  resource: ({ issue }: Input) => formatIssueProjectPlace(issue),
  object: ({ issue }: Input) => formatIssueKey(issue),
  describeTarget: ({ issue }, context) => describeIssue(issue, context),
  async run(input, context) {
    const { api, site } = getJiraApi(context);
    const key = parseIssueKey(input.issue);
    const body = toAdf(input.text, "comment");
    if (!body) throw new Problem("INVALID_REQUEST", "The comment must not be empty.", { details: { field: "text" } });
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
