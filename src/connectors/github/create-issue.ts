import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { splitList } from "../input-text.ts";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { Issue, parseLogin, toIssueData } from "./issue.ts";
import {
  buildApiPath,
  findRepository,
  formatFullName,
  formatRepositoryPlace,
  parseRepositoryPath,
  REPOSITORY_FIELD,
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
  resource: ({ repository }: Input) => formatRepositoryPlace(repository),
  destinations: ({ repository }: Input) => [parseRepositoryPath(repository).toLowerCase()],
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
  const title = toOneLine(input.title);
  const createFieldProblem = (name: string, sentence: string) =>
    new Problem("INVALID_REQUEST", sentence, { hint: "Change it and try again.", details: { field: name } });
  if (title === "") throw createFieldProblem("title", "An issue needs a title.");
  if (title.length > TITLE_LIMIT) {
    throw createFieldProblem(
      "title",
      `The title has ${title.length} characters; GitHub accepts at most ${TITLE_LIMIT}.`,
    );
  }
  if ((input.body?.length ?? 0) > BODY_LIMIT) {
    throw createFieldProblem(
      "body",
      `The body has ${input.body?.length} characters; GitHub accepts at most ${BODY_LIMIT}.`,
    );
  }
  const labels = splitList(input.label);
  return {
    title,
    ...(input.body?.trim() ? { body: input.body } : {}),
    ...(labels.length > 0 ? { labels } : {}),
    ...(input.assignee?.trim() ? { assignees: [parseLogin(input.assignee, context)] } : {}),
  };
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
