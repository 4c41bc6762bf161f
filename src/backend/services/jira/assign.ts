import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell } from "../markdown.ts";
import { defineTool } from "../service.ts";
import { browseUrl, inProjectOf, issueKey, jiraOf, shownKey } from "./issue.ts";
import { isMe, isNobody } from "./jql.ts";
import { findPerson } from "./people.ts";

const Input = z.object({
  issue: describe(z.string(), "Key of the issue, such as KAY-3."),
  assignee: describe(z.string(), '"me", "nobody", or the name or e-mail address of a person.'),
});
type Input = z.output<typeof Input>;

/** Source: Jira Cloud REST v3, PUT /rest/api/3/issue/{issueIdOrKey}; answers 204. */
export const assignIssue = defineTool({
  name: "jira.assign_issue",
  description: "Assign a Jira issue to a person, to the one who asks, or to nobody.",
  access: "write",
  input: Input,
  examples: ["assign {issue} to {assignee}", "give {issue} to {assignee}", "hand {issue} over to {assignee}"],
  summary: ({ issue, assignee }: Input) =>
    isNobody(assignee)
      ? `Assign ${shownKey(issue)} to nobody`
      : `Assign ${shownKey(issue)} to ${isMe(assignee) ? "you" : assignee.trim()}`,
  resource: ({ issue }: Input) => inProjectOf(issue),
  async run(input, context) {
    const { api, site } = jiraOf(context);
    const key = issueKey(input.issue);
    const person = isNobody(input.assignee) ? undefined : await findPerson(context.http, api, input.assignee);
    await context.http.request({
      method: "PUT",
      path: `${api}/issue/${encodeURIComponent(key)}`,
      body: { fields: { assignee: person ? { accountId: person.accountId } : null } },
      answer: z.unknown(),
      scope: "write:jira-work",
    });
    const url = browseUrl(site, key);
    const name = person?.name ?? "nobody";
    return {
      data: { key, assignee: person?.name ?? null, url },
      text: `${key} is assigned to ${cell(name)}.\n\n${url}`,
      url,
    };
  },
});
