import { SAFE_GET } from "../http/generic-request.ts";
import type { Service } from "../service.ts";
import {
  addCommentTool,
  approvePullRequestTool,
  declinePullRequestTool,
  mergePullRequestTool,
} from "./change-pull-request.ts";
import { createPullRequestTool } from "./create.ts";
import { fetchBitbucketIdentity } from "./identity.ts";
import { listRepositoriesTool } from "./list-repositories.ts";
import { getPullRequestTool, listPullRequestsTool } from "./read.ts";

/**
 * Bitbucket Cloud. Its OAuth differs from Atlassian's: no audience, no documented PKCE, scopes fixed on the consumer,
 * tokens that last two hours, stable refresh tokens. Source: https://developer.atlassian.com/cloud/bitbucket/oauth-2/
 */
export const bitbucket: Service = {
  name: "bitbucket",
  title: "Bitbucket",
  oauth: {
    provider: "bitbucket",
    scopes: ["account", "repository", "pullrequest", "pullrequest:write"],
    pkce: false,
    clientAuth: "client_secret_basic",
    refresh: "stable",
    accessPage: "https://bitbucket.org/account/settings/app-authorizations/",
  },
  endpoints: {
    authorize: "https://bitbucket.org/site/oauth2/authorize",
    token: "https://bitbucket.org/site/oauth2/access_token",
    api: "https://api.bitbucket.org",
  },
  api: { genericReads: SAFE_GET },
  identify: fetchBitbucketIdentity,
  tools: [
    listPullRequestsTool,
    getPullRequestTool,
    listRepositoriesTool,
    createPullRequestTool,
    addCommentTool,
    approvePullRequestTool,
    mergePullRequestTool,
    declinePullRequestTool,
  ],
};
