import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { formatRecipients } from "../gmail/addresses.ts";
import { buildFileUrl, describeFile, findFileToChange, formatFilePlace } from "../google/files.ts";
import { createChoiceSchema } from "../input-text.ts";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";

const Input = z.object({
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
type Input = z.output<typeof Input>;

/** Source: Drive API v3, POST /drive/v3/files/{fileId}/permissions. Google notifies the recipient by email. */
export const shareFileTool = defineTool({
  name: "google-drive.share_file",
  description: "Share a file or folder of Google Drive with a person, who can then read, comment on or edit it.",
  access: "write",
  input: Input,
  examples: [
    "share {file} with {person}",
    "share the file {file} with {person}",
    "share the folder {file} with {person}",
    "share {file} with {person} to {role}",
    "give {person} access to {file}",
  ],
  summary: ({ file, person, role }: Input) =>
    `Let ${formatRecipient(person)} ${ROLES[role ?? "read"].verb} ${escapeCell(file)}`,
  resource: formatSharePlace,
  destinations: ({ person }: Input) => [isAnyone(person.trim()) ? "anyone with the link" : person.trim().toLowerCase()],
  chooseMode: ({ person }: Input) => (isAnyone(person.trim()) ? "confirm_before_execution" : undefined),
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
function formatSharePlace({ file, person, role }: Input): string | undefined {
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
