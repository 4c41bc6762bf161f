import * as z from "zod/mini";
import { checkLength, requireTitle, splitList } from "../input-text.ts";
import { escapeCell, toOneLine } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { Issue, parseLogin, toIssueData } from "./issue.ts";
import {
  buildApiPath,
  findRepository,
  formatFullName,
  parseRepositoryPath,
  REPOSITORY_FIELD,
  REPOSITORY_TARGET,
} from "./repository.ts";

const Input = z.object({
  repository: REPOSITORY_FIELD,
  title: withDescription(z.string(), "Title of the issue, at most 256 characters."),
  body: withDescription(z.optional(z.string()), "Description, as text or Markdown."),
  label: withDescription(z.optional(z.string()), 'Name of a label, such as "bug". Separate several with commas.'),
  assignee: withDescription(z.optional(z.string()), '"me", or the login of a user.'),
});
type Input = z.output<typeof Input>;

/** Longest title and body that GitHub accepts, in characters. */
const TITLE_LIMIT = 256;
const BODY_LIMIT = 65_536;

/** Source: https://docs.github.com/en/rest/issues/issues, "Create an issue". */
export const createIssueTool = defineTool({
  name: "github.create_issue",
  description: "Create an issue in a GitHub repository.",
  access: "write",
  input: Input,
  examples: [
    "create a github issue in {repository}: {title}",
    "create an issue in repository {repository}: {title}",
    "create an issue in the {repository} repo: {title}",
    "open a github issue in {repository} about {title}",
    "file a github issue in {repository} called {title}",
    "new github issue in {repository}: {title}",
  ],
  summary: describeCall,
  ...REPOSITORY_TARGET,
  async run(input, context) {
    const body = buildIssueBody(input, context);
    const repository = await findRepository(context, input.repository);
    const path = `${buildApiPath(repository)}/issues`;
    const issue = await context.http.request({ method: "POST", path, body, answer: Issue, scope: "repo" });
    const text = `Created #${issue.number} in ${formatFullName(repository)}: ${escapeCell(issue.title)}\n\n${issue.html_url}`;
    return { data: toIssueData(issue), text, url: issue.html_url };
  },
});

function describeCall(input: Input): string {
  const details = [
    input.label?.trim() && `label ${input.label.trim()}`,
    input.assignee?.trim() && `assigned to ${input.assignee.trim()}`,
    input.body?.trim() && "with a description",
  ].filter(Boolean);
  const action = `Create an issue in ${parseRepositoryPath(input.repository)}: “${toOneLine(input.title)}”`;
  return details.length > 0 ? `${action} (${details.join(", ")})` : action;
}

function buildIssueBody(input: Input, context: Parameters<typeof parseLogin>[1]): Record<string, unknown> {
  const title = requireTitle(input.title, "An issue");
  checkLength(title, TITLE_LIMIT, { service: "GitHub", noun: "title", field: "title" });
  checkLength(input.body ?? "", BODY_LIMIT, { service: "GitHub", noun: "description", field: "body" });
  const labels = splitList(input.label);
  return {
    title,
    ...(input.body?.trim() ? { body: input.body } : {}),
    ...(labels.length > 0 ? { labels } : {}),
    ...(input.assignee?.trim() ? { assignees: [parseLogin(input.assignee, context)] } : {}),
  };
}
