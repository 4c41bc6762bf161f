import type { Context } from "hono";
import type { ApiError } from "../../api.ts";
import type { GoogleEnv } from "../access.ts";
import { googleError, notFoundError } from "../errors.ts";
import { DOCUMENT_TYPE, type DriveFile, FOLDER_TYPE, SPREADSHEET_TYPE } from "../state.ts";

/** Returns the account's role for a file, by the best of its permissions. */
export function getRole(c: Context<GoogleEnv>, file: DriveFile): string | undefined {
  const { email } = c.get("account");
  const ownPermissions = file.permissions.filter(
    ({ type, emailAddress }) => type === "anyone" || emailAddress === email,
  );
  return ["owner", "writer", "commenter", "reader"].find((role) =>
    ownPermissions.some((permission) => permission.role === role),
  );
}

/** Finds the file with an ID, if the account can see it. @throws ApiError 404 */
export function findVisibleFile(c: Context<GoogleEnv>, id: string, mimeType?: string): DriveFile {
  const file = c.get("world").files.find((file) => file.id === id);
  if (!file || getRole(c, file) === undefined) throw notFoundError(mimeType ? undefined : `File not found: ${id}.`);
  if (mimeType !== undefined && file.mimeType !== mimeType) {
    throw googleError(400, "failedPrecondition", "This operation is not supported for this document");
  }
  return file;
}

/** Finds the file with an ID, if the account may change it. @throws ApiError 404, 403 */
export function findWritableFile(c: Context<GoogleEnv>, id: string, mimeType?: string): DriveFile {
  const file = findVisibleFile(c, id, mimeType);
  const role = getRole(c, file);
  if (role === "owner" || role === "writer") return file;
  throw noPermissionError();
}

export function noPermissionError(): ApiError {
  const message = "The user does not have sufficient permissions for this file.";
  return googleError(403, "insufficientFilePermissions", message);
}

/** Returns a file as Drive does. */
export function toFileView(c: Context<GoogleEnv>, file: DriveFile) {
  const owner = c.get("world").accounts.find(({ id }) => id === file.owner);
  const role = getRole(c, file);
  return {
    kind: "drive#file",
    id: file.id,
    name: file.name,
    mimeType: file.mimeType,
    description: file.description || undefined,
    trashed: file.trashed,
    parents: file.parents.length > 0 ? file.parents : undefined,
    webViewLink: new URL(getWebPath(file), c.req.url).href,
    createdTime: file.createdTime,
    modifiedTime: file.modifiedTime,
    size: file.size,
    shortcutDetails: file.shortcutDetails,
    owners: owner
      ? [
          {
            kind: "drive#user",
            displayName: owner.name,
            emailAddress: owner.email,
            me: owner.id === c.get("account").id,
          },
        ]
      : [],
    shared: file.permissions.length > 1,
    permissions:
      role === "owner" || role === "writer"
        ? file.permissions.map((permission) => ({ kind: "drive#permission", ...permission }))
        : undefined,
  };
}

/** Returns the URL of a file's page. */
export function getWebPath({ id, mimeType }: Pick<DriveFile, "id" | "mimeType">): string {
  if (mimeType === DOCUMENT_TYPE) return `/document/d/${id}/edit`;
  if (mimeType === SPREADSHEET_TYPE) return `/spreadsheets/d/${id}/edit`;
  return mimeType === FOLDER_TYPE ? `/drive/folders/${id}` : `/file/d/${id}/view`;
}
