/** The world of the Google stand-in: a seed with everything filled in. Accounts are ids, times are ISO 8601. */
export type GoogleState = {
  accounts: Account[];
  labels: Label[];
  messages: Message[];
  events: CalendarEvent[];
  files: DriveFile[];
};

export type Account = { id: string; name: string; email: string; timeZone: string };

/** A user's label. Gmail's system labels are not listed. */
type Label = { account: string; id: string; name: string };

/** A message in one mailbox; each recipient has a separate copy. */
export type Message = {
  account: string;
  id: string;
  threadId: string;
  messageId: string;
  from: string;
  to: string;
  cc: string;
  bcc: string;
  subject: string;
  date: string;
  labelIds: string[];
  text: string;
  html: string;
  inReplyTo: string;
  references: string;
  attachments: { filename: string; mimeType: string; size: number; sha256?: string }[];
  /** ID of its draft, if it is one. */
  draft?: string;
};

export type EventTime = { date: string } | { dateTime: string; timeZone: string };

/** An event of the organizer's calendar, which guests see in theirs too. */
export type CalendarEvent = {
  id: string;
  organizer: string;
  summary: string;
  description: string;
  location: string;
  start: EventTime;
  end: EventTime;
  attendees: { email: string; responseStatus: string }[];
  recurringEventId?: string;
  created: string;
  updated: string;
};

export type Permission = { id: string; type: "user" | "anyone"; role: string; emailAddress?: string };

export type Paragraph = { text: string; style: string; bullet: boolean };

/** Content of a cell: `""` if empty; a formula is its text. */
export type Cell = string | number | boolean;

export type Sheet = { sheetId: number; title: string; rows: Cell[][] };

export type DriveFile = {
  id: string;
  name: string;
  mimeType: string;
  owner: string;
  parents: string[];
  description: string;
  createdTime: string;
  modifiedTime: string;
  trashed: boolean;
  permissions: Permission[];
  size?: string;
  /** Of a shortcut. */
  shortcutDetails?: { targetId: string; targetMimeType: string };
  /** Of a document. */
  paragraphs?: Paragraph[];
  /** Of a spreadsheet. */
  sheets?: Sheet[];
};

export const FOLDER_TYPE = "application/vnd.google-apps.folder";
export const SHORTCUT_TYPE = "application/vnd.google-apps.shortcut";
export const DOCUMENT_TYPE = "application/vnd.google-apps.document";
export const SPREADSHEET_TYPE = "application/vnd.google-apps.spreadsheet";
