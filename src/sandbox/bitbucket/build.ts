import { hash } from "node:crypto";
import { requireUnique, SeedError } from "../provider.ts";
import { parseMoment } from "../seed-time.ts";
import type { BitbucketSeed, PullRequestSeed, RepositorySeed, WorkspaceSeed } from "./seed.ts";
import type { Account, BitbucketState, PullRequest, Repository, Workspace } from "./state.ts";

type Lookup = {
  person(reference: string, path: string): string;
  people(references: string[] | undefined, path: string): string[];
  time(value: string | undefined, fallback: string, path: string): string;
  longAgo: string;
};

/** Fills in a Bitbucket seed. @throws SeedFault */
export function buildBitbucket(data: BitbucketSeed, now: number): BitbucketState {
  const longAgo = new Date(now - 30 * 86_400_000).toISOString();
  const time: Lookup["time"] = (value, fallback, path) =>
    value === undefined ? fallback : parseMoment(value, now, path);
  const accounts = data.accounts.map((account, index) => ({
    ...account,
    uuid: account.uuid ?? createUuid(`account ${account.account_id}`),
    created_on: time(account.created_on, longAgo, `accounts[${index}].created_on`),
  }));
  requireUnique(
    accounts.map(({ account_id }) => account_id),
    (index) => `accounts[${index}].account_id`,
  );
  const lookup = { longAgo, time, ...createPeopleLookup(accounts) };
  const workspaces = data.workspaces.map((workspace, index) =>
    buildWorkspace(workspace, lookup, `workspaces[${index}]`),
  );
  requireUnique(
    workspaces.map(({ slug }) => slug),
    (index) => `workspaces[${index}].slug`,
  );
  return { accounts, workspaces };
}

/** Derives a UUID in braces, like Bitbucket's, always the same for the same name. */
function createUuid(name: string): string {
  const hex = hash("sha256", name, "hex");
  return `{${[hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-")}}`;
}

function createPeopleLookup(accounts: Account[]) {
  const findPerson = (reference: string, path: string) => {
    const account = accounts.find(({ account_id, email, display_name, nickname }) =>
      [account_id, email, display_name, nickname].includes(reference),
    );
    if (!account) throw new SeedError(path, `there is no account "${reference}"`);
    return account.account_id;
  };
  return {
    person: findPerson,
    people: (references: string[] | undefined, path: string) =>
      (references ?? []).map((reference, index) => findPerson(reference, `${path}[${index}]`)),
  };
}

function buildWorkspace(data: WorkspaceSeed, lookup: Lookup, path: string): Workspace {
  const repositories = (data.repositories ?? []).map((repository, index) =>
    buildRepository(repository, data.slug, lookup, `${path}.repositories[${index}]`),
  );
  requireUnique(
    repositories.map(({ slug }) => slug),
    (index) => `${path}.repositories[${index}].slug`,
  );
  return {
    slug: data.slug,
    uuid: data.uuid ?? createUuid(`workspace ${data.slug}`),
    name: data.name ?? data.slug,
    members: lookup.people(data.members, `${path}.members`),
    created_on: lookup.time(data.created_on, lookup.longAgo, `${path}.created_on`),
    repositories,
  };
}

function buildRepository(data: RepositorySeed, workspace: string, lookup: Lookup, path: string): Repository {
  const created_on = lookup.time(data.created_on, lookup.longAgo, `${path}.created_on`);
  const mainbranch = data.mainbranch ?? "main";
  const requests = (data.pull_requests ?? []).map((pullRequest, index) =>
    buildPullRequest(pullRequest, index, mainbranch, lookup, `${path}.pull_requests[${index}]`),
  );
  requireUnique(
    requests.map(({ id }) => String(id)),
    (index) => `${path}.pull_requests[${index}].id`,
  );
  const open = requests.filter(({ state }) => state === "OPEN").map(({ source }) => source);
  return {
    slug: data.slug,
    uuid: data.uuid ?? createUuid(`repository ${workspace}/${data.slug}`),
    name: data.name ?? data.slug,
    description: data.description ?? "",
    is_private: data.is_private ?? true,
    language: data.language ?? "",
    project: data.project ?? { key: "PROJ", name: "Untitled project" },
    mainbranch,
    branches: [...new Set([mainbranch, ...(data.branches ?? []), ...open])],
    created_on,
    updated_on: lookup.time(data.updated_on, created_on, `${path}.updated_on`),
    pull_requests: requests,
  };
}

function buildPullRequest(
  data: PullRequestSeed,
  index: number,
  mainbranch: string,
  lookup: Lookup,
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
