import type { Context, MiddlewareHandler } from "hono";
import type { JsonRecord } from "#protocol/json";
import { type ApiEnv, ApiError, parseJsonObject, requireAccount } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import type { GithubState, Issue, PullRequest, Repository, User } from "./state.ts";

/** Context of a request to the API. */
export type GithubEnv = ApiEnv<GithubState, User>;

/** Supported versions of the API (docs.github.com/en/rest/about-the-rest-api/api-versions). */
const VERSIONS = ["2022-11-28", "2026-03-10"];

/** Scopes in words (docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps). */
export const SCOPES: Record<string, string> = {
  repo: "Read and write your repositories, public and private",
  public_repo: "Read and write your public repositories",
  user: "Read and change your profile",
  "read:user": "Read your profile",
  "user:email": "Read your e-mail addresses",
  "read:org": "See your organizations and teams",
  gist: "Read and write your gists",
  notifications: "Read your notifications",
};

/** An error of GitHub: `{"message", "errors"?, "documentation_url", "status"}`. */
export function githubError(
  status: 400 | 401 | 403 | 404 | 405 | 409 | 422,
  message: string,
  errors?: JsonRecord[],
): ApiError {
  const documentation = { documentation_url: "https://docs.github.com/rest", status: String(status) };
  return new ApiError(status, message, { message, ...(errors ? { errors } : {}), ...documentation });
}

/** 422 for a field: `missing_field`, `invalid`, `custom` … */
export function invalidError(
  resource: string,
  field: string,
  code: string,
  details: Record<string, unknown> = {},
): ApiError {
  return githubError(422, "Validation Failed", [{ resource, field, code, ...details }]);
}

/** Requires a supported version and a valid token, and returns both the version and the scopes of the token. */
export function requireToken(provider: ProviderContext<GithubState>): MiddlewareHandler<GithubEnv>[] {
  const getVersion = (c: Context) => c.req.header("x-github-api-version") ?? "2022-11-28";
  return [
    async (c, next) => {
      if (!VERSIONS.includes(getVersion(c)))
        throw githubError(400, `The API version '${getVersion(c)}' is not supported.`);
      await next();
    },
    requireAccount(
      provider,
      ({ users }, id) => users.find(({ login }) => login === id),
      (c) => githubError(401, c.req.header("authorization") ? "Bad credentials" : "Requires authentication"),
    ),
    async (c, next) => {
      c.header("x-oauth-scopes", c.get("grant").scopes.join(", "));
      c.header("x-github-api-version-selected", getVersion(c));
      c.header("x-github-media-type", "github.v3; format=json");
      await next();
    },
  ];
}

/** Returns the repositories that the token can see: public ones, and with `repo` the user's private ones. */
export function listVisibleRepositories(c: Context<GithubEnv>): Repository[] {
  const all = c.get("grant").scopes.includes("repo");
  return c.get("world").repositories.filter((repository) => !repository.private || (all && canWrite(c, repository)));
}

/** Finds the repository in the path. An invisible one counts as missing. */
export function findRepository(c: Context<GithubEnv>): Repository {
  c.header("x-accepted-oauth-scopes", "repo");
  const [owner, name] = [c.req.param("owner"), c.req.param("repo")].map((part) => part?.toLowerCase());
  const repository = listVisibleRepositories(c).find(
    (candidate) => candidate.owner.toLowerCase() === owner && candidate.name.toLowerCase() === name,
  );
  if (!repository) throw notFoundError();
  return repository;
}

/** Finds the repository in the path for a write. Without a scope for it, GitHub reports it as missing. */
export function findWritableRepository(c: Context<GithubEnv>): Repository {
  const repository = findRepository(c);
  const { scopes } = c.get("grant");
  if (!scopes.includes("repo") && (repository.private || !scopes.includes("public_repo"))) throw notFoundError();
  if (repository.archived) throw githubError(403, "Repository was archived so is read-only.");
  return repository;
}

/** Finds the issue or pull request in the path. */
export function findIssue(c: Context<GithubEnv>, { issues, pull_requests }: Repository): Issue | PullRequest {
  const issue = [...issues, ...pull_requests].find(({ number }) => String(number) === c.req.param("number"));
  if (!issue) throw notFoundError();
  return issue;
}

/** Whether the user of the token may write to a repository. */
export function canWrite(c: Context<GithubEnv>, repository: Repository): boolean {
  return isMember(c, repository, c.get("account").login);
}

/** Whether a user works on a repository: as its owner, as a member of the organization, or as a collaborator. */
export function isMember(c: Context<GithubEnv>, { owner, collaborators }: Repository, login: string): boolean {
  const members = c.get("world").organizations.find((organization) => organization.login === owner)?.members ?? [];
  return owner === login || members.includes(login) || collaborators.includes(login);
}

export function notFoundError(): ApiError {
  return githubError(404, "Not Found");
}

export async function parseBody(c: Context): Promise<JsonRecord> {
  return parseJsonObject(c, () => githubError(400, "Problems parsing JSON"));
}
