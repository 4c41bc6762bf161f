import { approvePullRequest } from "./bitbucket/approve.ts";
import { comment } from "./bitbucket/comment.ts";
import { createPullRequest } from "./bitbucket/create.ts";
import { declinePullRequest } from "./bitbucket/decline.ts";
import { getPullRequest } from "./bitbucket/get.ts";
import { bitbucketIdentity } from "./bitbucket/identity.ts";
import { listPullRequests } from "./bitbucket/list.ts";
import { listRepositories } from "./bitbucket/list-repositories.ts";
import { mergePullRequest } from "./bitbucket/merge.ts";
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
  identify: bitbucketIdentity,
  tools: [
    listPullRequests,
    getPullRequest,
    listRepositories,
    createPullRequest,
    comment,
    approvePullRequest,
    mergePullRequest,
    declinePullRequest,
  ],
};
