/**
 * Where people sign in, with what an account there opens, in the order in which services are listed. Settings, environment variables and
 * the embedded backend know clients of exactly these.
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

/** Name of a provider in settings (`slack.client-id`) and variables (`KAY_CLIENT_SLACK_ID`). */
export type ProviderName = keyof typeof PROVIDERS;
