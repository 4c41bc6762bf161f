import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { readPages } from "../http/pages.ts";
import { formatMarkdownTable } from "../markup/markdown.ts";
import { quoteName } from "../place.ts";
import type { ServiceHttp, ToolContext } from "../service.ts";

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
});
export type DriveFile = z.output<typeof DriveFile>;

export const FILE_FIELDS =
  "id,name,mimeType,webViewLink,modifiedTime,size,description,parents,owners(displayName,emailAddress)";

/** File types of Google's own apps. */
export const FILE_KINDS = {
  folder: "application/vnd.google-apps.folder",
  document: "application/vnd.google-apps.document",
  spreadsheet: "application/vnd.google-apps.spreadsheet",
  presentation: "application/vnd.google-apps.presentation",
  pdf: "application/pdf",
};
export type FileKind = keyof typeof FILE_KINDS;

/** A search for files; all fields must match. */
export type FileFilter = { text?: string; name?: string; kind?: FileKind; parent?: string };

const Files = z.looseObject({ files: z.array(DriveFile), nextPageToken: z.nullish(z.string()) });

/** Lists matching files, newest first. Drive determines the order when the content is searched. */
export async function findFiles(
  http: ServiceHttp,
  filter: FileFilter,
  limit: number,
): Promise<{ files: DriveFile[]; more: boolean }> {
  const { items, more } = await readPages(async (pageToken, count) => {
    const page = await http.request({
      endpoint: getDriveRole(http),
      path: "/drive/v3/files",
      query: {
        q: buildDriveQuery(filter),
        pageSize: Math.min(limit - count, 100),
        orderBy: filter.text?.trim() ? undefined : "modifiedTime desc",
        fields: `nextPageToken,files(${FILE_FIELDS})`,
        supportsAllDrives: true,
        includeItemsFromAllDrives: true,
        pageToken,
      },
      answer: Files,
      scope: DRIVE_SCOPE,
    });
    return { items: page.files, next: page.nextPageToken };
  }, limit);
  return { files: items, more };
}

/** Builds a query for Drive. Source: https://developers.google.com/workspace/drive/api/guides/search-files */
export function buildDriveQuery({ text, name, kind, parent }: FileFilter): string {
  return [
    "trashed = false",
    kind ? `mimeType = ${quoteValue(FILE_KINDS[kind])}` : "",
    parent ? `${quoteValue(parent)} in parents` : "",
    name ? `name contains ${quoteValue(name)}` : "",
    text?.trim() ? `(name contains ${quoteValue(text)} or fullText contains ${quoteValue(text)})` : "",
  ]
    .filter(Boolean)
    .join(" and ");
}

/**
 * Finds a file to read by URL, ID or name. A part of the name is enough if only one file has it.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export function findFile(context: ToolContext, text: string, kind?: FileKind): Promise<DriveFile> {
  return searchFile(context, text, kind, false);
}

/**
 * Finds a file to change by URL, ID or its whole name. A file whose name only contains the text may be another person's.
 *
 * @throws Problem INVALID_REQUEST when none or several have the name
 */
export function findFileToChange(context: ToolContext, text: string, kind?: FileKind): Promise<DriveFile> {
  return searchFile(context, text, kind, true);
}

async function searchFile(
  context: ToolContext,
  text: string,
  kind: FileKind | undefined,
  changes: boolean,
): Promise<DriveFile> {
  const { http } = context;
  const id = parseFileId(text);
  if (id !== undefined) return fetchFileById(http, id);
  const name = text.replace(/\s+/g, " ").trim();
  const noun = kind ?? "file";
  if (name === "") throw new Problem("INVALID_REQUEST", `No ${noun} is specified.`, { details: { field: noun } });
  const { files } = await findFiles(http, { name, kind }, 20);
  const exact = files.filter((file) => file.name.trim().toLowerCase() === name.toLowerCase());
  const [only, ...others] = exact.length > 0 || changes ? exact : files;
  if (only && others.length === 0) return only;
  if (!only) {
    const similar = files.slice(0, 5).map((file) => `${file.name} (${file.id})`);
    throw new Problem("INVALID_REQUEST", `No ${noun} is called “${name}”.`, {
      hint: similar.length > 0 ? `Similar names: ${similar.join(", ")}.` : "Check the name, or specify its URL.",
      details: { field: noun },
    });
  }
  const names = [only, ...others].slice(0, 5).map((file) => `${file.name} (${file.id})`);
  throw new Problem("INVALID_REQUEST", `Several ${noun}s match “${name}”: ${names.join(", ")}.`, {
    hint: "Specify it by its URL or ID.",
    details: { field: noun },
  });
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

/** Returns a file as the text of an approval names it: its ID if the input has one, else its name. */
export function formatFilePlace(text: string): string | undefined {
  return parseFileId(text) ?? quoteName(text);
}

/** Converts a file to data for the model. */
export function toFileData(file: DriveFile, web: string): Record<string, unknown> {
  return {
    id: file.id,
    name: file.name,
    kind: getKindName(file.mimeType),
    owner: getOwnerName(file),
    modified: file.modifiedTime,
    url: buildFileUrl(file, web),
  };
}

/** Formats files as a table, with their URLs below. */
export function formatFileTable(files: DriveFile[], web: string): string {
  const rows = files.map((file) => [
    file.name,
    getKindName(file.mimeType),
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

/** Returns "document", "folder", or the type itself. */
export function getKindName(mimeType: string): string {
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

function quoteValue(value: string): string {
  return `'${value.replace(/\s+/g, " ").trim().replace(/\\/g, "\\\\").replace(/'/g, "\\'")}'`;
}
