import * as z from "zod/mini";

/** The Google part of a seed. Names are Google's own; everything that can be generated may be omitted. */

const text = z.string().check(z.minLength(1));
const words = z.optional(z.string());
const optional = z.optional(text);

const Account = z.strictObject({ id: text, name: text, email: text, timeZone: optional });

const Label = z.strictObject({ account: text, id: optional, name: text });

const Message = z.strictObject({
  /** Whose mailbox it is in. */
  account: text,
  id: optional,
  threadId: optional,
  messageId: optional,
  from: text,
  to: words,
  cc: words,
  bcc: words,
  subject: words,
  date: optional,
  labelIds: z.optional(z.array(text)),
  text: words,
  html: words,
  inReplyTo: words,
  references: words,
  attachments: z.optional(
    z.array(z.strictObject({ filename: text, mimeType: optional, size: z.optional(z.number()), sha256: optional })),
  ),
  draft: optional,
});

/** A day, a time, both relative to the start ("+1d", "+1d 14:00"), or as Google writes it. */
const Time = z.union([text, z.strictObject({ date: text }), z.strictObject({ dateTime: text, timeZone: text })]);

const Event = z.strictObject({
  id: optional,
  organizer: text,
  summary: words,
  description: words,
  location: words,
  start: Time,
  /** For whole days, the day after the last, as at Google. */
  end: z.optional(Time),
  attendees: z.optional(z.array(z.union([text, z.strictObject({ email: text, responseStatus: optional })]))),
  recurringEventId: optional,
  created: optional,
  updated: optional,
});

const Permission = z.strictObject({
  id: optional,
  type: z.optional(z.enum(["user", "anyone"])),
  role: z.enum(["owner", "writer", "commenter", "reader"]),
  emailAddress: optional,
});

const File = z.strictObject({
  id: optional,
  name: z.string(),
  mimeType: optional,
  owner: text,
  /** IDs or names of folders of the same owner. */
  parents: z.optional(z.array(text)),
  description: words,
  createdTime: optional,
  modifiedTime: optional,
  trashed: z.optional(z.boolean()),
  permissions: z.optional(z.array(Permission)),
  size: words,
  /** Makes the file a shortcut to the target with this ID. */
  shortcutDetails: z.optional(z.strictObject({ targetId: text, targetMimeType: optional })),
  /** Lines of a document; `# ` begins a heading, `- ` a list item. */
  text: words,
  paragraphs: z.optional(z.array(z.strictObject({ text: z.string(), style: z.string(), bullet: z.boolean() }))),
  sheets: z.optional(
    z.array(
      z.strictObject({
        sheetId: z.optional(z.number()),
        title: text,
        rows: z.optional(z.array(z.array(z.union([z.string(), z.number(), z.boolean()])))),
      }),
    ),
  ),
});

export const GoogleSeed = z.strictObject({
  accounts: z.array(Account).check(z.minLength(1)),
  labels: z.optional(z.array(Label)),
  messages: z.optional(z.array(Message)),
  events: z.optional(z.array(Event)),
  files: z.optional(z.array(File)),
});
export type GoogleSeed = z.infer<typeof GoogleSeed>;
export type MessageSeed = z.infer<typeof Message>;
export type EventSeed = z.infer<typeof Event>;
export type FileSeed = z.infer<typeof File>;
export type TimeSeed = z.infer<typeof Time>;
