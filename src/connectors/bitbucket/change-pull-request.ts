import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { emptyTextProblem } from "../input-text.ts";
import { escapeCell, quoteText } from "../markup/markdown.ts";
import { narrowPlace } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import {
  buildPullRequestPath,
  buildPullRequestUrl,
  describePullRequest,
  formatRepository,
  formatRepositoryPlace,
  PullRequest,
  PullRequestInput,
  parseRepository,
  toPullRequestData,
} from "./pull-request.ts";

/** Source: Bitbucket Cloud REST 2.0, POST …/pullrequests/{id}/approve; 409 means that it was already approved. */
export const approvePullRequestTool = defineTool({
  name: "bitbucket.approve_pull_request",
  description: "Approve a Bitbucket pull request.",
  access: "write",
  input: PullRequestInput,
  examples: [
    "approve pull request {id} in {repository}",
    "approve PR {id} in {repository}",
    "approve the bitbucket pull request {id} of {repository}",
  ],
  summary: ({ repository, id }) => `Approve pull request #${id} in ${formatRepository(repository)}`,
  resource: ({ repository, id }) => narrowPlace(formatRepositoryPlace(repository), `pull request ${id}`),
  describeTarget: (input, context) => describePullRequest(input, context, { withCommit: true }),
  async run(input, context) {
    const repository = parseRepository(input.repository, context);
    const isNew = await approvePullRequest(`${buildPullRequestPath(repository, input.id)}/approve`, context);
    const url = buildPullRequestUrl({ id: input.id }, repository);
    const label = `#${input.id} in ${escapeCell(repository.slug)}`;
    const text = isNew ? `Approved ${label}.` : `You had already approved ${label}.`;
    const data = { pull_request: input.id, repository: repository.slug, approved: true, changed: isNew, url };
    return { data, text: `${text}\n\n${url}`, url };
  },
});

/** Approves a pull request. Returns false if it was already approved. */
async function approvePullRequest(path: string, { http }: ToolContext): Promise<boolean> {
  try {
    await http.request({ method: "POST", path, answer: z.unknown(), scope: "pullrequest:write" });
    return true;
  } catch (error) {
    if (error instanceof Problem && error.details.service_status === 409) return false;
    throw error;
  }
}

/** Source: Bitbucket Cloud REST 2.0, POST …/pullrequests/{id}/decline. A declined pull request cannot be reopened. */
export const declinePullRequestTool = defineTool({
  name: "bitbucket.decline_pull_request",
  description: "Decline an open Bitbucket pull request. It cannot be reopened.",
  access: "destructive",
  input: PullRequestInput,
  examples: [
    "decline pull request {id} in {repository}",
    "decline PR {id} in {repository}",
    "reject pull request {id} in {repository}",
    "decline the bitbucket pull request {id} of {repository}",
  ],
  summary: ({ repository, id }) => `Decline pull request #${id} in ${formatRepository(repository)} permanently`,
  resource: ({ repository, id }) => narrowPlace(formatRepositoryPlace(repository), `pull request ${id}`),
  describeTarget: (input, context) => describePullRequest(input, context),
  async run(input, context) {
    const repository = parseRepository(input.repository, context);
    const pull = await context.http.request({
      method: "POST",
      path: `${buildPullRequestPath(repository, input.id)}/decline`,
      answer: PullRequest,
      scope: "pullrequest:write",
    });
    const url = buildPullRequestUrl(pull, repository);
    const text = `Declined #${pull.id} ${escapeCell(pull.title)}.\n\n${url}`;
    return { data: toPullRequestData(pull, repository), text, url };
  },
});

const MergeInput = z.extend(PullRequestInput, {
  strategy: withDescription(
    z.optional(z.enum(["merge_commit", "squash", "fast_forward"])),
    "merge_commit, squash or fast_forward. Default: the repository's setting.",
  ),
  message: withDescription(z.optional(z.string()), "Commit message. Default: Bitbucket's message."),
  close_source_branch: withDescription(
    z.optional(z.boolean()),
    "Whether to delete the source branch. Default: the pull request's setting.",
  ),
});

/**
 * Source: Bitbucket Cloud REST 2.0, POST …/pullrequests/{id}/merge. A merge cannot be undone, only reverted by another
 * commit. Bitbucket reports checks and conflicts that prevent it.
 */
export const mergePullRequestTool = defineTool({
  name: "bitbucket.merge_pull_request",
  description: "Merge an open Bitbucket pull request into its destination branch.",
  access: "destructive",
  input: MergeInput,
  examples: [
    "merge pull request {id} in {repository}",
    "merge PR {id} in {repository}",
    "merge the bitbucket pull request {id} of {repository}",
    "merge PR {id} of {repository} with {strategy}",
  ],
  summary: ({ repository, id, strategy, message, close_source_branch: closes }) =>
    [
      `Merge pull request #${id} in ${formatRepository(repository)}`,
      strategy ? ` (${strategy.replace("_", " ")})` : "",
      closes ? " and delete its branch" : "",
      message?.trim() ? `: ${quoteText(message, 300)}` : "",
    ].join(""),
  resource: ({ repository, id }) => narrowPlace(formatRepositoryPlace(repository), `pull request ${id}`),
  describeTarget: (input, context) => describePullRequest(input, context, { withCommit: true }),
  async run(input, context) {
    const repository = parseRepository(input.repository, context);
    const pull = await context.http.request({
      method: "POST",
      path: `${buildPullRequestPath(repository, input.id)}/merge`,
      body: {
        type: "pullrequest_merge_parameters",
        ...(input.strategy ? { merge_strategy: input.strategy } : {}),
        ...(input.message?.trim() ? { message: input.message.trim() } : {}),
        ...(input.close_source_branch === undefined ? {} : { close_source_branch: input.close_source_branch }),
      },
      answer: PullRequest,
      scope: "pullrequest:write",
    });
    const url = buildPullRequestUrl(pull, repository);
    const into = pull.destination?.branch?.name ?? "its destination";
    const text = `Merged #${pull.id} ${escapeCell(pull.title)} into ${escapeCell(into)}.\n\n${url}`;
    return { data: toPullRequestData(pull, repository), text, url };
  },
});

const CommentInput = z.extend(PullRequestInput, {
  text: withDescription(z.string(), "The comment, as text or Markdown."),
});

const Comment = z.looseObject({
  id: z.number(),
  links: z.nullish(z.looseObject({ html: z.nullish(z.looseObject({ href: z.nullish(z.string()) })) })),
});

/**
 * Source: Bitbucket Cloud REST 2.0, POST …/pullrequests/{id}/comments, with Markdown text. It requires no more than
 * reading does: scope `pullrequest`.
 */
export const addCommentTool = defineTool({
  name: "bitbucket.comment",
  description: "Comment on a Bitbucket pull request.",
  access: "write",
  input: CommentInput,
  examples: [
    "comment on the bitbucket pull request {id} in {repository}: {text}",
    "comment on pull request {id} of {repository} in bitbucket: {text}",
    "add a comment to the bitbucket PR {id} in {repository}: {text}",
    "comment {text} on pull request {id} in {repository} in bitbucket",
  ],
  summary: ({ repository, id, text }) =>
    `Comment on pull request #${id} in ${formatRepository(repository)}: ${quoteText(text, 500)}`,
  resource: ({ repository }) => formatRepositoryPlace(repository),
  object: ({ id }) => `pull request ${id}`,
  describeTarget: (input, context) => describePullRequest(input, context),
  async run(input, context) {
    const raw = input.text.trim();
    if (raw === "") throw emptyTextProblem("comment");
    const repository = parseRepository(input.repository, context);
    const comment = await context.http.request({
      method: "POST",
      path: `${buildPullRequestPath(repository, input.id)}/comments`,
      body: { content: { raw } },
      answer: Comment,
      scope: "pullrequest",
    });
    const url = comment.links?.html?.href ?? buildPullRequestUrl({ id: input.id }, repository);
    const data = { comment: comment.id, pull_request: input.id, repository: repository.slug, url };
    return { data, text: `Commented on #${input.id} in ${escapeCell(repository.slug)}.\n\n${url}`, url };
  },
});
