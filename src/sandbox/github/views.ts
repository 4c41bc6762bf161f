import { hash } from "node:crypto";
import type { Context } from "hono";
import { getAvatarUrl } from "../files.ts";
import { canWrite, type GithubEnv } from "./access.ts";
import { createIdFromName } from "./build.ts";
import { type Comment, type Issue, isPullRequest, type PullRequest, type Repository, type Review } from "./state.ts";

type C = Context<GithubEnv>;

/** Returns an account as within other objects. */
export function toAccountView(c: C, login: string) {
  const { users, organizations } = c.get("world");
  const user = users.find((user) => user.login === login);
  const organization = organizations.find((organization) => organization.login === login);
  return {
    login,
    id: user?.id ?? organization?.id ?? createIdFromName(login),
    avatar_url: getAvatarUrl(c.req.raw, user?.name ?? organization?.name ?? login),
    url: `${getOrigin(c)}/users/${login}`,
    html_url: `${getOrigin(c)}/${login}`,
    type: organization ? "Organization" : "User",
    site_admin: false,
  };
}

export function toRepositoryView(c: C, repository: Repository) {
  const { owner, name, issues, pull_requests: pulls, ...rest } = repository;
  const fullName = `${owner}/${name}`;
  const write = canWrite(c, repository);
  return {
    id: rest.id,
    name,
    full_name: fullName,
    private: rest.private,
    owner: toAccountView(c, owner),
    html_url: `${getOrigin(c)}/${fullName}`,
    description: rest.description || null,
    fork: false,
    url: buildRepositoryUrl(c, repository),
    created_at: truncateToSecond(rest.created_at),
    updated_at: truncateToSecond(rest.updated_at),
    pushed_at: truncateToSecond(rest.updated_at),
    stargazers_count: rest.stargazers_count,
    language: rest.language || null,
    has_issues: true,
    archived: rest.archived,
    open_issues_count: [...issues, ...pulls].filter(({ state }) => state === "open").length,
    visibility: rest.private ? "private" : "public",
    default_branch: rest.default_branch,
    permissions: { admin: owner === c.get("account").login, push: write, pull: true },
  };
}

/** Returns an issue, or a pull request as in lists of issues. */
export function toIssueView(c: C, repository: Repository, issue: Issue | PullRequest) {
  const { owner, name } = repository;
  const pull = isPullRequest(issue);
  const api = `${buildRepositoryUrl(c, repository)}/issues/${issue.number}`;
  const html = buildHtmlUrl(c, repository, issue);
  return {
    url: api,
    repository_url: buildRepositoryUrl(c, repository),
    comments_url: `${api}/comments`,
    html_url: html,
    id: createIdFromName(`issue ${owner}/${name} ${issue.number}`),
    number: issue.number,
    title: issue.title,
    user: toAccountView(c, issue.user),
    labels: issue.labels.map((label) => toLabelView(c, repository, label)),
    state: issue.state,
    locked: false,
    assignee: issue.assignees[0] ? toAccountView(c, issue.assignees[0]) : null,
    assignees: issue.assignees.map((login) => toAccountView(c, login)),
    milestone: null,
    comments: issue.comments.length,
    created_at: truncateToSecond(issue.created_at),
    updated_at: truncateToSecond(issue.updated_at),
    closed_at: issue.closed_at === null ? null : truncateToSecond(issue.closed_at),
    author_association: "MEMBER",
    body: issue.body || null,
    state_reason: issue.state_reason,
    ...(pull
      ? {
          draft: issue.draft,
          pull_request: {
            url: `${buildRepositoryUrl(c, repository)}/pulls/${issue.number}`,
            html_url: html,
            merged_at: issue.merged_at === null ? null : truncateToSecond(issue.merged_at),
          },
        }
      : {}),
  };
}

/** Returns a pull request as in lists; `toPullRequestDetails` adds the fields of a single one. */
export function toPullRequestView(c: C, repository: Repository, pull: PullRequest) {
  const {
    state_reason: _reason,
    pull_request: _self,
    comments: _comments,
    ...issue
  } = toIssueView(c, repository, pull);
  const toBranchView = (ref: string) => ({
    label: `${repository.owner}:${ref}`,
    ref,
    sha: getBranchSha(ref),
    user: toAccountView(c, repository.owner),
    repo: toRepositoryView(c, repository),
  });
  return {
    ...issue,
    url: `${buildRepositoryUrl(c, repository)}/pulls/${pull.number}`,
    issue_url: issue.url,
    draft: pull.draft,
    merged_at: pull.merged_at === null ? null : truncateToSecond(pull.merged_at),
    requested_reviewers: pull.requested_reviewers.map((login) => toAccountView(c, login)),
    head: toBranchView(pull.head),
    base: toBranchView(pull.base),
  };
}

/** Derives the SHA of the newest commit of a branch. */
export function getBranchSha(branch: string): string {
  return hash("sha1", branch, "hex");
}

export function toPullRequestDetails({ merged, state, comments, reviews, ...pull }: PullRequest) {
  const { additions, deletions, changed_files } = pull;
  return {
    merged,
    mergeable: state === "open" ? true : null,
    mergeable_state: state !== "open" ? "unknown" : pull.draft ? "draft" : "clean",
    comments: comments.length,
    review_comments: reviews.filter(({ body }) => body !== "").length,
    commits: 1,
    additions,
    deletions,
    changed_files,
  };
}

export function toReviewView(c: C, repository: Repository, pull: PullRequest, review: Review) {
  return {
    id: review.id,
    user: toAccountView(c, review.user),
    body: review.body,
    state: review.state,
    html_url: `${buildHtmlUrl(c, repository, pull)}#pullrequestreview-${review.id}`,
    pull_request_url: `${buildRepositoryUrl(c, repository)}/pulls/${pull.number}`,
    author_association: "MEMBER",
    submitted_at: truncateToSecond(review.submitted_at),
  };
}

export function toCommentView(c: C, repository: Repository, issue: Issue, comment: Comment) {
  return {
    url: `${buildRepositoryUrl(c, repository)}/issues/comments/${comment.id}`,
    html_url: `${buildHtmlUrl(c, repository, issue)}#issuecomment-${comment.id}`,
    issue_url: `${buildRepositoryUrl(c, repository)}/issues/${issue.number}`,
    id: comment.id,
    user: toAccountView(c, comment.user),
    created_at: truncateToSecond(comment.created_at),
    updated_at: truncateToSecond(comment.created_at),
    author_association: "MEMBER",
    body: comment.body,
  };
}

function toLabelView(c: C, repository: Repository, name: string) {
  const url = `${buildRepositoryUrl(c, repository)}/labels/${encodeURIComponent(name)}`;
  return { id: createIdFromName(`label ${name}`), url, name, color: "ededed", default: false, description: null };
}

function buildRepositoryUrl(c: C, { owner, name }: Repository): string {
  return `${getOrigin(c)}/repos/${owner}/${name}`;
}

function buildHtmlUrl(c: C, { owner, name }: Repository, issue: Issue | PullRequest): string {
  return `${getOrigin(c)}/${owner}/${name}/${isPullRequest(issue) ? "pull" : "issues"}/${issue.number}`;
}

function getOrigin(c: C): string {
  return new URL(c.req.url).origin;
}

/** Formats a time like GitHub, without fractions of a second. */
export function truncateToSecond(iso: string): string {
  return new Date(iso).toISOString().replace(/\.\d+Z$/, "Z");
}
