import { type Context, Hono } from "hono";
import { toRecord } from "#protocol/json";
import type { ProviderContext } from "../../provider.ts";
import { type GoogleEnv, getList, getText, paginate, parseBody, requireAccess, sendMasked } from "../access.ts";
import { createHexFromName } from "../build.ts";
import { googleError, invalidError } from "../errors.ts";
import {
  type Account,
  DOCUMENT_TYPE,
  type DriveFile,
  type GoogleState,
  type Permission,
  SHORTCUT_TYPE,
  SPREADSHEET_TYPE,
} from "../state.ts";
import { findVisibleFile, findWritableFile, getRole, noPermissionError, toFileView } from "./files.ts";
import { createDriveMatcher } from "./query.ts";

/** Drive API v3 (developers.google.com/workspace/drive/api/reference/rest/v3): files without their content. */
export function registerDriveRoutes(app: Hono<GoogleEnv>, provider: ProviderContext<GoogleState>): void {
  const drive = new Hono<GoogleEnv>();
  const sendFile = (c: Context<GoogleEnv>, file: DriveFile) =>
    sendMasked(c, toFileView(c, file), "kind,id,name,mimeType");
  drive.get("/about", requireAccess("driveRead"), (c) => {
    const { name: displayName, email: emailAddress } = c.get("account");
    return c.json({ kind: "drive#about", user: { kind: "drive#user", displayName, emailAddress, me: true } });
  });
  drive.get("/files", requireAccess("driveRead"), list);
  drive.get("/files/:id", requireAccess("driveRead"), (c) => sendFile(c, findVisibleFile(c, c.req.param("id"))));
  drive.post("/files", requireAccess("driveWrite"), async (c) => {
    const body = await parseBody(c);
    const file = createFile(
      c.get("account"),
      getText(body, "name") ?? "Untitled",
      getText(body, "mimeType") ?? "application/octet-stream",
      provider,
    );
    file.parents = getList(body, "parents").map((id) => findWritableFile(c, String(id)).id);
    const targetId = getText(toRecord(body.shortcutDetails), "targetId");
    if (targetId !== undefined) {
      const target = findVisibleFile(c, targetId);
      Object.assign(file, { mimeType: SHORTCUT_TYPE });
      file.shortcutDetails = { targetId, targetMimeType: target.mimeType };
    }
    provider.world().files.push(file);
    provider.save();
    return sendFile(c, file);
  });
  drive.patch("/files/:id", requireAccess("driveWrite"), async (c) => {
    const file = findWritableFile(c, c.req.param("id"));
    const body = await parseBody(c);
    if (typeof body.trashed === "boolean") {
      if (getRole(c, file) !== "owner") throw noPermissionError();
      file.trashed = body.trashed;
    }
    file.name = getText(body, "name") ?? file.name;
    file.description = getText(body, "description") ?? file.description;
    file.modifiedTime = provider.timestamp();
    provider.save();
    return sendFile(c, file);
  });
  drive.post("/files/:id/permissions", requireAccess("driveWrite"), async (c) => {
    const file = findWritableFile(c, c.req.param("id"));
    const permission = parsePermission(await parseBody(c));
    file.permissions = [...file.permissions.filter(({ id }) => id !== permission.id), permission];
    provider.save();
    return c.json({ kind: "drive#permission", id: permission.id, type: permission.type, role: permission.role });
  });
  app.route("/drive/v3", drive);
}

/** Creates an empty file of an account. */
export function createFile(
  account: Account,
  name: string,
  mimeType: string,
  provider: ProviderContext<GoogleState>,
): DriveFile {
  const now = provider.timestamp();
  return {
    id: `1${Buffer.from(provider.random(24)).toString("base64url")}`,
    name,
    mimeType,
    owner: account.id,
    parents: [],
    description: "",
    createdTime: now,
    modifiedTime: now,
    trashed: false,
    permissions: [
      { id: createHexFromName(account.email, 20), type: "user", role: "owner", emailAddress: account.email },
    ],
    ...(mimeType === DOCUMENT_TYPE ? { paragraphs: [{ text: "", style: "NORMAL_TEXT", bullet: false }] } : {}),
    ...(mimeType === SPREADSHEET_TYPE ? { sheets: [{ sheetId: 0, title: "Sheet1", rows: [] }] } : {}),
  };
}

function list(c: Context<GoogleEnv>) {
  const { q = "", orderBy = "" } = c.req.query();
  if (/\bfullText\b/.test(q) && orderBy !== "") {
    const message =
      "Sorting is not supported for queries with fullText terms. Results are always in descending relevance order.";
    throw googleError(403, "forbidden", message);
  }
  const test = q.trim() === "" ? () => true : createDriveMatcher(q, c.get("account"), c.get("world").accounts);
  const matches = c
    .get("world")
    .files.filter((file) => getRole(c, file) !== undefined && test(file))
    .sort(createDriveOrder(orderBy));
  const { page, nextPageToken } = paginate(c, matches, { name: "pageSize", usual: 100, most: 1000 });
  const files = page.map((file) => toFileView(c, file));
  const answer = {
    kind: "drive#fileList",
    incompleteSearch: false,
    files,
    ...(nextPageToken ? { nextPageToken } : {}),
  };
  return sendMasked(c, answer, "kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)");
}

function parsePermission(body: Record<string, unknown>): Permission {
  const [type, role, emailAddress] = [getText(body, "type"), getText(body, "role"), getText(body, "emailAddress")];
  if (role !== "reader" && role !== "commenter" && role !== "writer")
    throw invalidError("The specified role is invalid or not supported.");
  if (type === "anyone") return { id: "anyoneWithLink", type, role };
  if (type !== "user") throw invalidError("The permission type field is required.");
  if (!emailAddress)
    throw invalidError("The specified emailAddress is invalid or not applicable for the given permission type.");
  return { id: createHexFromName(emailAddress, 20), type, role, emailAddress };
}

const KEYS: Record<string, (file: DriveFile) => string | number> = {
  createdTime: (file) => file.createdTime,
  modifiedTime: (file) => file.modifiedTime,
  viewedByMeTime: (file) => file.modifiedTime,
  name: (file) => file.name,
  name_natural: (file) => file.name,
  quotaBytesUsed: (file) => Number(file.size ?? 0),
};

/**
 * Returns the order of `orderBy`, such as `modifiedTime desc`. @throws ApiError for a key that Drive does not know
 */
function createDriveOrder(orderBy: string): (a: DriveFile, b: DriveFile) => number {
  const [name = "", direction = "asc"] = (orderBy.trim() || "modifiedTime desc").split(/\s+/);
  const key = KEYS[name];
  if (!key) throw invalidError(`Invalid Value: orderBy ${name}`);
  const sign = direction === "desc" ? -1 : 1;
  return (a, b) => {
    const [first, second] = [key(a), key(b)];
    const order =
      typeof first === "number" ? first - Number(second) : first.localeCompare(String(second), "en", { numeric: true });
    return sign * order;
  };
}
