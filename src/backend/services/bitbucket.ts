import { approvePullRequestTool } from "./bitbucket/approve.ts";
import { addCommentTool } from "./bitbucket/comment.ts";
import { createPullRequestTool } from "./bitbucket/create.ts";
import { declinePullRequestTool } from "./bitbucket/decline.ts";
import { getPullRequestTool } from "./bitbucket/get.ts";
import { fetchBitbucketIdentity } from "./bitbucket/identity.ts";
import { listPullRequestsTool } from "./bitbucket/list.ts";
import { listRepositoriesTool } from "./bitbucket/list-repositories.ts";
import { mergePullRequestTool } from "./bitbucket/merge.ts";
import type { Service } from "./service.ts";

/**
 * Bitbucket Cloud. Its OAuth is its own, not Atlassian's: no audience, no PKCE in its documentation, scopes are fixed on the consumer, tokens
 * live two hours, refresh tokens stay. Source: https://developer.atlassian.com/cloud/bitbucket/oauth-2/
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
  },
  endpoints: {
    authorize: "https://bitbucket.org/site/oauth2/authorize",
    token: "https://bitbucket.org/site/oauth2/access_token",
    api: "https://api.bitbucket.org",
  },
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
