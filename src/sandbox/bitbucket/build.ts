import { createUuidFromName } from "../ids.ts";
import { createSeedLookup, requireUnique, type SeedLookup } from "../seed-build.ts";
import type { BitbucketSeed, PullRequestSeed, RepositorySeed, WorkspaceSeed } from "./seed.ts";
import type { BitbucketState, PullRequest, Repository, Workspace } from "./state.ts";

/** Fills in a Bitbucket seed. @throws SeedError */
export function buildBitbucket(data: BitbucketSeed, now: number): BitbucketState {
  const lookup = createSeedLookup(
    data.accounts.map(({ account_id: id, email, display_name, nickname }) => ({
      id,
      names: [email, display_name, nickname],
    })),
    { now, days: 30 },
  );
  const accounts = data.accounts.map((account, index) => ({
    ...account,
    uuid: account.uuid ?? createUuid(`account ${account.account_id}`),
    created_on: lookup.time(account.created_on, lookup.longAgo, `accounts[${index}].created_on`),
  }));
  requireUnique(accounts, "accounts", "account_id");
  const workspaces = data.workspaces.map((workspace, index) =>
    buildWorkspace(workspace, lookup, `workspaces[${index}]`),
  );
  requireUnique(workspaces, "workspaces", "slug");
  return { accounts, workspaces };
}

/** Derives a UUID in braces, like Bitbucket's, always the same for the same name. */
function createUuid(name: string): string {
  return `{${createUuidFromName(name)}}`;
}

function buildWorkspace(data: WorkspaceSeed, lookup: SeedLookup, path: string): Workspace {
  const repositories = (data.repositories ?? []).map((repository, index) =>
    buildRepository(repository, data.slug, lookup, `${path}.repositories[${index}]`),
  );
  requireUnique(repositories, `${path}.repositories`, "slug");
  return {
    slug: data.slug,
    uuid: data.uuid ?? createUuid(`workspace ${data.slug}`),
    name: data.name ?? data.slug,
    members: lookup.people(data.members, `${path}.members`),
    created_on: lookup.time(data.created_on, lookup.longAgo, `${path}.created_on`),
    repositories,
  };
}

function buildRepository(data: RepositorySeed, workspace: string, lookup: SeedLookup, path: string): Repository {
  const created_on = lookup.time(data.created_on, lookup.longAgo, `${path}.created_on`);
  const mainbranch = data.mainbranch ?? "main";
  const requests = (data.pull_requests ?? []).map((pullRequest, index) =>
    buildPullRequest(pullRequest, index, mainbranch, lookup, `${path}.pull_requests[${index}]`),
  );
  requireUnique(requests, `${path}.pull_requests`, "id");
  const openSources = requests.filter(({ state }) => state === "OPEN").map(({ source }) => source);
  return {
    slug: data.slug,
    uuid: data.uuid ?? createUuid(`repository ${workspace}/${data.slug}`),
    name: data.name ?? data.slug,
    description: data.description ?? "",
    is_private: data.is_private ?? true,
    language: data.language ?? "",
    project: data.project ?? { key: "PROJ", name: "Untitled project" },
    mainbranch,
    branches: [...new Set([mainbranch, ...(data.branches ?? []), ...openSources])],
    created_on,
    updated_on: lookup.time(data.updated_on, created_on, `${path}.updated_on`),
    pull_requests: requests,
  };
}

function buildPullRequest(
  data: PullRequestSeed,
  index: number,
  mainbranch: string,
  lookup: SeedLookup,
  path: string,
): PullRequest {
  const created_on = lookup.time(data.created_on, lookup.longAgo, `${path}.created_on`);
  const state = data.state ?? "OPEN";
  const author = lookup.person(data.author, `${path}.author`);
  const closer = state === "OPEN" ? null : author;
  return {
    id: data.id ?? index + 1,
    title: data.title,
    description: data.description ?? "",
    state,
    author,
    source: data.source,
    destination: data.destination ?? mainbranch,
    reviewers: lookup.people(data.reviewers, `${path}.reviewers`),
    approved_by: lookup.people(data.approved_by, `${path}.approved_by`),
    changes_requested_by: lookup.people(data.changes_requested_by, `${path}.changes_requested_by`),
    closed_by: data.closed_by ? lookup.person(data.closed_by, `${path}.closed_by`) : closer,
    close_source_branch: data.close_source_branch ?? false,
    comments: (data.comments ?? []).map((comment, commentIndex) => ({
      ...comment,
      id: comment.id ?? 1000 * (index + 1) + commentIndex,
      user: lookup.person(comment.user, `${path}.comments[${commentIndex}].user`),
      created_on: lookup.time(comment.created_on, created_on, `${path}.comments[${commentIndex}].created_on`),
    })),
    created_on,
    updated_on: lookup.time(data.updated_on, created_on, `${path}.updated_on`),
  };
}
