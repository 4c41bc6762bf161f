import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { isNobody, splitList } from "../input-text.ts";
import { escapeCell, toOneLine } from "../markup/markdown.ts";
import { listGiven } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { ISSUE_TARGET, Issue, listLabels, parseLogin, toIssueData } from "./issue.ts";
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
  number: createNumberField("the issue or pull request"),
  title: withDescription(z.optional(z.string()), "New title, at most 256 characters."),
  body: withDescription(z.optional(z.string()), "New description, as text or Markdown. It replaces the old one."),
  addLabels: withDescription(z.optional(z.string()), "Labels to add, separated by commas."),
  removeLabels: withDescription(z.optional(z.string()), "Labels to remove, separated by commas."),
  assignee: withDescription(
    z.optional(z.string()),
    '"me", "nobody", or the login of a user. It replaces the old ones.',
  ),
  reopen: withDescription(z.optional(z.boolean()), "Whether to open a closed one again."),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.github.com/en/rest/issues/issues, "Update an issue"; it also works for pull requests. */
export const editIssueTool = defineTool({
  name: "github.edit_issue",
  description: "Change a GitHub issue or pull request: title, description, labels or assignee, or reopen it.",
  access: "write",
  input: Input,
  examples: [
    "rename issue {number} in {repository} to {title}",
    "add the label {addLabels} to issue {number} in {repository}",
    "remove the label {removeLabels} from issue {number} in {repository}",
    "assign issue {number} in {repository} to {assignee}",
    "reopen issue {number} in {repository}",
  ],
  summary: (input) =>
    `Change #${input.number} in ${parseRepositoryPath(input.repository)}: ${describeChanges(input).join(", ") || "nothing"}`,
  ...ISSUE_TARGET,
  object: ({ repository: _, number, ...changes }) => [`#${number}`, ...listGiven(changes)].join(", "),
  async run(input, context) {
    const changes = describeChanges(input);
    if (changes.length === 0) {
      throw new Problem("INVALID_REQUEST", "A change to the issue is required.", {
        hint: "Specify a title, body, labels or assignee, or reopen.",
      });
    }
    const repository = await findRepository(context, input.repository);
    const path = `${buildApiPath(repository)}/issues/${input.number}`;
    const [addedLabels, removedLabels] = [splitList(input.addLabels), splitList(input.removeLabels)];
    const oldIssue =
      addedLabels.length + removedLabels.length > 0
        ? await context.http.request({ path, answer: Issue, scope: "repo" })
        : undefined;
    const isRemoved = (label: string) => removedLabels.some((name) => name.toLowerCase() === label.toLowerCase());
    const body = {
      ...(input.title?.trim() ? { title: toOneLine(input.title) } : {}),
      ...(input.body === undefined ? {} : { body: input.body }),
      ...(oldIssue
        ? { labels: [...new Set([...listLabels(oldIssue), ...addedLabels])].filter((label) => !isRemoved(label)) }
        : {}),
      ...(input.assignee?.trim()
        ? { assignees: isNobody(input.assignee) ? [] : [parseLogin(input.assignee, context)] }
        : {}),
      ...(input.reopen ? { state: "open" } : {}),
    };
    const issue = await context.http.request({ method: "PATCH", path, body, answer: Issue, scope: "repo" });
    const text = `Changed #${issue.number} in ${formatFullName(repository)}: ${escapeCell(changes.join(", "))}.\n\n${issue.html_url}`;
    return { data: { ...toIssueData(issue), changes }, text, url: issue.html_url };
  },
});

function describeChanges({ title, body, addLabels, removeLabels, assignee, reopen }: Input): string[] {
  return [
    title?.trim() ? `title “${toOneLine(title)}”` : "",
    body === undefined ? "" : body.trim() ? "a new description" : "no description",
    addLabels?.trim() ? `label + ${splitList(addLabels).join(", ")}` : "",
    removeLabels?.trim() ? `label − ${splitList(removeLabels).join(", ")}` : "",
    assignee?.trim() ? (isNobody(assignee) ? "assigned to nobody" : `assigned to ${assignee.trim()}`) : "",
    reopen ? "reopened" : "",
  ].filter(Boolean);
}
