import type { Context } from "hono";
import type { GoogleEnv } from "../access.ts";
import { GoogleRefusal, notFound } from "../errors.ts";
import { DOCUMENT, type DriveFile, FOLDER, SPREADSHEET } from "../world.ts";

/** What the account may do with a file, by the best of its permissions. */
export function roleOf(c: Context<GoogleEnv>, file: DriveFile): string | undefined {
  const { email } = c.get("account");
  const own = file.permissions.filter(({ type, emailAddress }) => type === "anyone" || emailAddress === email);
  return ["owner", "writer", "commenter", "reader"].find((role) => own.some((one) => one.role === role));
}

/** The file with an id, if the account can see it. @throws GoogleRefusal 404 */
export function visibleFile(c: Context<GoogleEnv>, id: string, mimeType?: string): DriveFile {
  const file = c.get("world").files.find((one) => one.id === id);
  if (!file || roleOf(c, file) === undefined) throw notFound(mimeType ? undefined : `File not found: ${id}.`);
  if (mimeType !== undefined && file.mimeType !== mimeType) {
    throw new GoogleRefusal(400, "failedPrecondition", "This operation is not supported for this document");
  }
  return file;
}

/** The file with an id, if the account may change it. @throws GoogleRefusal 404, 403 */
export function writableFile(c: Context<GoogleEnv>, id: string, mimeType?: string): DriveFile {
  const file = visibleFile(c, id, mimeType);
  const role = roleOf(c, file);
  if (role === "owner" || role === "writer") return file;
  throw new GoogleRefusal(
    403,
    "insufficientFilePermissions",
    "The user does not have sufficient permissions for this file.",
  );
}

/** A file as Drive answers it. */
export function fileView(c: Context<GoogleEnv>, file: DriveFile) {
  const owner = c.get("world").accounts.find(({ id }) => id === file.owner);
  const role = roleOf(c, file);
  return {
    kind: "drive#file",
    id: file.id,
    name: file.name,
    mimeType: file.mimeType,
    description: file.description || undefined,
    trashed: file.trashed,
    parents: file.parents.length > 0 ? file.parents : undefined,
    webViewLink: new URL(webPath(file), c.req.url).href,
    createdTime: file.createdTime,
    modifiedTime: file.modifiedTime,
    size: file.size,
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
        ? file.permissions.map((one) => ({ kind: "drive#permission", ...one }))
        : undefined,
  };
}

/** Where a person looks at a file. */
export function webPath({ id, mimeType }: Pick<DriveFile, "id" | "mimeType">): string {
  if (mimeType === DOCUMENT) return `/document/d/${id}/edit`;
  if (mimeType === SPREADSHEET) return `/spreadsheets/d/${id}/edit`;
  return mimeType === FOLDER ? `/drive/folders/${id}` : `/file/d/${id}/view`;
}
