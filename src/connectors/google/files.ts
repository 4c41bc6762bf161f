import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { type ListRequest, readPages } from "../http/pages.ts";
import { formatMarkdownTable, toOneLine } from "../markup/markdown.ts";
import { isSameName, requireMatch } from "../match.ts";
import { quoteName, quoteTitle } from "../place.ts";
import type { ServiceHttp } from "../service-http.ts";
import type { ToolContext } from "../tool.ts";
import {
  buildDriveQuery,
  FILE_KINDS,
  type FileFilter,
  type FileKind,
  getDriveOrder,
  SHORTCUT_TYPE,
} from "./drive-query.ts";

/** A file as Drive returns it with {@link FILE_FIELDS}. Source: Drive API v3, "files". */
export const DriveFile = z.looseObject({
  id: z.string(),
  name: z.string(),
  mimeType: z.string(),
  webViewLink: z.nullish(z.string()),
  modifiedTime: z.nullish(z.string()),
  size: z.nullish(z.string()),
  description: z.nullish(z.string()),
  parents: z.nullish(z.array(z.string())),
  owners: z.nullish(
    z.array(z.looseObject({ displayName: z.nullish(z.string()), emailAddress: z.nullish(z.string()) })),
  ),
  shortcutDetails: z.nullish(z.looseObject({ targetId: z.nullish(z.string()), targetMimeType: z.nullish(z.string()) })),
});
export type DriveFile = z.output<typeof DriveFile>;

export const FILE_FIELDS =
  "id,name,mimeType,webViewLink,modifiedTime,size,description,parents,owners(displayName,emailAddress),shortcutDetails(targetId,targetMimeType)";

const Files = z.looseObject({ files: z.array(DriveFile), nextPageToken: z.nullish(z.string()) });

/** Lists matching files, with shortcuts to such files. */
export async function findFiles(
  http: ServiceHttp,
  filter: FileFilter,
  limit: number | ListRequest,
): Promise<{ files: DriveFile[]; more: boolean }> {
  const { items, more } = await readPages(async (pageToken, size) => {
    const page = await http.request({
      endpoint: getDriveRole(http),
      path: "/drive/v3/files",
      query: {
        q: buildDriveQuery(filter),
        pageSize: Math.min(size, 100),
        orderBy: getDriveOrder(filter),
        fields: `nextPageToken,files(${FILE_FIELDS})`,
        supportsAllDrives: true,
        includeItemsFromAllDrives: true,
        pageToken,
      },
      answer: Files,
      scope: DRIVE_SCOPE,
    });
    return { items: page.files.filter((file) => isKind(file, filter.kind)), next: page.nextPageToken };
  }, limit);
  return { files: items, more };
}

function isKind({ mimeType, shortcutDetails }: DriveFile, kind: FileKind | undefined): boolean {
  return kind === undefined || [mimeType, shortcutDetails?.targetMimeType].includes(FILE_KINDS[kind]);
}

/**
 * Finds a file to read by URL, ID or name. A part of the name is enough if only one file has it. A shortcut returns its
 * target.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findFile(context: ToolContext, text: string, kind?: FileKind): Promise<DriveFile> {
  return followShortcut(context.http, await searchFile(context, text, kind, "read"));
}

/**
 * Finds a file to change by URL, ID or its whole name. A partial name could match another user's file.
 *
 * @throws Problem INVALID_REQUEST when none or several have the name
 */
export async function findFileToChange(context: ToolContext, text: string, kind?: FileKind): Promise<DriveFile> {
  return followShortcut(context.http, await searchFile(context, text, kind, "change"));
}

/** Finds a file to change as {@link findFileToChange}, without following a shortcut. */
export function findEntryToChange(context: ToolContext, text: string): Promise<DriveFile> {
  return searchFile(context, text, undefined, "change entry");
}

async function searchFile(
  context: ToolContext,
  text: string,
  kind: FileKind | undefined,
  purpose: "read" | "change" | "change entry",
): Promise<DriveFile> {
  const { http } = context;
  const id = parseFileId(text);
  if (id !== undefined) return requireKind(await fetchFileById(http, id), kind);
  const name = toOneLine(text);
  const noun = kind ?? "file";
  if (name === "") throw new Problem("INVALID_REQUEST", `No ${noun} is specified.`, { details: { field: noun } });
  const { files } = await findFiles(http, { name, kind }, 20);
  const sameName = files.filter((file) => isSameName(file.name, name));
  const exact = purpose === "change entry" ? sameName : dropShortcutsTo(sameName);
  return requireMatch(exact.length > 0 ? exact : files, name, {
    purpose: purpose === "read" ? "read" : "change",
    noun,
    field: noun,
    getName: (file) => file.name,
    format: (file) => `${file.name} (${file.id})`,
    hints: { none: "Check the name, or specify its URL.", several: "Specify it by its URL or ID." },
  });
}

/** @throws Problem INVALID_REQUEST for a file of another kind, such as a Word file for a document */
function requireKind(file: DriveFile, kind: FileKind | undefined): DriveFile {
  if (isKind(file, kind) || file.shortcutDetails) return file;
  throw new Problem("INVALID_REQUEST", `“${file.name}” is not a ${kind} but of the type ${getFileKind(file)}.`, {
    hint: /^(?:folder|pdf)$/.test(kind ?? "")
      ? "Specify another one."
      : `Save it as a Google ${kind} in Google Drive, or specify another one.`,
    details: { field: kind },
  });
}

/** Drops shortcuts to other files of the list. A new shortcut has the name of its target. */
function dropShortcutsTo(files: DriveFile[]): DriveFile[] {
  const ids = files.map(({ id }) => id);
  return files.filter(({ shortcutDetails }) => !ids.includes(shortcutDetails?.targetId ?? ""));
}

/** Maximum number of shortcuts that lead from one to the next. */
const MAX_HOPS = 3;

async function followShortcut(http: ServiceHttp, file: DriveFile): Promise<DriveFile> {
  let target: DriveFile | undefined = file;
  for (let hop = 0; target?.mimeType === SHORTCUT_TYPE && hop < MAX_HOPS; hop++) {
    const id: string | null | undefined = target.shortcutDetails?.targetId;
    target = id
      ? await fetchFileById(http, id).catch((error: unknown) => {
          if (error instanceof Problem && error.details.service_status === 404) return undefined;
          throw error;
        })
      : undefined;
  }
  if (target && target.mimeType !== SHORTCUT_TYPE) return target;
  throw new Problem("INVALID_REQUEST", `The shortcut “${file.name}” leads to a file that this account cannot open.`, {
    hint: "Ask its owner to share the file, or specify another one.",
  });
}

/** Describes a file for the approval of a call that names it: title, kind, owner and ID. */
export function describeFile(file: DriveFile): string {
  const owner = getOwnerName(file);
  return `${quoteTitle(file.name)}, ${getFileKind(file)}${owner ? ` of ${owner}` : ""} (${file.id})`;
}

/** Fetches a file by ID. */
function fetchFileById(http: ServiceHttp, id: string): Promise<DriveFile> {
  return http.request({
    endpoint: getDriveRole(http),
    path: `/drive/v3/files/${encodeURIComponent(id)}`,
    query: { fields: FILE_FIELDS, supportsAllDrives: true },
    answer: DriveFile,
    scope: DRIVE_SCOPE,
  });
}

/** Returns the ID from a file's URL, or the text itself if it looks like an ID. */
export function parseFileId(text: string): string | undefined {
  const trimmed = text.trim();
  const [, id] = /^https?:\/\/\S*?(?:\/d\/|\/folders\/|[?&]id=)([\w-]+)/.exec(trimmed) ?? [];
  return id ?? (/^(?=.*\d)[\w-]{25,}$/.test(trimmed) ? trimmed : undefined);
}

/** Returns the name of a file for the text of an approval: its ID if the input has one, else its name. */
export function formatFilePlace(text: string): string | undefined {
  return parseFileId(text) ?? quoteName(text);
}

/** Converts a file to data for the model. */
export function toFileData(file: DriveFile, web: string): Record<string, unknown> {
  return {
    id: file.id,
    name: file.name,
    kind: getFileKind(file),
    owner: getOwnerName(file),
    target: file.shortcutDetails?.targetId ?? undefined,
    modified: file.modifiedTime,
    url: buildFileUrl(file, web),
  };
}

/** Formats files as a table, with their URLs below. */
export function formatFileTable(files: DriveFile[], web: string): string {
  const rows = files.map((file) => [
    file.name,
    getFileKind(file),
    getOwnerName(file),
    file.modifiedTime?.slice(0, 10) ?? "",
  ]);
  const links = files.map((file) => `- ${file.name.replace(/[\s<>[\]]+/g, " ").trim()}: ${buildFileUrl(file, web)}`);
  return `${formatMarkdownTable(["Name", "Kind", "Owner", "Changed"], rows)}\n\n${links.join("\n")}`;
}

/** Returns the web page of a file. */
export function buildFileUrl({ id, webViewLink }: Pick<DriveFile, "id" | "webViewLink">, web: string): string {
  return webViewLink ?? `${web}/open?id=${encodeURIComponent(id)}`;
}

/** Returns "document", "folder", "shortcut to folder", or the type itself. */
export function getFileKind({ mimeType, shortcutDetails }: DriveFile): string {
  const target = shortcutDetails?.targetMimeType;
  return mimeType === SHORTCUT_TYPE && target ? `shortcut to ${getKindName(target)}` : getKindName(mimeType);
}

function getKindName(mimeType: string): string {
  const kind = Object.entries(FILE_KINDS).find(([, type]) => type === mimeType)?.[0];
  return kind ?? mimeType.replace("application/vnd.google-apps.", "");
}

export function getOwnerName({ owners }: DriveFile): string {
  return owners?.[0]?.displayName ?? owners?.[0]?.emailAddress ?? "";
}

/** Returns the endpoint role for Drive. Docs and Sheets have separate APIs, but their files are found through Drive. */
function getDriveRole(http: ServiceHttp): string {
  return http.endpoints.drive === undefined ? "api" : "drive";
}

const DRIVE_SCOPE = "drive.readonly";
