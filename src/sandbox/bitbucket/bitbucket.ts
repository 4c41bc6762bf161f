import { type Context, Hono } from "hono";
import type { OAuthTraits, Provider } from "../provider.ts";
import { type BitbucketEnv, needs, repositoryOf, signedIn, workspaceOf, workspacesOf } from "./access.ts";
import { browse } from "./browse.ts";
import { buildBitbucket } from "./build.ts";
import { BUILT_IN } from "./builtin.ts";
import { noApi, refusals } from "./errors.ts";
import { listed } from "./paging.ts";
import { pullRequestRoutes } from "./pullrequests.ts";
import { SCOPES } from "./scopes.ts";
import { BitbucketSeed } from "./seed.ts";
import { accountView, api, bitbucketTime, branchView, repositoryView, workspaceView } from "./views.ts";
import type { BitbucketWorld } from "./world.ts";

/** OAuth 2.0 at Bitbucket (developer.atlassian.com/cloud/bitbucket/oauth-2): tokens live two hours, the refresh token stays the same. */
const oauth: OAuthTraits = {
  authorizePath: "/site/oauth2/authorize",
  tokenPath: "/site/oauth2/access_token",
  subject: () => "Bitbucket",
  scopes: SCOPES,
  fixed: {},
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
    client: {
      status: 400,
      body: { error_description: "Invalid OAuth client credentials", error: "unauthorized_client" },
    },
    code: { status: 400, body: { error_description: "The specified code is not valid.", error: "invalid_grant" } },
    refresh: { status: 400, body: { error_description: "Invalid refresh_token", error: "invalid_request" } },
    grant_type: { status: 400, body: { error_description: "Unsupported grant type: None", error: "invalid_grant" } },
    request: { status: 400, body: { error_description: "The request body cannot be read", error: "invalid_request" } },
  },
};

/** Stand-in for bitbucket.org and api.bitbucket.org, on one origin. */
export const bitbucket: Provider<BitbucketWorld> = {
  name: "bitbucket",
  title: "Bitbucket",
  oauth,
  seed: BitbucketSeed,
  builtIn: BUILT_IN,
  build: (seed, now) => buildBitbucket(seed as BitbucketSeed, now),
  accounts: (world) =>
    world.accounts.map(({ account_id, display_name, email }) => ({ id: account_id, name: display_name, email })),
  routes(app, place) {
    const v2 = new Hono<BitbucketEnv>();
    v2.onError(refusals);
    v2.use(signedIn(place));
    accountRoutes(v2);
    repositoryRoutes(v2);
    pullRequestRoutes(v2, place);
    v2.all("/*", () => {
      throw noApi();
    });
    app.route("/2.0", v2);
    browse(app, place);
  },
};

function accountRoutes(app: Hono<BitbucketEnv>) {
  app.get("/user", needs("account"), (c) => {
    const account = c.get("account");
    const more = {
      username: account.nickname,
      created_on: bitbucketTime(account.created_on),
      has_2fa_enabled: null,
      is_staff: false,
      account_status: "active",
      location: null,
    };
    return c.json({ ...accountView(c, account), ...more });
  });
  app.get("/user/emails", needs("email"), (c) => {
    const { email } = c.get("account");
    return listed(c, [
      { type: "email", email, is_primary: true, is_confirmed: true, links: { self: api(c, `user/emails/${email}`) } },
    ]);
  });
  app.get("/user/workspaces", needs("account"), (c) =>
    listed(
      c,
      workspacesOf(c).map((workspace) => ({
        type: "workspace_access",
        administrator: false,
        workspace: workspaceView(c, workspace),
      })),
    ),
  );
  app.get("/workspaces", needs("account"), (c) =>
    listed(
      c,
      workspacesOf(c).map((workspace) => workspaceView(c, workspace)),
    ),
  );
  app.get("/workspaces/:workspace", needs("account"), (c) => c.json(workspaceView(c, workspaceOf(c))));
  app.get("/workspaces/:workspace/members", needs("account"), (c) => members(c));
}

function members(c: Context<BitbucketEnv>) {
  const workspace = workspaceOf(c);
  const accounts = c
    .get("world")
    .accounts.filter(({ account_id }) => workspace.members.length === 0 || workspace.members.includes(account_id));
  return listed(
    c,
    accounts.map((account) => ({
      type: "workspace_membership",
      user: accountView(c, account),
      workspace: workspaceView(c, workspace),
    })),
  );
}

function repositoryRoutes(app: Hono<BitbucketEnv>) {
  const read = needs("repository");
  app.get("/repositories/:workspace", read, (c) => {
    const workspace = workspaceOf(c);
    return listed(
      c,
      workspace.repositories.map((repository) => repositoryView(c, workspace, repository)),
    );
  });
  app.get("/repositories/:workspace/:repository", read, (c) => {
    const { workspace, repository } = repositoryOf(c);
    return c.json(repositoryView(c, workspace, repository));
  });
  app.get("/repositories/:workspace/:repository/refs/branches", read, (c) =>
    listed(c, repositoryOf(c).repository.branches.map(branchView)),
  );
}
