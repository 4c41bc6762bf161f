import { toOneLine } from "../markup/markdown.ts";

/** File types of Google's own apps. */
export const FILE_KINDS = {
  folder: "application/vnd.google-apps.folder",
  document: "application/vnd.google-apps.document",
  spreadsheet: "application/vnd.google-apps.spreadsheet",
  presentation: "application/vnd.google-apps.presentation",
  pdf: "application/pdf",
};
export type FileKind = keyof typeof FILE_KINDS;

/**
 * A shortcut is a separate file that leads to another. Source:
 * https://developers.google.com/workspace/drive/api/guides/shortcuts
 */
export const SHORTCUT_TYPE = "application/vnd.google-apps.shortcut";

/** A search for files; all fields must match. `changedSince` is in RFC 3339. */
export type FileFilter = {
  text?: string;
  name?: string;
  kind?: FileKind;
  parent?: string;
  /** "me" or an email address. */
  owner?: string;
  sharedWithMe?: boolean;
  changedSince?: string;
  order?: FileOrder;
};

/** Orders of a list, with Drive's keys. */
export const FILE_ORDERS = {
  changed: "modifiedTime desc",
  created: "createdTime desc",
  opened: "viewedByMeTime desc",
  oldest: "modifiedTime",
  name: "name_natural",
  size: "quotaBytesUsed desc",
};
export type FileOrder = keyof typeof FILE_ORDERS;

/**
 * Builds a query for Drive. A kind also finds all shortcuts, because only the response has the kind of their targets.
 * With an order, Drive searches names only. Source:
 * https://developers.google.com/workspace/drive/api/guides/ref-search-terms
 */
export function buildDriveQuery({ text, name, kind, parent, ...filter }: FileFilter): string {
  const inName = `name contains ${quoteValue(text ?? "")}`;
  const types = kind ? [FILE_KINDS[kind], SHORTCUT_TYPE].map((type) => `mimeType = ${quoteValue(type)}`) : [];
  return [
    "trashed = false",
    kind ? `(${types.join(" or ")})` : "",
    parent ? `${quoteValue(parent)} in parents` : "",
    filter.owner?.trim() ? `${quoteValue(filter.owner)} in owners` : "",
    filter.sharedWithMe ? "sharedWithMe = true" : "",
    filter.changedSince ? `modifiedTime > ${quoteValue(filter.changedSince)}` : "",
    name ? `name contains ${quoteValue(name)}` : "",
    text?.trim() ? (filter.order ? inName : `(${inName} or fullText contains ${quoteValue(text)})`) : "",
  ]
    .filter(Boolean)
    .join(" and ");
}

/** Returns the order of a list. Without one, Drive orders a search of the content by relevance. */
export function getDriveOrder({ text, order }: FileFilter): string | undefined {
  return text?.trim() && !order ? undefined : FILE_ORDERS[order ?? "changed"];
}

function quoteValue(value: string): string {
  return `'${toOneLine(value).replace(/\\/g, "\\\\").replace(/'/g, "\\'")}'`;
}
