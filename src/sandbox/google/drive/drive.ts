import { type Context, Hono } from "hono";
import type { Place } from "../../provider.ts";
import { bodyOf, type GoogleEnv, listIn, masked, needs, pageOf, textIn } from "../access.ts";
import { hexOf } from "../build.ts";
import { GoogleRefusal, invalid } from "../errors.ts";
import { type Account, DOCUMENT, type DriveFile, type GoogleWorld, type Permission, SPREADSHEET } from "../world.ts";
import { fileView, roleOf, visibleFile, writableFile } from "./files.ts";
import { driveTest } from "./query.ts";

/** Drive API v3 (developers.google.com/workspace/drive/api/reference/rest/v3): files without their content. */
export function driveRoutes(app: Hono<GoogleEnv>, place: Place<GoogleWorld>): void {
  const drive = new Hono<GoogleEnv>();
  const answer = (c: Context<GoogleEnv>, file: DriveFile) =>
    c.json(masked(fileView(c, file), c.req.query("fields") ?? "kind,id,name,mimeType") as Record<string, unknown>);
  drive.get("/about", needs("driveRead"), (c) => {
    const { name: displayName, email: emailAddress } = c.get("account");
    return c.json({ kind: "drive#about", user: { kind: "drive#user", displayName, emailAddress, me: true } });
  });
  drive.get("/files", needs("driveRead"), list);
  drive.get("/files/:id", needs("driveRead"), (c) => answer(c, visibleFile(c, c.req.param("id"))));
  drive.post("/files", needs("driveWrite"), async (c) => {
    const body = await bodyOf(c);
    const file = newFile(
      c.get("account"),
      textIn(body, "name") ?? "Untitled",
      textIn(body, "mimeType") ?? "application/octet-stream",
      place,
    );
    file.parents = listIn(body, "parents").map((id) => writableFile(c, String(id)).id);
    place.world().files.push(file);
    place.changed();
    return answer(c, file);
  });
  drive.patch("/files/:id", needs("driveWrite"), async (c) => {
    const file = writableFile(c, c.req.param("id"));
    const body = await bodyOf(c);
    if (typeof body.trashed === "boolean") {
      if (roleOf(c, file) !== "owner") {
        throw new GoogleRefusal(
          403,
          "insufficientFilePermissions",
          "The user does not have sufficient permissions for this file.",
        );
      }
      file.trashed = body.trashed;
    }
    file.name = textIn(body, "name") ?? file.name;
    file.description = textIn(body, "description") ?? file.description;
    file.modifiedTime = new Date(place.now()).toISOString();
    place.changed();
    return answer(c, file);
  });
  drive.post("/files/:id/permissions", needs("driveWrite"), async (c) => {
    const file = writableFile(c, c.req.param("id"));
    const permission = permissionIn(await bodyOf(c));
    file.permissions = [...file.permissions.filter(({ id }) => id !== permission.id), permission];
    place.changed();
    return c.json({ kind: "drive#permission", id: permission.id, type: permission.type, role: permission.role });
  });
  app.route("/drive/v3", drive);
}

/** A new file of an account, empty. */
export function newFile(account: Account, name: string, mimeType: string, place: Place<GoogleWorld>): DriveFile {
  const now = new Date(place.now()).toISOString();
  return {
    id: `1${Buffer.from(place.random(24)).toString("base64url")}`,
    name,
    mimeType,
    owner: account.id,
    parents: [],
    description: "",
    createdTime: now,
    modifiedTime: now,
    trashed: false,
    permissions: [{ id: hexOf(account.email, 20), type: "user", role: "owner", emailAddress: account.email }],
    ...(mimeType === DOCUMENT ? { paragraphs: [{ text: "", style: "NORMAL_TEXT", bullet: false }] } : {}),
    ...(mimeType === SPREADSHEET ? { sheets: [{ sheetId: 0, title: "Sheet1", rows: [] }] } : {}),
  };
}

function list(c: Context<GoogleEnv>) {
  const { q = "", orderBy = "" } = c.req.query();
  if (/\bfullText\b/.test(q) && orderBy !== "") {
    const message =
      "Sorting is not supported for queries with fullText terms. Results are always in descending relevance order.";
    throw new GoogleRefusal(403, "forbidden", message);
  }
  const test = q.trim() === "" ? () => true : driveTest(q);
  const found = c
    .get("world")
    .files.filter((file) => roleOf(c, file) !== undefined && test(file))
    .sort((a, b) => b.modifiedTime.localeCompare(a.modifiedTime));
  const { page, nextPageToken } = pageOf(c, found, { name: "pageSize", usual: 100, most: 1000 });
  const files = page.map((file) => fileView(c, file));
  const answer = {
    kind: "drive#fileList",
    incompleteSearch: false,
    files,
    ...(nextPageToken ? { nextPageToken } : {}),
  };
  const fields = c.req.query("fields") ?? "kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)";
  return c.json(masked(answer, fields) as Record<string, unknown>);
}

function permissionIn(body: Record<string, unknown>): Permission {
  const [type, role, emailAddress] = [textIn(body, "type"), textIn(body, "role"), textIn(body, "emailAddress")];
  if (role !== "reader" && role !== "commenter" && role !== "writer")
    throw invalid("The specified role is invalid or not supported.");
  if (type === "anyone") return { id: "anyoneWithLink", type, role };
  if (type !== "user") throw invalid("The permission type field is required.");
  if (!emailAddress)
    throw invalid("The specified emailAddress is invalid or not applicable for the given permission type.");
  return { id: hexOf(emailAddress, 20), type, role, emailAddress };
}
