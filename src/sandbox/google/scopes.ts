const AUTH = "https://www.googleapis.com/auth/";

/** Scopes of Google in words (developers.google.com/identity/protocols/oauth2/scopes). */
export const SCOPES: Record<string, string> = {
  openid: "Know who you are at Google",
  email: "See your email address",
  profile: "See your name and picture",
  [`${AUTH}userinfo.email`]: "See your email address",
  [`${AUTH}userinfo.profile`]: "See your name and picture",
  [`${AUTH}gmail.readonly`]: "Read your email",
  [`${AUTH}gmail.send`]: "Send email on your behalf",
  [`${AUTH}gmail.compose`]: "Manage drafts and send email",
  [`${AUTH}gmail.modify`]: "Read, write and send email, and label it",
  [`${AUTH}calendar`]: "See, change and share your calendars",
  [`${AUTH}calendar.readonly`]: "See your calendars and when you are free",
  [`${AUTH}calendar.events`]: "See and change events of your calendars",
  [`${AUTH}calendar.events.readonly`]: "See events of your calendars",
  [`${AUTH}documents`]: "See, change and create Google Docs documents",
  [`${AUTH}documents.readonly`]: "See your Google Docs documents",
  [`${AUTH}spreadsheets`]: "See, change and create Google Sheets spreadsheets",
  [`${AUTH}spreadsheets.readonly`]: "See your Google Sheets spreadsheets",
  [`${AUTH}drive`]: "See, change, share and delete your Google Drive files",
  [`${AUTH}drive.readonly`]: "See your Google Drive files",
};

/** Short names of scopes, any of which gives access to a part of an API. */
const SCOPES_BY_ACCESS = {
  mailRead: ["gmail.readonly", "gmail.modify"],
  mailSend: ["gmail.send", "gmail.compose", "gmail.modify"],
  mailCompose: ["gmail.compose", "gmail.modify"],
  mailModify: ["gmail.modify"],
  calendarRead: ["calendar", "calendar.readonly"],
  eventsRead: ["calendar", "calendar.readonly", "calendar.events", "calendar.events.readonly"],
  eventsWrite: ["calendar", "calendar.events"],
  docsRead: ["documents", "documents.readonly", "drive", "drive.readonly"],
  docsWrite: ["documents", "drive"],
  sheetsRead: ["spreadsheets", "spreadsheets.readonly", "drive", "drive.readonly"],
  sheetsWrite: ["spreadsheets", "drive"],
  driveRead: ["drive", "drive.readonly"],
  driveWrite: ["drive"],
} as const;
export type GoogleAccess = keyof typeof SCOPES_BY_ACCESS;

/** Names the services of scopes, for the headline of the consent page. */
export function describeScopes(scopes: string[]): string {
  const names: [string, string][] = [
    ["gmail", "Gmail"],
    ["calendar", "Google Calendar"],
    ["documents", "Google Docs"],
    ["spreadsheets", "Google Sheets"],
    ["drive", "Google Drive"],
  ];
  const matches = names.filter(([name]) => scopes.some((scope) => scope.startsWith(AUTH + name)));
  // Docs and Sheets request Drive too, only to find their files.
  const narrowMatches = matches.filter(([name]) => name !== "drive" || matches.length === 1);
  return narrowMatches.map(([, title]) => title).join(" and ") || "your Google account";
}

/** Whether granted scopes give access to a part of an API. */
export function grantsAccess(granted: string[], access: GoogleAccess): boolean {
  return SCOPES_BY_ACCESS[access].some((scope) => granted.includes(AUTH + scope));
}
