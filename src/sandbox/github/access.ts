import type { Context, ErrorHandler, MiddlewareHandler } from "hono";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import type { GithubState, Issue, PullRequest, Repository, User } from "./state.ts";

type Status = 400 | 401 | 403 | 404 | 405 | 410 | 422;

/** Context of a request to the API: its account and the state. */
export type GithubEnv = {
  Bindings: SandboxEnv["Bindings"];
  Variables: SandboxEnv["Variables"] & { user: User; world: GithubState };
};

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
export class GithubError extends Error {
  readonly status: Status;
  readonly errors: Record<string, unknown>[] | undefined;

  constructor(status: Status, message: string, errors?: Record<string, unknown>[]) {
    super(message);
    this.name = "GithubRefusal";
    this.status = status;
    this.errors = errors;
  }
}

export const handleErrors: ErrorHandler = (error, c) => {
  if (!(error instanceof GithubError)) throw error;
  const { status, message, errors } = error;
  const rest = { documentation_url: "https://docs.github.com/rest", status: String(status) };
  return c.json({ message, ...(errors ? { errors } : {}), ...rest }, status);
};

/** 422 for a field: `missing_field`, `invalid`, `custom` … */
export function invalidError(
  resource: string,
  field: string,
  code: string,
  more: Record<string, unknown> = {},
): GithubError {
  return new GithubError(422, "Validation Failed", [{ resource, field, code, ...more }]);
}

/** Requires a valid token, and returns its scopes and the API version. */
export function requireToken(provider: ProviderContext<GithubState>): MiddlewareHandler<GithubEnv> {
  return async (c, next) => {
    const version = c.req.header("x-github-api-version") ?? "2022-11-28";
    if (!VERSIONS.includes(version)) throw new GithubError(400, `The API version '${version}' is not supported.`);
    if (!c.req.header("authorization")) throw new GithubError(401, "Requires authentication");
    const grant = provider.grant(c.req.raw);
    const world = provider.world();
    const user = world.users.find(({ login }) => login === grant?.account);
    if (!grant || !user) throw new GithubError(401, "Bad credentials");
    c.set("grant", grant);
    c.set("user", user);
    c.set("world", world);
    c.header("x-oauth-scopes", grant.scopes.join(", "));
    c.header("x-github-api-version-selected", version);
    c.header("x-github-media-type", "github.v3; format=json");
    await next();
  };
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
  if (repository.archived) throw new GithubError(403, "Repository was archived so is read-only.");
  return repository;
}

/** Finds the issue or pull request in the path. */
export function findIssue(c: Context<GithubEnv>, { issues, pull_requests }: Repository): Issue | PullRequest {
  const issue = [...issues, ...pull_requests].find(({ number }) => String(number) === c.req.param("number"));
  if (!issue) throw notFoundError();
  return issue;
}

/** Whether the person works on a repository: as its owner, as a member of the organization, or as a collaborator. */
export function canWrite(c: Context<GithubEnv>, { owner, collaborators }: Repository): boolean {
  const { login } = c.get("user");
  const members = c.get("world").organizations.find((organization) => organization.login === owner)?.members ?? [];
  return owner === login || members.includes(login) || collaborators.includes(login);
}

export function notFoundError(): GithubError {
  return new GithubError(404, "Not Found");
}

export async function parseBody(c: Context): Promise<Record<string, unknown>> {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new GithubError(400, "Problems parsing JSON");
  return body as Record<string, unknown>;
}
