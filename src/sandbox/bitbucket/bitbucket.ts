import { type Context, Hono } from "hono";
import { html } from "hono/html";
import { toOAuthError } from "../oauth/token.ts";
import type { OAuthTraits, Provider, ProviderContext, SandboxEnv } from "../provider.ts";
import { renderEntry, renderFacts, sendWebPage } from "../web-page.ts";
import {
  type BitbucketEnv,
  findRepository,
  findWorkspace,
  formatBitbucketTime,
  listWorkspaces,
  requireScope,
  requireToken,
  SCOPES,
  toApiLink,
} from "./access.ts";
import { buildBitbucket } from "./build.ts";
import { DEFAULT_SEED } from "./default-seed.ts";
import { noApiError } from "./errors.ts";
import { paginate } from "./paging.ts";
import { registerPullRequestRoutes } from "./pullrequests.ts";
import { BitbucketSeed } from "./seed.ts";
import type { BitbucketState } from "./state.ts";
import { toAccountView, toBranchView, toRepositoryView, toWorkspaceView } from "./views.ts";

/**
 * OAuth 2.0 at Bitbucket (developer.atlassian.com/cloud/bitbucket/oauth-2): tokens live two hours, the refresh token
 * stays the same.
 */
const oauth: OAuthTraits = {
  authorizePath: "/site/oauth2/authorize",
  tokenPath: "/site/oauth2/access_token",
  subject: () => "Bitbucket",
  scopes: SCOPES,
  accessSeconds: 7200,
  refresh: "stable",
  answer: ({ access, refresh, scopes, expiresIn }, grantType) => ({
    scopes: scopes.join(" "),
    access_token: access,
    expires_in: expiresIn,
    token_type: "bearer",
    state: grantType,
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
  }),
  errors: {
    client: toOAuthError(400, "unauthorized_client", "Invalid OAuth client credentials"),
    code: toOAuthError(400, "invalid_grant", "The specified code is not valid."),
    refresh: toOAuthError(400, "invalid_request", "Invalid refresh_token"),
    grant_type: toOAuthError(400, "invalid_grant", "Unsupported grant type: None"),
    request: toOAuthError(400, "invalid_request", "The request body cannot be read"),
  },
};

/** Stand-in for bitbucket.org and api.bitbucket.org, on one origin. */
export const bitbucket: Provider<BitbucketState> = {
  name: "bitbucket",
  title: "Bitbucket",
  oauth,
  seed: BitbucketSeed,
  builtIn: DEFAULT_SEED,
  build: (seed, now) => buildBitbucket(seed as BitbucketSeed, now),
  accounts: (world) =>
    world.accounts.map(({ account_id, display_name, email }) => ({ id: account_id, name: display_name, email })),
  routes(app, provider) {
    const v2 = new Hono<BitbucketEnv>();
    v2.use(...requireToken(provider));
    registerAccountRoutes(v2);
    registerRepositoryRoutes(v2);
    registerPullRequestRoutes(v2, provider);
    v2.all("/*", () => {
      throw noApiError();
    });
    app.route("/2.0", v2);
    registerWebPages(app, provider);
  },
};

function registerAccountRoutes(app: Hono<BitbucketEnv>) {
  app.get("/user", requireScope("account"), (c) => {
    const account = c.get("account");
    const details = {
      username: account.nickname,
      created_on: formatBitbucketTime(account.created_on),
      has_2fa_enabled: null,
      is_staff: false,
      account_status: "active",
      location: null,
    };
    return c.json({ ...toAccountView(c, account), ...details });
  });
  app.get("/user/emails", requireScope("email"), (c) => {
    const { email } = c.get("account");
    return paginate(c, [
      {
        type: "email",
        email,
        is_primary: true,
        is_confirmed: true,
        links: { self: toApiLink(c, `user/emails/${email}`) },
      },
    ]);
  });
  app.get("/user/workspaces", requireScope("account"), (c) =>
    paginate(
      c,
      listWorkspaces(c).map((workspace) => ({
        type: "workspace_access",
        administrator: false,
        workspace: toWorkspaceView(c, workspace),
      })),
    ),
  );
  app.get("/workspaces", requireScope("account"), (c) =>
    paginate(
      c,
      listWorkspaces(c).map((workspace) => toWorkspaceView(c, workspace)),
    ),
  );
  app.get("/workspaces/:workspace", requireScope("account"), (c) => c.json(toWorkspaceView(c, findWorkspace(c))));
  app.get("/workspaces/:workspace/members", requireScope("account"), (c) => sendMembers(c));
}

function sendMembers(c: Context<BitbucketEnv>) {
  const workspace = findWorkspace(c);
  const accounts = c
    .get("world")
    .accounts.filter(({ account_id }) => workspace.members.length === 0 || workspace.members.includes(account_id));
  return paginate(
    c,
    accounts.map((account) => ({
      type: "workspace_membership",
      user: toAccountView(c, account),
      workspace: toWorkspaceView(c, workspace),
    })),
  );
}

function registerRepositoryRoutes(app: Hono<BitbucketEnv>) {
  const read = requireScope("repository");
  app.get("/repositories/:workspace", read, (c) => {
    const workspace = findWorkspace(c);
    return paginate(
      c,
      workspace.repositories.map((repository) => toRepositoryView(c, workspace, repository)),
    );
  });
  app.get("/repositories/:workspace/:repository", read, (c) => {
    const { workspace, repository } = findRepository(c);
    return c.json(toRepositoryView(c, workspace, repository));
  });
  app.get("/repositories/:workspace/:repository/refs/branches", read, (c) =>
    paginate(c, findRepository(c).repository.branches.map(toBranchView)),
  );
}

/** Read-only page that links lead to: `/<workspace>/<repository>/pull-requests/<id>`. */
function registerWebPages(app: Hono<SandboxEnv>, provider: ProviderContext<BitbucketState>): void {
  app.get("/:workspace/:repository/pull-requests/:id", (c) => {
    const workspace = provider.world().workspaces.find(({ slug }) => slug === c.req.param("workspace"));
    const repository = workspace?.repositories.find(({ slug }) => slug === c.req.param("repository"));
    const request = repository?.pull_requests.find(({ id }) => String(id) === c.req.param("id"));
    if (!request) return c.notFound();
    const getAccountName = (id: string) =>
      provider.world().accounts.find(({ account_id }) => account_id === id)?.display_name ?? "nobody";
    const facts = {
      State: request.state,
      Author: getAccountName(request.author),
      Branches: `${request.source} → ${request.destination}`,
      "Approved by": request.approved_by.map(getAccountName).join(", ") || "nobody",
    };
    const comments = request.comments.map(({ user, created_on, raw }) =>
      renderEntry(`${getAccountName(user)}, ${created_on.slice(0, 10)}`, raw),
    );
    const content = html`${renderFacts(facts)}<article>${request.description}</article>${comments}`;
    return sendWebPage(c, `#${request.id} ${request.title}`, content);
  });
}
