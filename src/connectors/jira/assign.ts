import * as z from "zod/mini";
import { isMe, isNobody } from "../input-text.ts";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import {
  buildBrowseUrl,
  describeIssue,
  formatIssueKey,
  getJiraApi,
  ISSUE_FIELD,
  ISSUE_TARGET,
  parseIssueKey,
} from "./issue.ts";
import { describePerson, findPerson, type Person } from "./people.ts";

const Input = z.object({
  issue: ISSUE_FIELD,
  assignee: withDescription(z.string(), '"me", "nobody", or the name or email address of a user.'),
});
type Input = z.output<typeof Input>;

/** Source: Jira Cloud REST v3, PUT /rest/api/3/issue/{issueIdOrKey}; returns 204. */
export const assignIssueTool = defineTool({
  name: "jira.assign_issue",
  description: "Assign a Jira issue to a user, or unassign it.",
  access: "write",
  input: Input,
  examples: [
    "assign {issue} to {assignee}",
    "give {issue} to {assignee}",
    "change the assignee of {issue} to {assignee}",
    "hand {issue} over to {assignee}",
  ],
  summary: ({ issue, assignee }) =>
    isNobody(assignee)
      ? `Assign ${formatIssueKey(issue)} to nobody`
      : `Assign ${formatIssueKey(issue)} to ${isMe(assignee) ? "you" : assignee.trim()}`,
  ...ISSUE_TARGET,
  async describeTarget(input, context) {
    const person = await findAssignee(input, context);
    const issue = await describeIssue(input.issue, context);
    return person ? `${issue}; the new assignee is ${describePerson(person)}` : issue;
  },
  async run(input, context) {
    const { api, site } = getJiraApi(context);
    const key = parseIssueKey(input.issue);
    const person = await findAssignee(input, context);
    await context.http.request({
      method: "PUT",
      path: `${api}/issue/${encodeURIComponent(key)}`,
      body: { fields: { assignee: person ? { accountId: person.accountId } : null } },
      answer: z.unknown(),
      scope: "write:jira-work",
    });
    const url = buildBrowseUrl(site, key);
    const name = person?.name ?? "nobody";
    return {
      data: { key, assignee: person?.name ?? null, url },
      text: `${key} is assigned to ${escapeCell(name)}.\n\n${url}`,
      url,
    };
  },
});

async function findAssignee({ assignee }: Input, context: ToolContext): Promise<Person | undefined> {
  return isNobody(assignee) ? undefined : findPerson(context, assignee, { purpose: "change", isShown: true });
}
