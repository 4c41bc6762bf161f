import { hash } from "node:crypto";
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import type { OAuthTraits, Provider, ProviderContext, SandboxEnv } from "../provider.ts";
import { renderEntry, renderFacts, sendWebPage } from "../web-page.ts";
import {
  canWrite,
  findRepository,
  type GithubEnv,
  listVisibleRepositories,
  notFoundError,
  requireToken,
  SCOPES,
} from "./access.ts";
import { buildGithub } from "./build.ts";
import { DEFAULT_SEED } from "./default-seed.ts";
import { registerIssueRoutes } from "./issues.ts";
import { paginate } from "./paging.ts";
import { registerPullRequestRoutes } from "./pull-requests.ts";
import { registerSearchRoutes } from "./search.ts";
import { GithubSeed } from "./seed.ts";
import { type GithubState, isPullRequest, type Repository } from "./state.ts";
import { toAccountView, toRepositoryView, truncateToSecond } from "./views.ts";

const failure = (error: string, error_description: string) => ({
  status: 200 as const,
  body: { error, error_description, error_uri: "https://docs.github.com/apps" },
});

/**
 * OAuth apps at GitHub (docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps): tokens do not
 * expire, failures have status 200, and responses are form data unless the client requests JSON.
 */
const oauth: OAuthTraits = {
  authorizePath: "/login/oauth/authorize",
  tokenPath: "/login/oauth/access_token",
  subject: () => "GitHub",
  scopes: SCOPES,
  accessSeconds: 10 * 365 * 86_400,
  refresh: "none",
  prefixes: { access: "gho_", refresh: "ghr_" },
  tokenScheme: true,
  formUnlessAsked: true,
  answer: ({ access, scopes }) => ({ access_token: access, token_type: "bearer", scope: scopes.join(",") }),
  errors: {
    client: failure("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect."),
    code: failure("bad_verification_code", "The code passed is incorrect or expired."),
    refresh: failure("bad_refresh_token", "The refresh token passed is incorrect or expired."),
    grant_type: failure("unsupported_grant_type", "The grant type is not supported."),
    request: failure("bad_verification_code", "The code passed is incorrect or expired."),
  },
};

/** Stand-in for github.com and api.github.com, on one origin. */
export const github: Provider<GithubState> = {
  name: "github",
  title: "GitHub",
  oauth,
  seed: GithubSeed,
  builtIn: DEFAULT_SEED,
  build: (seed, now) => buildGithub(seed as GithubSeed, now),
  accounts: (world) => world.users.map(({ login, name, email }) => ({ id: login, name, email })),
  routes(app, provider) {
    const api = new Hono<GithubEnv>();
    for (const path of ["/user", "/user/*", "/users/*", "/repos/*", "/issues", "/search/*"])
      api.use(path, ...requireToken(provider));
    registerAccountRoutes(api);
    registerApplicationRoutes(app, provider);
    registerIssueRoutes(api, provider);
    registerPullRequestRoutes(api, provider);
    registerSearchRoutes(api);
    for (const path of ["/user/*", "/users/*", "/repos/*", "/search/*"]) {
      api.all(path, () => {
        throw notFoundError();
      });
    }
    app.route("/", api);
    registerWebPages(app, provider);
  },
};

/** Revocation (docs.github.com/en/rest/apps/oauth-applications): of one token, or of the owner's whole grant. */
function registerApplicationRoutes(app: Hono<SandboxEnv>, provider: ProviderContext<GithubState>) {
  app.delete("/applications/:client/:kind{token|grant}", async (c) => {
    const { id, secret } = provider.client;
    if (c.req.header("authorization") !== `Basic ${btoa(`${id}:${secret}`)}` || c.req.param("client") !== id)
      return c.json({ message: "Not Found", status: "404" }, 404);
    const body: unknown = await c.req.json().catch(() => undefined);
    const token = typeof body === "object" && body !== null && "access_token" in body ? body.access_token : undefined;
    const covers = c.req.param("kind") === "grant" ? "account" : "consent";
    if (typeof token !== "string" || !provider.revoke(token, covers))
      return c.json({ message: "Validation Failed", status: "422" }, 422);
    return c.body(null, 204);
  });
}

function registerAccountRoutes(api: Hono<GithubEnv>) {
  api.get("/user", (c) => {
    const { login, name, email, bio, created_at } = c.get("account");
    const details = {
      name,
      email,
      bio: bio || null,
      company: null,
      location: null,
      created_at: truncateToSecond(created_at),
    };
    return c.json({ ...toAccountView(c, login), ...details });
  });
  api.get("/users/:login", (c) => {
    const user = c.get("world").users.find(({ login }) => login.toLowerCase() === c.req.param("login").toLowerCase());
    if (!user) throw notFoundError();
    return c.json({ ...toAccountView(c, user.login), name: user.name, email: user.email });
  });
  api.get("/user/repos", (c) => {
    const repositories = listVisibleRepositories(c).filter((repository) => canWrite(c, repository));
    const formatFullName = ({ owner, name }: (typeof repositories)[number]) => `${owner}/${name}`;
    const { sort = "full_name" } = c.req.query();
    if (sort === "full_name") repositories.sort((a, b) => formatFullName(a).localeCompare(formatFullName(b)));
    else repositories.sort((a, b) => b.updated_at.localeCompare(a.updated_at));
    return c.json(paginate(c, repositories).map((repository) => toRepositoryView(c, repository)));
  });
  api.get("/repos/:owner/:repo/commits", listCommits);
  api.get("/repos/:owner/:repo", (c) => c.json(toRepositoryView(c, findRepository(c))));
}

/** Read-only pages that links lead to: `/<owner>/<repository>` and `/<owner>/<repository>/issues/<number>`. */
function registerWebPages(app: Hono<SandboxEnv>, provider: ProviderContext<GithubState>): void {
  const findRepository = (owner: string, name: string) =>
    provider.world().repositories.find((repository) => repository.owner === owner && repository.name === name);
  const findUserName = (login: string) => provider.world().users.find((user) => user.login === login)?.name ?? login;
  app.get("/:owner/:repo", (c) => {
    const repository = findRepository(c.req.param("owner"), c.req.param("repo"));
    if (!repository) return c.notFound();
    const { owner, name, description, issues, pull_requests } = repository;
    const list = [...issues, ...pull_requests].map((item) => {
      const kind = isPullRequest(item) ? "pull" : "issues";
      return html`<li><a href="/${owner}/${name}/${kind}/${item.number}">#${item.number} ${item.title}</a> (${item.state})</li>`;
    });
    return sendWebPage(c, `${owner}/${name}`, html`<article>${description}</article><ul>${list}</ul>`);
  });
  app.get("/:owner/:repo/:kind{issues|pull}/:number{[0-9]+}", (c) => {
    const repository = findRepository(c.req.param("owner"), c.req.param("repo"));
    const all = [...(repository?.issues ?? []), ...(repository?.pull_requests ?? [])];
    const issue = all.find(({ number }) => String(number) === c.req.param("number"));
    if (!issue) return c.notFound();
    const facts = {
      State: isPullRequest(issue) && issue.merged ? "merged" : issue.state,
      Author: findUserName(issue.user),
      Assignees: issue.assignees.map(findUserName).join(", ") || "nobody",
      Labels: issue.labels.join(", ") || "none",
    };
    const comments = issue.comments.map(({ id, user, body, created_at }) =>
      renderEntry(`${findUserName(user)}, ${created_at.slice(0, 10)}`, body, `issuecomment-${id}`),
    );
    const content = html`${renderFacts(facts)}<article>${issue.body}</article>${comments}`;
    return sendWebPage(c, `#${issue.number} ${issue.title}`, content);
  });
}

type Commit = { sha: string; login: string; message: string; date: string };

/** `GET /repos/{owner}/{repo}/commits`: the first commit, and one for each pull request that was merged. */
function listCommits(c: Context<GithubEnv>) {
  const repository = findRepository(c);
  const { author = "", since, until } = c.req.query();
  const commits = getCommits(repository)
    .filter(({ login }) => author === "" || login.toLowerCase() === author.toLowerCase())
    .filter(({ date }) => !since || Date.parse(date) >= Date.parse(since))
    .filter(({ date }) => !until || Date.parse(date) <= Date.parse(until));
  return c.json(paginate(c, commits).map((commit) => toCommitView(c, repository, commit)));
}

function getCommits({ owner, name, created_at, pull_requests }: Repository): Commit[] {
  const merged = pull_requests.flatMap(({ number, title, user, merged_at }) =>
    merged_at ? [{ login: user, message: `${title} (#${number})`, date: merged_at }] : [],
  );
  const first = { login: owner, message: "Initial commit", date: created_at };
  return [first, ...merged]
    .map((commit) => ({
      ...commit,
      sha: hash("sha1", `${owner}/${name} ${commit.message}`, "hex"),
    }))
    .sort((a, b) => b.date.localeCompare(a.date));
}

function toCommitView(c: Context<GithubEnv>, { owner, name }: Repository, { sha, login, message, date }: Commit) {
  const user = c.get("world").users.find((user) => user.login === login);
  const person = { name: user?.name ?? login, email: user?.email ?? "", date: truncateToSecond(date) };
  return {
    sha,
    html_url: new URL(`/${owner}/${name}/commit/${sha}`, c.req.url).href,
    commit: { message, author: person, committer: person, comment_count: 0 },
    author: toAccountView(c, login),
    committer: toAccountView(c, login),
    parents: [],
  };
}
