/**
 * Scopes of Atlassian apps, in words (developer.atlassian.com/cloud/jira/platform/scopes-for-oauth-2-3LO-and-forge-apps and the same page
 * of Confluence): the classic ones, and the granular ones that Confluence's REST API v2 asks for.
 */
export const JIRA_SCOPES: Record<string, string> = {
  "read:jira-work": "See Jira projects, issues and their comments",
  "write:jira-work": "Create, edit, move and comment on Jira issues",
  "read:jira-user": "See who people are in Jira",
};

export const CONFLUENCE_SCOPES: Record<string, string> = {
  "search:confluence": "Search Confluence",
  "read:confluence-content.all": "Read Confluence content",
  "read:confluence-content.summary": "Read summaries of Confluence content",
  "read:confluence-space.summary": "Read summaries of Confluence spaces",
  "read:confluence-user": "See who people are in Confluence",
  "write:confluence-content": "Create and edit Confluence content",
  "read:content:confluence": "See Confluence content",
  "read:content-details:confluence": "Search Confluence content and see its details",
  "read:page:confluence": "Read Confluence pages",
  "write:page:confluence": "Create and edit Confluence pages",
  "delete:page:confluence": "Delete Confluence pages",
  "read:comment:confluence": "Read comments on Confluence pages",
  "write:comment:confluence": "Comment on Confluence pages",
  "read:space:confluence": "See Confluence spaces",
  "read:space-details:confluence": "See details of Confluence spaces",
  "read:user:confluence": "See who people are in Confluence",
};

export const SCOPES: Record<string, string> = {
  ...JIRA_SCOPES,
  ...CONFLUENCE_SCOPES,
  "read:me": "See your name, email address and picture",
  "read:account": "See your account",
  offline_access: "Stay connected when you are not here",
};
