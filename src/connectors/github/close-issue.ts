import * as z from "zod/mini";
import { createChoiceSchema } from "../input-text.ts";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { formatIssueState, ISSUE_TARGET, Issue } from "./issue.ts";
import {
  buildApiPath,
  createNumberField,
  findRepository,
  formatFullName,
  parseRepositoryPath,
  REPOSITORY_FIELD,
} from "./repository.ts";

const Input = z.object({
  repository: REPOSITORY_FIELD,
  number: createNumberField("the issue"),
  reason: withDescription(
    createChoiceSchema(["completed", "not planned"], {
      done: "completed",
      fixed: "completed",
      "won't fix": "not planned",
      wontfix: "not planned",
      invalid: "not planned",
      duplicate: "not planned",
    }),
    "Default: completed.",
  ),
});

/** Source: https://docs.github.com/en/rest/issues/issues, "Update an issue". */
export const closeIssueTool = defineTool({
  name: "github.close_issue",
  description: "Close a GitHub issue, as completed or as not planned.",
  access: "write",
  input: Input,
  examples: [
    "close issue {number} in {repository}",
    "close github issue {number} in {repository}",
    "close issue {number} in {repository} as {reason}",
    "resolve issue {number} in {repository}",
  ],
  summary: ({ repository, number, reason }) =>
    `Close issue #${number} in ${parseRepositoryPath(repository)}${reason === "not planned" ? " as not planned" : ""}`,
  ...ISSUE_TARGET,
  async run(input, context) {
    const repository = await findRepository(context, input.repository);
    const path = `${buildApiPath(repository)}/issues/${input.number}`;
    const oldIssue = await context.http.request({ path, answer: Issue, scope: "repo" });
    const name = `#${input.number} in ${formatFullName(repository)}`;
    const url = oldIssue.html_url;
    if (oldIssue.state === "closed") {
      const data = {
        number: input.number,
        repository: formatFullName(repository),
        state: formatIssueState(oldIssue),
        changed: false,
        url,
      };
      return { data, text: `${name} is already ${formatIssueState(oldIssue)}.`, url };
    }
    const body = { state: "closed", state_reason: input.reason === "not planned" ? "not_planned" : "completed" };
    const after = await context.http.request({ method: "PATCH", path, body, answer: Issue, scope: "repo" });
    const data = {
      number: after.number,
      repository: formatFullName(repository),
      state: formatIssueState(after),
      changed: true,
      url,
    };
    return { data, text: `${name} is now ${formatIssueState(after)}: ${escapeCell(after.title)}\n\n${url}`, url };
  },
});
