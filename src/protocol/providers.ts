/**
 * Sign-in providers and the services of an account there, in listing order. Settings, environment variables and the
 * local backend know OAuth clients of exactly these.
 */
export const PROVIDERS = {
  atlassian: "Jira and Confluence",
  bitbucket: "Bitbucket",
  slack: "Slack",
  github: "GitHub",
  google: "Gmail, Google Calendar, Docs, Sheets and Drive",
  notion: "Notion",
  airtable: "Airtable",
  hubspot: "HubSpot",
  linkedin: "LinkedIn",
  kyg: "kyg",
} as const;

/** Providers whose users can paste a token instead of giving consent. */
export const TOKEN_PROVIDERS = ["slack", "github", "notion", "airtable", "hubspot"] as const;

/** Name of a provider in settings (`slack.client-id`) and environment variables (`KAY_CLIENT_SLACK_ID`). */
export type ProviderName = keyof typeof PROVIDERS;
