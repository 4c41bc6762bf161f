import * as z from "zod/mini";
import { SAFE_GET } from "../http/generic-request.ts";
import type { Identity } from "../oauth.ts";
import type { Service } from "../service.ts";
import type { Endpoints, ServiceHttp } from "../service-http.ts";
import { closeIssueTool } from "./close-issue.ts";
import { addCommentTool } from "./comment.ts";
import { createIssueTool } from "./create-issue.ts";
import { createPullRequestTool } from "./create-pull-request.ts";
import { editIssueTool } from "./edit-issue.ts";
import { getIssueTool } from "./get-issue.ts";
import { getPullRequestTool } from "./get-pull-request.ts";
import { listChecksTool } from "./list-checks.ts";
import { listCommitsTool } from "./list-commits.ts";
import { listIssuesTool } from "./list-issues.ts";
import { listPullRequestsTool } from "./list-pull-requests.ts";
import { listRepositoriesTool } from "./list-repositories.ts";
import { mergePullRequestTool } from "./merge-pull-request.ts";
import { reviewPullRequestTool } from "./review-pull-request.ts";
import { searchTool } from "./search.ts";

/**
 * GitHub, as an OAuth app. Its tokens do not expire and have no refresh token; a GitHub App with expiring tokens has
 * both, and they are used. The token endpoint reports failures with 200, and returns form data unless JSON is
 * requested. Sources: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps and
 * https://github.blog/changelog/2025-07-14-pkce-support-for-oauth-and-github-app-authentication
 */
export const github: Service = {
  name: "github",
  title: "GitHub",
  oauth: {
    provider: "github",
    scopes: ["repo", "read:user"],
    pkce: true,
    clientAuth: "client_secret_post",
    refresh: "none",
    revocation: { style: "github", covers: "consent" },
    accessPage: "https://github.com/settings/applications",
    goneErrors: ["bad_refresh_token"],
  },
  endpoints: {
    authorize: "https://github.com/login/oauth/authorize",
    token: "https://github.com/login/oauth/access_token",
    revoke: "https://api.github.com/applications",
    api: "https://api.github.com",
  },
  // A User-Agent is required: https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api
  // After a rate limit without a time, GitHub asks clients to wait at least a minute.
  api: {
    pause: 60_000,
    genericReads: SAFE_GET,
    headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28", "user-agent": "kay" },
  },
  locate: locateEnterprise,
  identify: fetchGithubIdentity,
  tools: [
    listIssuesTool,
    getIssueTool,
    createIssueTool,
    addCommentTool,
    editIssueTool,
    closeIssueTool,
    listCommitsTool,
    listPullRequestsTool,
    getPullRequestTool,
    reviewPullRequestTool,
    createPullRequestTool,
    mergePullRequestTool,
    listChecksTool,
    listRepositoriesTool,
    searchTool,
  ],
};

/**
 * Returns the endpoints of GitHub Enterprise: a self-hosted server has its API below `/api/v3`, a subdomain of ghe.com
 * at `api.`. Sources: https://docs.github.com/en/enterprise-server@3.17/rest/enterprise-admin and
 * https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency/feature-overview-for-github-enterprise-cloud-with-data-residency
 */
function locateEnterprise(url: string): { endpoints: Endpoints; accessPage: string } {
  const { host, origin } = new URL(url);
  const api = host.endsWith(".ghe.com") ? `https://api.${host}` : `${origin}/api/v3`;
  const [authorize, token] = [`${origin}/login/oauth/authorize`, `${origin}/login/oauth/access_token`];
  return {
    endpoints: { authorize, token, revoke: `${api}/applications`, api },
    accessPage: `${origin}/settings/applications`,
  };
}

const Account = z.looseObject({
  id: z.number(),
  login: z.string(),
  name: z.nullish(z.string()),
  email: z.nullish(z.string()),
  avatar_url: z.nullish(z.string()),
  html_url: z.nullish(z.string()),
});

/**
 * Returns the account that consented. Source: https://docs.github.com/en/rest/users/users, "Get the authenticated
 * user".
 */
async function fetchGithubIdentity(http: ServiceHttp): Promise<Identity> {
  const { id, login, name, email, avatar_url, html_url } = await http.request({ path: "/user", answer: Account });
  return {
    accountId: String(id),
    user: { account_id: String(id), name, username: login, email, avatar_url },
    metadata: { url: html_url && URL.canParse(html_url) ? new URL(html_url).origin : "https://github.com", login },
  };
}
