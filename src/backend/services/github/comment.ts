import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describe } from "../fields.ts";
import { excerpt } from "../markdown.ts";
import { defineTool } from "../service.ts";
import { Comment } from "./issue.ts";
import { apiPath, findRepository, fullName, inRepository, repositoryPath } from "./repository.ts";

const Input = z.object({
  repository: describe(z.string(), "Repository as owner/name, or its name alone."),
  number: describe(z.coerce.number().check(z.int(), z.minimum(1)), "Number of the issue or pull request, such as 12."),
  text: describe(z.string(), "The comment, as text or Markdown."),
});
type Input = z.output<typeof Input>;

/** Source: https://docs.github.com/en/rest/issues/comments, "Create an issue comment"; pull requests take them too. */
export const comment = defineTool({
  name: "github.comment",
  description: "Comment on a GitHub issue or pull request.",
  access: "write",
  input: Input,
  examples: [
    "comment on issue {number} in {repository}: {text}",
    "comment on github issue {number} in {repository}: {text}",
    "add a comment to issue {number} in {repository}: {text}",
    "reply on issue {number} in {repository} that {text}",
  ],
  summary: ({ repository, number, text }: Input) =>
    `Comment on #${number} in ${repositoryPath(repository)}: “${excerpt(text.replace(/\s+/g, " ").trim(), 500)}”`,
  resource: ({ repository }: Input) => inRepository(repository),
  async run(input, context) {
    if (input.text.trim() === "") {
      throw new Problem("INVALID_REQUEST", "A comment needs some text.", { details: { field: "text" } });
    }
    const repository = await findRepository(context, input.repository);
    const { id, html_url } = await context.http.request({
      method: "POST",
      path: `${apiPath(repository)}/issues/${input.number}/comments`,
      body: { body: input.text },
      answer: Comment,
      scope: "repo",
    });
    const url = html_url ?? undefined;
    const text = [`Commented on #${input.number} in ${fullName(repository)}.`, url].filter(Boolean).join("\n\n");
    return { data: { number: input.number, repository: fullName(repository), comment: id, url }, text, url };
  },
});
