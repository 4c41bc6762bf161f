import * as z from "zod/mini";
import { FILE_KINDS, type FILE_ORDERS, type FileFilter, type FileKind, type FileOrder } from "../google/drive-query.ts";
import {
  buildFileUrl,
  type DriveFile,
  findFile,
  findFiles,
  formatFileTable,
  getFileKind,
  getOwnerName,
  toFileData,
} from "../google/files.ts";
import { isMe } from "../input-text.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatNoun, truncateText } from "../markup/markdown.ts";
import { requirePerson } from "../match.ts";
import type { ServiceHttp } from "../service-http.ts";
import { parseOptionalInstant } from "../time.ts";
import { defineTool, withDescription } from "../tool.ts";

const SearchInput = z.object({
  text: withDescription(z.optional(z.string()), "Words in the name or content."),
  kind: withDescription(
    z.optional(z.enum(["document", "spreadsheet", "presentation", "pdf"])),
    "Type of file: document, spreadsheet, presentation or pdf.",
  ),
  folder: withDescription(z.optional(z.string()), "Name, id or URL of the folder to search in."),
  owner: withDescription(z.optional(z.string()), 'Owner of the files: "me", an email address or a name.'),
  sharedWithMe: withDescription(
    z.optional(z.boolean()),
    "Whether to list only files that others shared with the user.",
  ),
  changedSince: withDescription(z.optional(z.string()), "Only files changed after this date or time, in ISO 8601."),
  order: withDescription(
    z.optional(z.enum(["changed", "created", "opened", "oldest", "name", "size"])),
    "changed (default), created and opened list the newest first. With an order, text is searched in names only.",
  ),
});
type SearchInput = z.output<typeof SearchInput>;

/** Source: Drive API v3, GET /drive/v3/files. */
export const searchTool = defineListTool({
  name: "google-drive.search",
  description: "Find files in Google Drive by words, type, folder, owner or date, or list the newest files.",
  input: SearchInput,
  limit: { usual: 20, most: 100 },
  examples: [
    "find files about {text}",
    "search my drive for {text}",
    "search google drive for {text}",
    "list my files",
    "list the files {sharedWithMe}",
    "list the files that {owner} {sharedWithMe}",
    "files {owner} {sharedWithMe}",
    "what has {owner} {sharedWithMe}",
    "find files owned by {owner}",
    "show recent files in my drive",
    "what files are in folder {folder}",
    "list the files in folder {folder}",
    "which {kind} files mention {text}",
    "find the file {text}",
    "list the {kind} files in my drive",
    "list my {kind} files",
    "list the {kind} in my drive",
  ],
  summary: (input) => `Search Google Drive for ${describeSearch(input)}`,
  async run(input, context, list) {
    const { http, timeZone } = context;
    const folder = input.folder?.trim() ? await findFile(context, input.folder, "folder") : undefined;
    const filter: FileFilter = {
      text: input.text,
      kind: input.kind as FileKind | undefined,
      parent: folder?.id,
      owner: await findOwner(http, input),
      sharedWithMe: input.sharedWithMe,
      changedSince: parseOptionalInstant(input.changedSince, "changedSince", timeZone),
      order: input.order as FileOrder | undefined,
    };
    const { files, more } = await findFiles(http, filter, list);
    const web = http.endpoints.web ?? "";
    const data = { files: files.map((file) => toFileData(file, web)), more };
    const words = escapeCell(describeSearch(input, files.length));
    const text = formatList(list, { count: files.length, words, more, items: () => formatFileTable(files, web) });
    return { data, text, url: folder?.webViewLink ?? `${http.endpoints.web}/drive/my-drive` };
  },
});

/**
 * Returns the address of an owner, because Drive filters by address. A name must be that of an owner of recent files.
 * @throws Problem INVALID_REQUEST when none or several have the name
 */
async function findOwner(http: ServiceHttp, { owner, sharedWithMe }: SearchInput): Promise<string | undefined> {
  const text = owner?.trim() ?? "";
  if (text === "") return undefined;
  if (isMe(text)) return "me";
  if (/^[^\s@<>]+@[^\s@<>]+$/.test(text)) return text;
  const { files } = await findFiles(http, { sharedWithMe }, MAX_RECENT);
  const owners = files.flatMap((file) => file.owners ?? []);
  const byAddress = new Map(
    owners.flatMap(({ displayName, emailAddress }) => (emailAddress ? [[emailAddress, displayName ?? ""]] : [])),
  );
  const people = [...byAddress].map(([address, name]) => ({ address, name }));
  return requirePerson(people, text, {
    purpose: "read",
    where: "your recent files",
    listNames: ({ name }) => [name],
    listAccounts: ({ address }) => [address],
    isShown: false,
  }).address;
}

/** Maximum number of recent files that are searched for an owner. */
const MAX_RECENT = 200;

function describeSearch({ text, kind, folder, ...filter }: SearchInput, number = 2): string {
  const noun = kind === undefined ? "file" : kind in FILE_KINDS && kind !== "pdf" ? kind : "PDF";
  const about = text?.trim() ? ` about “${text.trim()}”` : "";
  const order = filter.order && filter.order !== "changed" ? `, ordered by ${ORDER_WORDS[filter.order]}` : "";
  const conditions = [
    folder?.trim() ? ` in ${folder.trim()}` : "",
    filter.owner?.trim() ? ` owned by ${filter.owner.trim()}` : "",
    filter.sharedWithMe ? " shared with me" : "",
    filter.changedSince?.trim() ? ` changed since ${filter.changedSince.trim()}` : "",
  ];
  return `${formatNoun(number, noun)}${about}${conditions.join("")}${order}`;
}

const ORDER_WORDS: Record<keyof typeof FILE_ORDERS, string> = {
  changed: "change",
  created: "creation, newest first",
  opened: "when I opened them",
  oldest: "change, oldest first",
  name: "name",
  size: "size",
};

const GetInput = z.object({
  file: withDescription(z.string(), "Name, id or URL of the file or folder."),
});

const Access = z.looseObject({
  trashed: z.nullish(z.boolean()),
  permissions: z.nullish(
    z.array(
      z.looseObject({
        type: z.string(),
        role: z.string(),
        emailAddress: z.nullish(z.string()),
        domain: z.nullish(z.string()),
        deleted: z.nullish(z.boolean()),
      }),
    ),
  ),
});
type Permission = NonNullable<z.output<typeof Access>["permissions"]>[number];

/** Source: Drive API v3, GET /drive/v3/files/{fileId}. */
export const getFileTool = defineTool({
  name: "google-drive.get_file",
  description: "Show one file of Google Drive: its type, its owner, and who can open it.",
  access: "read",
  input: GetInput,
  examples: [
    "show the file {file}",
    "who can open the file {file}",
    "who owns the file {file}",
    "who is the file {file} shared with",
    "where is the file {file}",
  ],
  summary: ({ file }) => `Show ${escapeCell(file)} in Google Drive`,
  async run(input, context) {
    const { http } = context;
    const file = await findFile(context, input.file);
    // Google lists permissions only for users who may share the file.
    const { permissions, trashed } = await http.request({
      path: `/drive/v3/files/${encodeURIComponent(file.id)}`,
      query: { fields: "trashed,permissions(type,role,emailAddress,domain,deleted)", supportsAllDrives: true },
      answer: Access,
      scope: "drive",
    });
    // Google keeps the permissions of accounts that were deleted.
    const shared = permissions?.filter(({ deleted }) => deleted !== true).map(formatPermission);
    const web = http.endpoints.web ?? "";
    return {
      data: { ...toFileData(file, web), shared_with: shared, ...(trashed ? { trashed } : {}) },
      text: formatFile(file, shared, trashed === true, web),
      url: buildFileUrl(file, web),
    };
  },
});

function formatPermission({ type, role, emailAddress, domain }: Permission): string {
  const who = type === "anyone" ? "anyone with the link" : (emailAddress ?? domain ?? type);
  return `${who} (${role})`;
}

function formatFile(file: DriveFile, shared: string[] | undefined, isTrashed: boolean, web: string): string {
  const facts: [string, string | undefined][] = [
    ["Kind", getFileKind(file)],
    ["State", isTrashed ? "in the trash" : undefined],
    ["Owner", getOwnerName(file)],
    ["Changed", file.modifiedTime?.slice(0, 10)],
    ["Size", file.size ? `${file.size} bytes` : undefined],
    ["Open to", shared?.join(", ")],
    ["About", file.description ? truncateText(file.description, 300) : undefined],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`- ${name}: ${escapeCell(value)}`] : []));
  return [`**${escapeCell(file.name)}**`, lines.join("\n"), buildFileUrl(file, web)].join("\n\n");
}
