import * as z from "zod/mini";
import { emptyTextProblem } from "../input-text.ts";
import { quoteText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { Comment, ISSUE_TARGET } from "./issue.ts";
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
  text: withDescription(z.string(), "The comment, as text or Markdown."),
});

/**
 * Source: https://docs.github.com/en/rest/issues/comments, "Create an issue comment"; it also works for pull requests.
 */
export const addCommentTool = defineTool({
  name: "github.comment",
  description: "Comment on a GitHub issue or pull request.",
  access: "write",
  input: Input,
  examples: [
    "comment on issue {number} in {repository}: {text}",
    "comment on github issue {number} in {repository}: {text}",
    "add a comment to issue {number} in {repository}: {text}",
    "reply on issue {number} in {repository} that {text}",
    "comment {text} on issue {number} in {repository}",
  ],
  summary: ({ repository, number, text }) =>
    `Comment on #${number} in ${parseRepositoryPath(repository)}: ${quoteText(text, 500)}`,
  ...ISSUE_TARGET,
  async run(input, context) {
    if (input.text.trim() === "") throw emptyTextProblem("comment");
    const repository = await findRepository(context, input.repository);
    const { id, html_url } = await context.http.request({
      method: "POST",
      path: `${buildApiPath(repository)}/issues/${input.number}/comments`,
      body: { body: input.text },
      answer: Comment,
      scope: "repo",
    });
    const url = html_url ?? undefined;
    const text = [`Commented on #${input.number} in ${formatFullName(repository)}.`, url].filter(Boolean).join("\n\n");
    return { data: { number: input.number, repository: formatFullName(repository), comment: id, url }, text, url };
  },
});
