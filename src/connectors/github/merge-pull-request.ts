import * as z from "zod/mini";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { PULL_REQUEST_TARGET, readApprovedHead } from "./pull-request.ts";
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
  number: createNumberField("the pull request"),
  method: withDescription(
    z.optional(z.enum(["merge", "squash", "rebase"])),
    "merge, squash or rebase. Default: merge. A repository may allow only some.",
  ),
  message: withDescription(z.optional(z.string()), "Commit message. Default: GitHub's message."),
});

const Merged = z.looseObject({ sha: z.nullish(z.string()) });

/**
 * Source: https://docs.github.com/en/rest/pulls/pulls, "Merge a pull request". A merge cannot be undone, only reverted
 * by another commit. GitHub reports checks, conflicts and drafts that prevent it, and refuses (409) if the head is no
 * longer `sha`.
 */
export const mergePullRequestTool = defineTool({
  name: "github.merge_pull_request",
  description: "Merge an open GitHub pull request into its destination branch.",
  access: "destructive",
  input: Input,
  examples: [
    "merge github pull request {number} in {repository}",
    "merge github PR {number} in {repository}",
    "merge PR {number} in {repository} on github",
    "{method} github pull request {number} in {repository}",
  ],
  summary: ({ repository, number, method, message }) => {
    const strategy = method && method !== "merge" ? ` (${method})` : "";
    const quotedMessage = message?.trim() ? `: ${quoteText(message, 300)}` : "";
    return `Merge pull request #${number} in ${parseRepositoryPath(repository)}${strategy}${quotedMessage}`;
  },
  ...PULL_REQUEST_TARGET,
  async run(input, context) {
    const repository = await findRepository(context, input.repository);
    const head = await readApprovedHead(context, repository, input.number);
    const { sha } = await context.http.request({
      method: "PUT",
      path: `${buildApiPath(repository)}/pulls/${input.number}/merge`,
      body: {
        ...(head ? { sha: head } : {}),
        ...(input.method ? { merge_method: input.method } : {}),
        ...(input.message?.trim() ? { commit_message: input.message.trim() } : {}),
      },
      answer: Merged,
      scope: "repo",
    });
    const name = formatFullName(repository);
    const text = `Merged #${input.number} in ${escapeCell(name)}${sha ? ` as ${sha.slice(0, 7)}` : ""}.`;
    return { data: { number: input.number, repository: name, state: "merged", commit: sha ?? undefined }, text };
  },
});
