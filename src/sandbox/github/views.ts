import { createHash } from "node:crypto";
import type { Context } from "hono";
import { avatarUrl } from "../pictures.ts";
import { canWrite, type GithubEnv } from "./access.ts";
import { idOf } from "./build.ts";
import { type Comment, type Issue, isPullRequest, type PullRequest, type Repository, type Review } from "./world.ts";

type C = Context<GithubEnv>;

/** An account as it stands inside other things. */
export function accountView(c: C, login: string) {
  const { users, organizations } = c.get("world");
  const user = users.find((one) => one.login === login);
  const organization = organizations.find((one) => one.login === login);
  return {
    login,
    id: user?.id ?? organization?.id ?? idOf(login),
    avatar_url: avatarUrl(c.req.raw, user?.name ?? organization?.name ?? login),
    url: `${origin(c)}/users/${login}`,
    html_url: `${origin(c)}/${login}`,
    type: organization ? "Organization" : "User",
    site_admin: false,
  };
}

export function repositoryView(c: C, repository: Repository) {
  const { owner, name, issues, pull_requests: pulls, ...rest } = repository;
  const fullName = `${owner}/${name}`;
  const write = canWrite(c, repository);
  return {
    id: rest.id,
    name,
    full_name: fullName,
    private: rest.private,
    owner: accountView(c, owner),
    html_url: `${origin(c)}/${fullName}`,
    description: rest.description || null,
    fork: false,
    url: repositoryUrl(c, repository),
    created_at: second(rest.created_at),
    updated_at: second(rest.updated_at),
    pushed_at: second(rest.updated_at),
    stargazers_count: rest.stargazers_count,
    language: rest.language || null,
    has_issues: true,
    archived: rest.archived,
    open_issues_count: [...issues, ...pulls].filter(({ state }) => state === "open").length,
    visibility: rest.private ? "private" : "public",
    default_branch: rest.default_branch,
    permissions: { admin: owner === c.get("user").login, push: write, pull: true },
  };
}

/** An issue, or a pull request as lists of issues have it. */
export function issueView(c: C, repository: Repository, issue: Issue | PullRequest) {
  const { owner, name } = repository;
  const pull = isPullRequest(issue);
  const api = `${repositoryUrl(c, repository)}/issues/${issue.number}`;
  const html = htmlUrl(c, repository, issue);
  return {
    url: api,
    repository_url: repositoryUrl(c, repository),
    comments_url: `${api}/comments`,
    html_url: html,
    id: idOf(`issue ${owner}/${name} ${issue.number}`),
    number: issue.number,
    title: issue.title,
    user: accountView(c, issue.user),
    labels: issue.labels.map((label) => labelView(c, repository, label)),
    state: issue.state,
    locked: false,
    assignee: issue.assignees[0] ? accountView(c, issue.assignees[0]) : null,
    assignees: issue.assignees.map((login) => accountView(c, login)),
    milestone: null,
    comments: issue.comments.length,
    created_at: second(issue.created_at),
    updated_at: second(issue.updated_at),
    closed_at: issue.closed_at === null ? null : second(issue.closed_at),
    author_association: "MEMBER",
    body: issue.body || null,
    state_reason: issue.state_reason,
    ...(pull
      ? {
          draft: issue.draft,
          pull_request: {
            url: `${repositoryUrl(c, repository)}/pulls/${issue.number}`,
            html_url: html,
            merged_at: issue.merged_at === null ? null : second(issue.merged_at),
          },
        }
      : {}),
  };
}

/** A pull request as lists have it; one by one it has `more` too. */
export function pullRequestView(c: C, repository: Repository, pull: PullRequest) {
  const { state_reason: _reason, pull_request: _self, comments: _comments, ...issue } = issueView(c, repository, pull);
  const branch = (ref: string) => ({
    label: `${repository.owner}:${ref}`,
    ref,
    sha: createHash("sha1").update(ref).digest("hex"),
    user: accountView(c, repository.owner),
    repo: repositoryView(c, repository),
  });
  return {
    ...issue,
    url: `${repositoryUrl(c, repository)}/pulls/${pull.number}`,
    issue_url: issue.url,
    draft: pull.draft,
    merged_at: pull.merged_at === null ? null : second(pull.merged_at),
    requested_reviewers: pull.requested_reviewers.map((login) => accountView(c, login)),
    head: branch(pull.head),
    base: branch(pull.base),
  };
}

export function pullRequestDetails({ merged, state, comments, reviews, ...pull }: PullRequest) {
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

export function reviewView(c: C, repository: Repository, pull: PullRequest, review: Review) {
  return {
    id: review.id,
    user: accountView(c, review.user),
    body: review.body,
    state: review.state,
    html_url: `${htmlUrl(c, repository, pull)}#pullrequestreview-${review.id}`,
    pull_request_url: `${repositoryUrl(c, repository)}/pulls/${pull.number}`,
    author_association: "MEMBER",
    submitted_at: second(review.submitted_at),
  };
}

export function commentView(c: C, repository: Repository, issue: Issue, comment: Comment) {
  return {
    url: `${repositoryUrl(c, repository)}/issues/comments/${comment.id}`,
    html_url: `${htmlUrl(c, repository, issue)}#issuecomment-${comment.id}`,
    issue_url: `${repositoryUrl(c, repository)}/issues/${issue.number}`,
    id: comment.id,
    user: accountView(c, comment.user),
    created_at: second(comment.created_at),
    updated_at: second(comment.created_at),
    author_association: "MEMBER",
    body: comment.body,
  };
}

function labelView(c: C, repository: Repository, name: string) {
  const url = `${repositoryUrl(c, repository)}/labels/${encodeURIComponent(name)}`;
  return { id: idOf(`label ${name}`), url, name, color: "ededed", default: false, description: null };
}

function repositoryUrl(c: C, { owner, name }: Repository): string {
  return `${origin(c)}/repos/${owner}/${name}`;
}

function htmlUrl(c: C, { owner, name }: Repository, issue: Issue | PullRequest): string {
  return `${origin(c)}/${owner}/${name}/${isPullRequest(issue) ? "pull" : "issues"}/${issue.number}`;
}

function origin(c: C): string {
  return new URL(c.req.url).origin;
}

/** GitHub's spelling of a moment, without fractions of a second. */
export function second(iso: string): string {
  return new Date(iso).toISOString().replace(/\.\d+Z$/, "Z");
}
