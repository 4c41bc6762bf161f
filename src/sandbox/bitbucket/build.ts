import { createHash } from "node:crypto";
import { requireUnique, SeedError } from "../provider.ts";
import { parseMoment } from "../seed-time.ts";
import type { BitbucketSeed, PullRequestSeed, RepositorySeed, WorkspaceSeed } from "./seed.ts";
import type { Account, BitbucketState, PullRequest, Repository, Workspace } from "./state.ts";

type Lookup = {
  person(wanted: string, path: string): string;
  people(wanted: string[] | undefined, path: string): string[];
  time(value: string | undefined, fallback: string, path: string): string;
  longAgo: string;
};

/** Fills in a Bitbucket seed. @throws SeedFault */
export function buildBitbucket(seed: BitbucketSeed, now: number): BitbucketState {
  const longAgo = new Date(now - 30 * 86_400_000).toISOString();
  const time: Lookup["time"] = (value, fallback, path) =>
    value === undefined ? fallback : parseMoment(value, now, path);
  const accounts = seed.accounts.map((account, index) => ({
    ...account,
    uuid: account.uuid ?? createUuid(`account ${account.account_id}`),
    created_on: time(account.created_on, longAgo, `accounts[${index}].created_on`),
  }));
  requireUnique(
    accounts.map(({ account_id }) => account_id),
    (index) => `accounts[${index}].account_id`,
  );
  const lookup = { longAgo, time, ...createPeopleLookup(accounts) };
  const workspaces = seed.workspaces.map((workspace, index) =>
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
  const hex = createHash("sha256").update(name).digest("hex");
  return `{${[hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-")}}`;
}

function createPeopleLookup(accounts: Account[]) {
  const findPerson = (wanted: string, path: string) => {
    const found = accounts.find(({ account_id, email, display_name, nickname }) =>
      [account_id, email, display_name, nickname].includes(wanted),
    );
    if (!found) throw new SeedError(path, `there is no account "${wanted}"`);
    return found.account_id;
  };
  return {
    person: findPerson,
    people: (wanted: string[] | undefined, path: string) =>
      (wanted ?? []).map((one, index) => findPerson(one, `${path}[${index}]`)),
  };
}

function buildWorkspace(seed: WorkspaceSeed, lookup: Lookup, path: string): Workspace {
  const repositories = (seed.repositories ?? []).map((one, index) =>
    buildRepository(one, seed.slug, lookup, `${path}.repositories[${index}]`),
  );
  requireUnique(
    repositories.map(({ slug }) => slug),
    (index) => `${path}.repositories[${index}].slug`,
  );
  return {
    slug: seed.slug,
    uuid: seed.uuid ?? createUuid(`workspace ${seed.slug}`),
    name: seed.name ?? seed.slug,
    members: lookup.people(seed.members, `${path}.members`),
    created_on: lookup.time(seed.created_on, lookup.longAgo, `${path}.created_on`),
    repositories,
  };
}

function buildRepository(seed: RepositorySeed, workspace: string, lookup: Lookup, path: string): Repository {
  const created_on = lookup.time(seed.created_on, lookup.longAgo, `${path}.created_on`);
  const mainbranch = seed.mainbranch ?? "main";
  const requests = (seed.pull_requests ?? []).map((one, index) =>
    buildPullRequest(one, index, mainbranch, lookup, `${path}.pull_requests[${index}]`),
  );
  requireUnique(
    requests.map(({ id }) => String(id)),
    (index) => `${path}.pull_requests[${index}].id`,
  );
  const open = requests.filter(({ state }) => state === "OPEN").map(({ source }) => source);
  return {
    slug: seed.slug,
    uuid: seed.uuid ?? createUuid(`repository ${workspace}/${seed.slug}`),
    name: seed.name ?? seed.slug,
    description: seed.description ?? "",
    is_private: seed.is_private ?? true,
    language: seed.language ?? "",
    project: seed.project ?? { key: "PROJ", name: "Untitled project" },
    mainbranch,
    branches: [...new Set([mainbranch, ...(seed.branches ?? []), ...open])],
    created_on,
    updated_on: lookup.time(seed.updated_on, created_on, `${path}.updated_on`),
    pull_requests: requests,
  };
}

function buildPullRequest(
  seed: PullRequestSeed,
  index: number,
  mainbranch: string,
  lookup: Lookup,
  path: string,
): PullRequest {
  const created_on = lookup.time(seed.created_on, lookup.longAgo, `${path}.created_on`);
  const state = seed.state ?? "OPEN";
  const author = lookup.person(seed.author, `${path}.author`);
  const closer = state === "OPEN" ? null : author;
  return {
    id: seed.id ?? index + 1,
    title: seed.title,
    description: seed.description ?? "",
    state,
    author,
    source: seed.source,
    destination: seed.destination ?? mainbranch,
    reviewers: lookup.people(seed.reviewers, `${path}.reviewers`),
    approved_by: lookup.people(seed.approved_by, `${path}.approved_by`),
    changes_requested_by: lookup.people(seed.changes_requested_by, `${path}.changes_requested_by`),
    closed_by: seed.closed_by ? lookup.person(seed.closed_by, `${path}.closed_by`) : closer,
    close_source_branch: seed.close_source_branch ?? false,
    comments: (seed.comments ?? []).map((comment, at) => ({
      ...comment,
      id: comment.id ?? 1000 * (index + 1) + at,
      user: lookup.person(comment.user, `${path}.comments[${at}].user`),
      created_on: lookup.time(comment.created_on, created_on, `${path}.comments[${at}].created_on`),
    })),
    created_on,
    updated_on: lookup.time(seed.updated_on, created_on, `${path}.updated_on`),
  };
}
