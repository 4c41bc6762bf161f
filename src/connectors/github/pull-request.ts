import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { formatMarkdownTable } from "../markup/markdown.ts";
import { narrowPlace, quoteTitle } from "../place.ts";
import type { ToolContext } from "../tool.ts";
import { Person } from "./issue.ts";
import {
  buildApiPath,
  findRepository,
  formatFullName,
  formatRepositoryPlace,
  REPOSITORY_TARGET,
} from "./repository.ts";

const Branch = z.nullish(
  z.looseObject({ ref: z.nullish(z.string()), sha: z.nullish(z.string()), label: z.nullish(z.string()) }),
);

/** A pull request. Source: https://docs.github.com/en/rest/pulls/pulls */
export const PullRequest = z.looseObject({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  draft: z.nullish(z.boolean()),
  merged_at: z.nullish(z.string()),
  user: Person,
  head: Branch,
  base: Branch,
  body: z.nullish(z.string()),
  requested_reviewers: z.nullish(z.array(z.looseObject({ login: z.nullish(z.string()) }))),
  comments: z.nullish(z.number()),
  additions: z.nullish(z.number()),
  deletions: z.nullish(z.number()),
  changed_files: z.nullish(z.number()),
  mergeable_state: z.nullish(z.string()),
  updated_at: z.nullish(z.string()),
  html_url: z.string(),
});
export type PullRequest = z.output<typeof PullRequest>;

export const Review = z.looseObject({ user: Person, state: z.string(), submitted_at: z.nullish(z.string()) });

/** The place, recipient and target of a tool that judges the commits of a pull request. */
export const PULL_REQUEST_TARGET = {
  ...REPOSITORY_TARGET,
  resource: ({ repository, number }: { repository: string; number: number }) =>
    narrowPlace(formatRepositoryPlace(repository), `pull request ${number}`),
  describeTarget: describeReviewedPullRequest,
};

/** Describes a pull request with its newest commit, so that an approval covers no later commit. */
async function describeReviewedPullRequest(
  { repository: text, number }: { repository: string; number: number },
  context: ToolContext,
): Promise<string> {
  const repository = await findRepository(context, text);
  const pull = await fetchPullRequest(context, repository, number);
  const by = pull.user?.login ? ` by ${pull.user.login}` : "";
  const commit = pull.head?.sha ? ` ${formatCommit(pull.head.sha)}` : "";
  return `${quoteTitle(pull.title)}, ${formatPullState(pull)} pull request #${number}${by} in ${formatFullName(repository)}${commit}`;
}

function formatCommit(sha: string): string {
  return `(commit ${sha.slice(0, 12)})`;
}

type Repository = Awaited<ReturnType<typeof findRepository>>;

function fetchPullRequest({ http }: ToolContext, repository: Repository, number: number): Promise<PullRequest> {
  const path = `${buildApiPath(repository)}/pulls/${number}`;
  return http.request({ path, answer: PullRequest, scope: "repo" });
}

/**
 * Returns the SHA of the newest commit of a pull request.
 *
 * @throws Problem DENIED when the approval named another one
 */
export async function readApprovedHead(
  context: ToolContext,
  repository: Repository,
  number: number,
): Promise<string | undefined> {
  const sha = (await fetchPullRequest(context, repository, number)).head?.sha ?? undefined;
  if (!context.approvedTarget || !sha || context.approvedTarget.endsWith(formatCommit(sha))) return sha;
  throw new Problem("DENIED", `Nothing was sent: pull request #${number} has a new commit since you approved it.`, {
    hint: "Ask again.",
  });
}

/** Converts a pull request to data for the model. */
export function toPullRequestData(pull: PullRequest, repository: string): Record<string, unknown> {
  return {
    number: pull.number,
    repository,
    title: pull.title,
    state: formatPullState(pull),
    author: pull.user?.login,
    source: pull.head?.ref,
    destination: pull.base?.ref,
    reviewers: listReviewers(pull),
    updated: pull.updated_at,
    url: pull.html_url,
  };
}

/** Formats pull requests of one repository as a table. */
export function formatPullRequestTable(list: PullRequest[], repository: string): string {
  const rows = list.map((pull) => [
    repository,
    `#${pull.number}`,
    pull.title,
    formatPullState(pull),
    pull.user?.login ?? "someone",
    formatBranches(pull),
    pull.updated_at?.slice(0, 10) ?? "",
  ]);
  return formatMarkdownTable(["Repository", "ID", "Title", "State", "Author", "Branches", "Updated"], rows);
}

export function formatPullState({ state, draft, merged_at }: PullRequest): string {
  if (merged_at) return "merged";
  return state === "open" && draft ? "open, draft" : state;
}

export function formatBranches({ head, base }: PullRequest): string {
  return `${head?.ref ?? "?"} → ${base?.ref ?? "?"}`;
}

export function listReviewers({ requested_reviewers }: PullRequest): string[] {
  return (requested_reviewers ?? []).flatMap(({ login }) => login ?? []);
}

/**
 * Returns the reviewers by their latest verdict. A later comment does not revoke an approval. Deleted accounts have no
 * login.
 */
export function listVerdicts(reviews: z.output<typeof Review>[]): { approved: string[]; changes: string[] } {
  const last = new Map<string | number, { login: string; state: string }>();
  for (const [index, { user, state }] of reviews.entries()) {
    if (state === "APPROVED" || state === "CHANGES_REQUESTED" || state === "DISMISSED")
      last.set(user?.login ?? index, { login: user?.login ?? "someone", state });
  }
  const listReviewers = (verdict: string) =>
    [...last.values()].filter(({ state }) => state === verdict).map(({ login }) => login);
  return { approved: listReviewers("APPROVED"), changes: listReviewers("CHANGES_REQUESTED") };
}
