import { hash } from "node:crypto";
import { createSeedLookup, requireUniqueValues, SeedError, type SeedLookup } from "../seed-build.ts";
import type { GithubSeed, IssueSeed, PullRequestSeed, RepositorySeed } from "./seed.ts";
import type { GithubState, Issue, PullRequest, Repository } from "./state.ts";

/** Fills in a GitHub seed. @throws SeedError */
export function buildGithub(data: GithubSeed, now: number): GithubState {
  const lookup = createSeedLookup(
    data.users.map(({ login, email, name }) => ({ id: login, names: [email, name] })),
    { now, days: 30, noun: "user" },
  );
  const users = data.users.map((user, index) => ({
    ...user,
    id: user.id ?? createIdFromName(`user ${user.login}`),
    bio: user.bio ?? "",
    created_at: lookup.time(user.created_at, lookup.longAgo, `users[${index}].created_at`),
  }));
  const organizations = (data.organizations ?? []).map((organization, index) => ({
    login: organization.login,
    id: organization.id ?? createIdFromName(`organization ${organization.login}`),
    name: organization.name ?? organization.login,
    members: organization.members
      ? lookup.people(organization.members, `organizations[${index}].members`)
      : users.map(({ login }) => login),
  }));
  const owners = [...users, ...organizations].map(({ login }) => login);
  requireUniqueValues(owners, () => "users");
  const repositories = (data.repositories ?? []).map((data, index) => {
    const path = `repositories[${index}]`;
    const owner = owners.find((login) => login === data.owner);
    if (!owner) throw new SeedError(`${path}.owner`, `there is no user or organization "${data.owner}"`);
    return buildRepository(data, lookup, path);
  });
  requireUniqueValues(
    repositories.map(({ owner, name }) => `${owner}/${name}`.toLowerCase()),
    (index) => `repositories[${index}].name`,
  );
  return { users, organizations, repositories };
}

/** Derives a number from a name, always the same. */
export function createIdFromName(name: string): number {
  return 1_000_000 + (hash("sha256", name, "buffer").readUInt32BE(0) % 900_000_000);
}

function buildRepository(data: RepositorySeed, lookup: SeedLookup, path: string): Repository {
  const { owner, name } = data;
  const created_at = lookup.time(data.created_at, lookup.longAgo, `${path}.created_at`);
  const default_branch = data.default_branch ?? "main";
  const numbers = new Set(
    [...(data.issues ?? []), ...(data.pull_requests ?? [])].flatMap(({ number }) => number ?? []),
  );
  const nextNumber = () => {
    let number = 1;
    while (numbers.has(number)) number++;
    numbers.add(number);
    return number;
  };
  const fullName = `${owner}/${name}`;
  const issues = (data.issues ?? []).map((issue, index) =>
    buildIssue(issue, issue.number ?? nextNumber(), fullName, lookup, `${path}.issues[${index}]`),
  );
  const pulls = (data.pull_requests ?? []).map((pull, index) =>
    buildPullRequest(
      pull,
      pull.number ?? nextNumber(),
      default_branch,
      fullName,
      lookup,
      `${path}.pull_requests[${index}]`,
    ),
  );
  requireUniqueValues(
    [...issues, ...pulls].map(({ number }) => String(number)),
    () => `${path}.issues`,
  );
  const usedLabels = [...issues, ...pulls].flatMap(({ labels }) => labels);
  return {
    owner,
    name,
    id: data.id ?? createIdFromName(`repository ${fullName}`),
    private: data.private ?? false,
    archived: data.archived ?? false,
    description: data.description ?? "",
    language: data.language ?? "",
    default_branch,
    ...(data.branches ? { branches: data.branches } : {}),
    stargazers_count: data.stargazers_count ?? 0,
    collaborators: lookup.people(data.collaborators, `${path}.collaborators`),
    labels: [...new Set([...(data.labels ?? ["bug", "documentation", "enhancement"]), ...usedLabels])],
    checks: data.checks ?? [],
    created_at,
    updated_at: lookup.time(data.updated_at, created_at, `${path}.updated_at`),
    issues,
    pull_requests: pulls,
  };
}

function buildIssue(data: IssueSeed, number: number, repository: string, lookup: SeedLookup, path: string): Issue {
  const created_at = lookup.time(data.created_at, lookup.longAgo, `${path}.created_at`);
  const updated_at = lookup.time(data.updated_at, created_at, `${path}.updated_at`);
  const state = data.state ?? "open";
  return {
    number,
    title: data.title,
    body: data.body ?? "",
    user: lookup.person(data.user, `${path}.user`),
    assignees: lookup.people(data.assignees, `${path}.assignees`),
    labels: data.labels ?? [],
    state,
    state_reason: data.state_reason ?? (state === "closed" ? "completed" : null),
    comments: (data.comments ?? []).map((comment, index) => ({
      id: comment.id ?? createIdFromName(`comment ${repository} ${number} ${index}`),
      user: lookup.person(comment.user, `${path}.comments[${index}].user`),
      body: comment.body,
      created_at: lookup.time(comment.created_at, updated_at, `${path}.comments[${index}].created_at`),
    })),
    created_at,
    updated_at,
    closed_at: state === "closed" ? lookup.time(data.closed_at, updated_at, `${path}.closed_at`) : null,
  };
}

function buildPullRequest(
  data: PullRequestSeed,
  number: number,
  branch: string,
  repository: string,
  lookup: SeedLookup,
  path: string,
): PullRequest {
  const merged = data.merged ?? false;
  const issue = buildIssue(merged ? { ...data, state: "closed" } : data, number, repository, lookup, path);
  return {
    ...issue,
    state_reason: null,
    head: data.head,
    base: data.base ?? branch,
    draft: data.draft ?? false,
    merged,
    merged_at: merged ? lookup.time(data.merged_at, issue.updated_at, `${path}.merged_at`) : null,
    requested_reviewers: lookup.people(data.requested_reviewers, `${path}.requested_reviewers`),
    reviews: (data.reviews ?? []).map((review, index) => ({
      id: review.id ?? createIdFromName(`review ${repository} ${number} ${index}`),
      user: lookup.person(review.user, `${path}.reviews[${index}].user`),
      state: review.state,
      body: review.body ?? "",
      submitted_at: lookup.time(review.submitted_at, issue.updated_at, `${path}.reviews[${index}].submitted_at`),
    })),
    additions: data.additions ?? 0,
    deletions: data.deletions ?? 0,
    changed_files: data.changed_files ?? 0,
    ...(data.files ? { files: data.files } : {}),
    checks: data.checks ?? [],
  };
}
