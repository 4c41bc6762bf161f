import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { formatRecipients } from "../gmail/addresses.ts";
import { FILE_KINDS } from "../google/drive-query.ts";
import {
  buildFileUrl,
  DriveFile,
  describeFile,
  FILE_FIELDS,
  findEntryToChange,
  findFileToChange,
  formatFilePlace,
  toFileData,
} from "../google/files.ts";
import { createChoiceSchema, requireTitle } from "../input-text.ts";
import { escapeCell, toOneLine } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";

const CreateFolderInput = z.object({
  title: withDescription(z.string(), "Title of the new folder."),
  parent: withDescription(z.optional(z.string()), "Name, id or URL of the parent folder. Default: My Drive."),
});

/** Source: Drive API v3, POST /drive/v3/files. */
export const createFolderTool = defineTool({
  name: "google-drive.create_folder",
  description: "Create a folder in Google Drive.",
  access: "write",
  input: CreateFolderInput,
  examples: [
    "create a folder called {title}",
    "create a folder {title} in {parent}",
    "make a folder named {title} in my drive",
    "new folder {title}",
    "add a folder called {title} in {parent}",
    "create a folder {title} in my drive",
  ],
  summary: ({ title, parent }) =>
    `Create the folder “${toOneLine(title)}” in ${parent?.trim() ? toOneLine(parent) : "My Drive"}`,
  resource: ({ parent }) => (parent?.trim() ? formatPlace("in the folder", formatFilePlace(parent)) : "in My Drive"),
  async run(input, context) {
    const { http } = context;
    const name = requireTitle(input.title, "A folder", { noun: "name" });
    const parent = input.parent?.trim() ? await findFileToChange(context, input.parent, "folder") : undefined;
    const folder = await http.request({
      method: "POST",
      path: "/drive/v3/files",
      query: { fields: FILE_FIELDS, supportsAllDrives: true },
      body: { name, mimeType: FILE_KINDS.folder, ...(parent ? { parents: [parent.id] } : {}) },
      answer: DriveFile,
      scope: "drive",
    });
    const web = http.endpoints.web ?? "";
    const url = buildFileUrl(folder, web);
    const where = parent ? ` in ${escapeCell(parent.name)}` : "";
    return { data: toFileData(folder, web), text: `Created the folder ${escapeCell(name)}${where}.\n\n${url}`, url };
  },
});

const ShareInput = z.object({
  file: withDescription(z.string(), "Name, id or URL of the file or folder."),
  person: withDescription(z.string(), 'Email address, such as sam@example.com, or "anyone" for anyone with the link.'),
  role: withDescription(
    createChoiceSchema(["read", "comment", "edit", "reader", "commenter", "writer"], {
      view: "read",
      viewer: "read",
      see: "read",
      "comment on": "comment",
      editor: "edit",
      write: "edit",
      change: "edit",
    }),
    "Permission: a verb, or Google's word for the same. Default: read.",
  ),
});
type ShareInput = z.output<typeof ShareInput>;

/** Source: Drive API v3, POST /drive/v3/files/{fileId}/permissions. Google notifies the recipient by email. */
export const shareFileTool = defineTool({
  name: "google-drive.share_file",
  description: "Share a file or folder of Google Drive with a person, who can then read, comment on or edit it.",
  access: "write",
  input: ShareInput,
  examples: [
    "share {file} with {person}",
    "share the file {file} with {person}",
    "share the folder {file} with {person}",
    "share {file} with {person} to {role}",
    "give {person} access to {file}",
    "share the doc {file} with {person}",
    "share the document {file} with {person} to {role}",
    "give {person} {role} access to {file}",
    "let {person} {role} the file {file}",
  ],
  summary: ({ file, person, role }) =>
    `Let ${formatRecipient(person)} ${ROLES[role ?? "read"].verb} ${escapeCell(file)}`,
  resource: formatSharePlace,
  destinations: ({ person }) => [isAnyone(person.trim()) ? "anyone with the link" : person.trim().toLowerCase()],
  chooseMode: ({ person }) => (isAnyone(person.trim()) ? "confirm_before_execution" : undefined),
  placeIsTarget: true,
  describeTarget: async ({ file }, context) => describeFile(await findFileToChange(context, file)),
  async run(input, context) {
    const { http } = context;
    const { role, verb } = ROLES[input.role ?? "read"];
    const grantee = getGrantee(input.person);
    const file = await findFileToChange(context, input.file);
    const { id } = await http.request({
      method: "POST",
      path: `/drive/v3/files/${encodeURIComponent(file.id)}/permissions`,
      query: { supportsAllDrives: true, ...(grantee.type === "user" ? { sendNotificationEmail: true } : {}) },
      body: { role, ...grantee },
      answer: z.looseObject({ id: z.string() }),
      scope: "drive",
    });
    const url = buildFileUrl(file, http.endpoints.web ?? "");
    const text = `${capitalize(formatRecipient(input.person))} can now ${verb} ${escapeCell(file.name)}.\n\n${url}`;
    return { data: { id: file.id, name: file.name, permission: id, role, ...grantee, url }, text, url };
  },
});

/** Returns the text of an approval: file, recipient and permission. Without the file, it would cover every file. */
function formatSharePlace({ file, person, role }: ShareInput): string | undefined {
  const { verb } = ROLES[role ?? "read"];
  const name = formatFilePlace(file);
  const who = isAnyone(person.trim()) ? "anyone with the link" : formatRecipients([person]);
  return name && who && !/[,;]/.test(who) ? `so that ${who} can ${verb} the file ${name}` : undefined;
}

const READER = { role: "reader", verb: "read" } as const;
const COMMENTER = { role: "commenter", verb: "comment on" } as const;
const WRITER = { role: "writer", verb: "edit" } as const;

const ROLES = {
  read: READER,
  comment: COMMENTER,
  edit: WRITER,
  reader: READER,
  commenter: COMMENTER,
  writer: WRITER,
};

function getGrantee(person: string): { type: "anyone" } | { type: "user"; emailAddress: string } {
  const text = person.trim();
  if (isAnyone(text)) return { type: "anyone" };
  if (/^[^\s@<>,]+@(?:[^\s@<>,.]+\.)+[^\s@<>,.]+$/.test(text)) return { type: "user", emailAddress: text };
  throw new Problem("INVALID_REQUEST", `“${text}” is not an email address.`, {
    hint: "Specify the user by email address.",
    details: { field: "person" },
  });
}

function formatRecipient(person: string): string {
  return isAnyone(person.trim()) ? "anyone with the link" : escapeCell(person);
}

function isAnyone(person: string): boolean {
  return /^(anyone|anybody|everyone|everybody)$/i.test(person);
}

function capitalize(text: string): string {
  return text.startsWith("anyone") ? `A${text.slice(1)}` : text;
}

const TrashInput = z.object({
  file: withDescription(z.string(), "Name, id or URL of the file or folder."),
});

/**
 * Source: Drive API v3, PATCH /drive/v3/files/{fileId}. Trashed files disappear for everyone and are deleted after 30
 * days.
 */
export const trashFileTool = defineTool({
  name: "google-drive.trash_file",
  description:
    "Delete a file or folder of Google Drive: it goes to the trash, for everybody, and is gone after 30 days.",
  access: "destructive",
  input: TrashInput,
  examples: [
    "delete the file {file}",
    "delete the folder {file}",
    "trash {file}",
    "move {file} to the trash",
    "remove the file {file} from my drive",
  ],
  summary: ({ file }) => `Move ${escapeCell(file)} to the trash of Google Drive for everyone`,
  describeTarget: async ({ file }, context) => describeFile(await findEntryToChange(context, file)),
  async run(input, context) {
    const file = await findEntryToChange(context, input.file);
    const { id, name } = await context.http.request({
      method: "PATCH",
      path: `/drive/v3/files/${encodeURIComponent(file.id)}`,
      query: { fields: FILE_FIELDS, supportsAllDrives: true },
      body: { trashed: true },
      answer: DriveFile,
      scope: "drive",
    });
    const url = `${context.http.endpoints.web}/drive/trash`;
    return { data: { id, name, trashed: true, url }, text: `${escapeCell(name)} is in the trash.\n\n${url}`, url };
  },
});
