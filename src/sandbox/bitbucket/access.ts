import type { Context, MiddlewareHandler } from "hono";
import { type ApiEnv, requireAccount } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import { bitbucketError } from "./errors.ts";
import type { Account, BitbucketState, PullRequest, Repository, Workspace } from "./state.ts";

/** Context of a request under `/2.0`. */
export type BitbucketEnv = ApiEnv<BitbucketState, Account>;

const NO_REPOSITORY =
  "You may not have access to this repository or it no longer exists in this workspace. If you think this repository exists and you have access, make sure you are authenticated.";

/** Requires a valid token, and returns the granted scopes in `X-OAuth-Scopes` like Bitbucket. */
export function requireToken(provider: ProviderContext<BitbucketState>): MiddlewareHandler<BitbucketEnv>[] {
  return [
    requireAccount(
      provider,
      ({ accounts }, id) => accounts.find(({ account_id }) => account_id === id),
      () => bitbucketError(401, "Token is invalid, expired, or not supported for this endpoint."),
    ),
    async (c, next) => {
      c.header("x-oauth-scopes", c.get("grant").scopes.join(", "));
      await next();
    },
  ];
}

/** Requires this scope; otherwise 403 with the granted and required scopes. */
export function requireScope(scope: string): MiddlewareHandler<BitbucketEnv> {
  return async (c, next) => {
    const granted = c.get("grant").scopes;
    c.header("x-accepted-oauth-scopes", scope);
    if (!addImpliedScopes(granted).has(scope)) {
      throw bitbucketError(403, "Your credentials lack one or more required privilege scopes.", {
        detail: { granted, required: [scope] },
      });
    }
    await next();
  };
}

/** Lists the workspaces of the account. */
export function listWorkspaces(c: Context<BitbucketEnv>): Workspace[] {
  const me = c.get("account").account_id;
  return c.get("world").workspaces.filter(({ members }) => members.length === 0 || members.includes(me));
}

/** Finds the workspace in the path, by slug or UUID. */
export function findWorkspace(c: Context<BitbucketEnv>): Workspace {
  const name = c.req.param("workspace") ?? "";
  const workspace = listWorkspaces(c).find(({ slug, uuid }) => slug === name || uuid === name);
  if (!workspace) throw bitbucketError(404, `No workspace with identifier '${name}'.`);
  return workspace;
}

/** Finds the repository in the path. */
export function findRepository(c: Context<BitbucketEnv>): { workspace: Workspace; repository: Repository } {
  const names = { workspace: c.req.param("workspace"), repository: c.req.param("repository") };
  const workspace = listWorkspaces(c).find(({ slug, uuid }) => slug === names.workspace || uuid === names.workspace);
  const repository = workspace?.repositories.find(
    ({ slug, uuid }) => slug === names.repository || uuid === names.repository,
  );
  if (!workspace || !repository) throw bitbucketError(404, NO_REPOSITORY);
  return { workspace, repository };
}

/** Finds the pull request in the path. */
export function findPullRequest(c: Context<BitbucketEnv>): {
  workspace: Workspace;
  repository: Repository;
  request: PullRequest;
} {
  const { workspace, repository } = findRepository(c);
  const request = repository.pull_requests.find(({ id }) => String(id) === c.req.param("id"));
  if (!request) throw bitbucketError(404, `Pull request ${c.req.param("id")} not found`);
  return { workspace, repository, request };
}

/** Scopes of Bitbucket Cloud in words (developer.atlassian.com/cloud/bitbucket/rest/intro, "Authentication"). */
export const SCOPES: Record<string, string> = {
  account: "See your account and the workspaces you belong to",
  "account:write": "Change your account",
  email: "See your email address",
  repository: "Read your repositories",
  "repository:write": "Write to your repositories",
  pullrequest: "Read and comment on pull requests",
  "pullrequest:write": "Create, merge and decline pull requests",
  project: "See the projects of your workspaces",
};

const IMPLIED: Record<string, string[]> = {
  "account:write": ["account"],
  "repository:write": ["repository"],
  pullrequest: ["repository"],
  "pullrequest:write": ["pullrequest", "repository:write", "repository"],
};

/** Adds the scopes that each scope includes. */
function addImpliedScopes(scopes: string[]): Set<string> {
  return new Set(scopes.flatMap((scope) => [scope, ...(IMPLIED[scope] ?? [])]));
}

/** Formats a time like Bitbucket: `2026-08-24T10:50:03.000000+00:00`. */
export function formatBitbucketTime(iso: string): string {
  return new Date(iso).toISOString().replace("Z", "000+00:00");
}

/** Returns `{"href": …}` for a path of the API, at the requested origin. */
export function toApiLink(c: Context<BitbucketEnv>, path: string) {
  return { href: `${new URL(c.req.url).origin}/2.0/${path}` };
}
