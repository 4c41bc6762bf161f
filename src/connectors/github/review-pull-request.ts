import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { quoteText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { PULL_REQUEST_TARGET } from "./pull-request.ts";
import {
  buildApiPath,
  createNumberField,
  findRepository,
  formatFullName,
  parseRepositoryPath,
  REPOSITORY_FIELD,
} from "./repository.ts";

/** Verdicts, with GitHub's names for them and the words of cards and results. */
const VERDICTS = {
  approve: { event: "APPROVE", card: "Approve", done: "Approved" },
  "request changes": { event: "REQUEST_CHANGES", card: "Request changes on", done: "Requested changes on" },
  comment: { event: "COMMENT", card: "Review", done: "Commented on" },
} as const;

const Input = z.object({
  repository: REPOSITORY_FIELD,
  number: createNumberField("the pull request"),
  verdict: withDescription(z.enum(["approve", "request changes", "comment"]), "Verdict of the review."),
  text: withDescription(z.optional(z.string()), "The review, as text or Markdown. Required unless it approves."),
});

const Made = z.looseObject({ id: z.number(), html_url: z.nullish(z.string()) });

/** Source: https://docs.github.com/en/rest/pulls/reviews, "Create a review for a pull request". */
export const reviewPullRequestTool = defineTool({
  name: "github.review_pull_request",
  description: "Review a GitHub pull request: approve it, request changes or comment.",
  access: "write",
  input: Input,
  examples: [
    "approve github pull request {number} in {repository}",
    "approve github PR {number} in {repository}",
    "approve PR {number} in {repository} on github",
  ],
  summary: ({ repository, number, verdict, text }) => {
    const quote = text?.trim() ? `: ${quoteText(text, 500)}` : "";
    return `${VERDICTS[verdict].card} pull request #${number} in ${parseRepositoryPath(repository)}${quote}`;
  },
  ...PULL_REQUEST_TARGET,
  object: ({ verdict }) => verdict,
  async run(input, context) {
    if (input.verdict !== "approve" && !input.text?.trim())
      throw new Problem("INVALID_REQUEST", "This review requires text.", { details: { field: "text" } });
    const repository = await findRepository(context, input.repository);
    const { id, html_url } = await context.http.request({
      method: "POST",
      path: `${buildApiPath(repository)}/pulls/${input.number}/reviews`,
      body: { event: VERDICTS[input.verdict].event, ...(input.text?.trim() ? { body: input.text } : {}) },
      answer: Made,
      scope: "repo",
    });
    const name = formatFullName(repository);
    const url = html_url ?? undefined;
    const text = [`${VERDICTS[input.verdict].done} #${input.number} in ${name}.`, url].filter(Boolean).join("\n\n");
    return { data: { number: input.number, repository: name, review: id, verdict: input.verdict, url }, text, url };
  },
});
