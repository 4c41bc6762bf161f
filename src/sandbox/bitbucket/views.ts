import { hash } from "node:crypto";
import type { Context } from "hono";
import { getAvatarUrl } from "../files.ts";
import { type BitbucketEnv, formatBitbucketTime, toApiLink } from "./access.ts";
import type { Account, Comment, PullRequest, Repository, Workspace } from "./state.ts";

function toUserView(c: Context<BitbucketEnv>, id: string | null) {
  const account = c.get("world").accounts.find(({ account_id }) => account_id === id);
  return account ? toAccountView(c, account) : null;
}

export function toAccountView(c: Context<BitbucketEnv>, account: Account) {
  return {
    type: "user",
    uuid: account.uuid,
    account_id: account.account_id,
    display_name: account.display_name,
    nickname: account.nickname,
    links: {
      self: toApiLink(c, `users/${encodeURIComponent(account.uuid)}`),
      avatar: { href: getAvatarUrl(c.req.raw, account.display_name) },
      html: toHtmlLink(c, `${encodeURIComponent(account.uuid)}/`),
    },
  };
}

export function toWorkspaceView(c: Context<BitbucketEnv>, workspace: Workspace) {
  return {
    type: "workspace",
    uuid: workspace.uuid,
    name: workspace.name,
    slug: workspace.slug,
    is_private: true,
    created_on: formatBitbucketTime(workspace.created_on),
    links: {
      self: toApiLink(c, `workspaces/${workspace.slug}`),
      html: toHtmlLink(c, `${workspace.slug}/`),
      avatar: { href: getAvatarUrl(c.req.raw, workspace.name) },
      repositories: toApiLink(c, `repositories/${workspace.slug}`),
      members: toApiLink(c, `workspaces/${workspace.slug}/members`),
    },
  };
}

/** Returns a repository as within other objects. */
function toRepositoryHead(c: Context<BitbucketEnv>, workspace: Workspace, repository: Repository) {
  const fullName = `${workspace.slug}/${repository.slug}`;
  return {
    type: "repository",
    full_name: fullName,
    name: repository.name,
    uuid: repository.uuid,
    links: {
      self: toApiLink(c, `repositories/${fullName}`),
      html: toHtmlLink(c, fullName),
      avatar: { href: getAvatarUrl(c.req.raw, repository.name) },
    },
  };
}

export function toRepositoryView(c: Context<BitbucketEnv>, workspace: Workspace, repository: Repository) {
  const head = toRepositoryHead(c, workspace, repository);
  const { name, slug, uuid } = workspace;
  return {
    ...head,
    slug: repository.slug,
    description: repository.description,
    scm: "git",
    website: null,
    language: repository.language,
    is_private: repository.is_private,
    fork_policy: "no_public_forks",
    has_issues: false,
    has_wiki: false,
    size: 184_320,
    created_on: formatBitbucketTime(repository.created_on),
    updated_on: formatBitbucketTime(repository.updated_on),
    mainbranch: { type: "branch", name: repository.mainbranch },
    project: {
      type: "project",
      ...repository.project,
      links: { self: toApiLink(c, `workspaces/${slug}/projects/${repository.project.key}`) },
    },
    owner: {
      type: "team",
      display_name: name,
      uuid,
      username: slug,
      links: { self: toApiLink(c, `workspaces/${slug}`) },
    },
    workspace: {
      type: "workspace",
      name,
      slug,
      uuid,
      links: { self: toApiLink(c, `workspaces/${slug}`), html: toHtmlLink(c, `${slug}/`) },
    },
    links: {
      ...head.links,
      pullrequests: toApiLink(c, `repositories/${head.full_name}/pullrequests`),
      branches: toApiLink(c, `repositories/${head.full_name}/refs/branches`),
      clone: [{ name: "https", href: `${new URL(c.req.url).origin}/${head.full_name}.git` }],
    },
  };
}

export function toBranchView(name: string) {
  return {
    type: "branch",
    name,
    target: { type: "commit", hash: getHash(name) },
    merge_strategies: ["merge_commit", "squash", "fast_forward"],
    default_merge_strategy: "merge_commit",
  };
}

export function toPullRequestView(
  c: Context<BitbucketEnv>,
  workspace: Workspace,
  repository: Repository,
  request: PullRequest,
) {
  const path = `${workspace.slug}/${repository.slug}/pullrequests/${request.id}`;
  const end = (name: string) => ({
    branch: { name },
    commit: { type: "commit", hash: getHash(name).slice(0, 12) },
    repository: toRepositoryHead(c, workspace, repository),
  });
  const links = [
    "decline",
    "approve",
    "comments",
    "merge",
    "request-changes",
    "diff",
    "diffstat",
    "commits",
    "activity",
    "statuses",
  ];
  return {
    type: "pullrequest",
    id: request.id,
    title: request.title,
    description: request.description,
    summary: render(request.description),
    state: request.state,
    draft: false,
    author: toUserView(c, request.author),
    source: end(request.source),
    destination: end(request.destination),
    merge_commit: request.state === "MERGED" ? { type: "commit", hash: getHash(`merge ${path}`).slice(0, 12) } : null,
    comment_count: request.comments.length,
    task_count: 0,
    close_source_branch: request.close_source_branch,
    closed_by: toUserView(c, request.closed_by),
    reason: "",
    created_on: formatBitbucketTime(request.created_on),
    updated_on: formatBitbucketTime(request.updated_on),
    reviewers: request.reviewers.map((id) => toUserView(c, id)),
    participants: getParticipants(request).map((id) => toParticipantView(c, request, id)),
    links: {
      self: toApiLink(c, `repositories/${path}`),
      html: toHtmlLink(c, `${workspace.slug}/${repository.slug}/pull-requests/${request.id}`),
      ...Object.fromEntries(links.map((name) => [name, toApiLink(c, `repositories/${path}/${name}`)])),
    },
  };
}

export function toParticipantView(c: Context<BitbucketEnv>, request: PullRequest, id: string) {
  const approved = request.approved_by.includes(id);
  return {
    type: "participant",
    user: toUserView(c, id),
    role: request.reviewers.includes(id) ? "REVIEWER" : "PARTICIPANT",
    approved,
    state: approved ? "approved" : request.changes_requested_by.includes(id) ? "changes_requested" : null,
    participated_on: formatBitbucketTime(request.updated_on),
  };
}

export function toCommentView(
  c: Context<BitbucketEnv>,
  workspace: Workspace,
  repository: Repository,
  request: PullRequest,
  comment: Comment,
) {
  const path = `${workspace.slug}/${repository.slug}/pullrequests/${request.id}`;
  return {
    type: "pullrequest_comment",
    id: comment.id,
    created_on: formatBitbucketTime(comment.created_on),
    updated_on: formatBitbucketTime(comment.created_on),
    content: { type: "rendered", ...render(comment.raw) },
    user: toUserView(c, comment.user),
    deleted: false,
    pending: false,
    ...(comment.inline ? { inline: { from: null, to: null, ...comment.inline } } : {}),
    ...(comment.parent === undefined ? {} : { parent: { id: comment.parent } }),
    pullrequest: {
      type: "pullrequest",
      id: request.id,
      title: request.title,
      links: { self: toApiLink(c, `repositories/${path}`) },
    },
    links: {
      self: toApiLink(c, `repositories/${path}/comments/${comment.id}`),
      html: toHtmlLink(c, `${workspace.slug}/${repository.slug}/pull-requests/${request.id}#comment-${comment.id}`),
    },
  };
}

function getParticipants(request: PullRequest): string[] {
  const people = [
    ...request.reviewers,
    ...request.approved_by,
    ...request.changes_requested_by,
    ...request.comments.map(({ user }) => user),
  ];
  return [...new Set(people)];
}

function render(raw: string) {
  const text = raw.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  return {
    raw,
    markup: "markdown",
    html:
      raw === ""
        ? ""
        : text
            .split(/\n{2,}/)
            .map((block) => `<p>${block}</p>`)
            .join("\n"),
  };
}

function toHtmlLink(c: Context<BitbucketEnv>, path: string) {
  return { href: `${new URL(c.req.url).origin}/${path}` };
}

function getHash(name: string): string {
  return hash("sha1", name, "hex");
}
