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

/** A list of scopes with those that each of them brings along. */
export function addImpliedScopes(scopes: string[]): Set<string> {
  return new Set(scopes.flatMap((scope) => [scope, ...(IMPLIED[scope] ?? [])]));
}
