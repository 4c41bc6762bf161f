import { type Context, Hono } from "hono";
import type { ProviderContext } from "../../provider.ts";
import { applyFieldMask, type GoogleEnv, getList, getRecord, getText, parseBody, requireAccess } from "../access.ts";
import { createHexFromName } from "../build.ts";
import { createFile } from "../drive/drive.ts";
import { findVisibleFile, findWritableFile } from "../drive/files.ts";
import { invalidError, notFoundError } from "../errors.ts";
import { DOCUMENT_TYPE, type DriveFile, type GoogleState, type Paragraph } from "../state.ts";
import { applyRequests } from "./requests.ts";

/** Docs API v1 (developers.google.com/workspace/docs/api/reference/rest/v1): paragraphs with their named styles and bullets. */
export function registerDocsRoutes(app: Hono<GoogleEnv>, provider: ProviderContext<GoogleState>): void {
  const docs = new Hono<GoogleEnv>();
  docs.post("/documents", requireAccess("docsWrite"), async (c) => {
    const title = getText(await parseBody(c), "title") ?? "Untitled document";
    const file = createFile(c.get("account"), title, DOCUMENT_TYPE, provider);
    provider.world().files.push(file);
    provider.save();
    return sendMasked(c, toDocumentView(file, false));
  });
  docs.get("/documents/:id", requireAccess("docsRead"), (c) => {
    const file = findVisibleFile(c, c.req.param("id"), DOCUMENT_TYPE);
    return sendMasked(c, toDocumentView(file, c.req.query("includeTabsContent") === "true"));
  });
  docs.post("/documents/:call", requireAccess("docsWrite"), (c) => update(c, provider));
  app.route("/v1", docs);
}

async function update(c: Context<GoogleEnv>, provider: ProviderContext<GoogleState>) {
  const [, id = ""] = /^(.+):batchUpdate$/.exec(c.req.param("call") ?? "") ?? [];
  if (id === "") throw notFoundError();
  const file = findWritableFile(c, id, DOCUMENT_TYPE);
  const body = await parseBody(c);
  const required = getText(getRecord(body, "writeControl") ?? {}, "requiredRevisionId");
  if (required !== undefined && required !== getRevision(file)) {
    throw invalidError(`The required revision ID '${required}' does not match the latest revision.`);
  }
  const { paragraphs, replies } = applyRequests(file.paragraphs ?? [], getList(body, "requests"));
  file.paragraphs = paragraphs;
  file.modifiedTime = new Date(provider.now()).toISOString();
  provider.save();
  return sendMasked(c, { documentId: id, replies, writeControl: { requiredRevisionId: getRevision(file) } });
}

function sendMasked(c: Context<GoogleEnv>, value: object) {
  return c.json(applyFieldMask(value, c.req.query("fields")) as Record<string, unknown>);
}

/** Derives the revision from the content, so that equal documents have the same one. */
function getRevision({ id, paragraphs }: DriveFile): string {
  return `ALm37B${createHexFromName(JSON.stringify([id, paragraphs]), 24)}`;
}

function toDocumentView(file: DriveFile, tabs: boolean) {
  const { id: documentId, name: title, paragraphs = [] } = file;
  const bulleted = paragraphs.some(({ bullet }) => bullet);
  const content = { body: { content: toContentView(paragraphs) }, ...(bulleted ? { lists: LISTS } : {}) };
  const common = { documentId, title, revisionId: getRevision(file), suggestionsViewMode: "SUGGESTIONS_INLINE" };
  if (!tabs) return { ...common, ...content };
  return { ...common, tabs: [{ tabProperties: { tabId: "t.0", title: "Tab 1", index: 0 }, documentTab: content }] };
}

const LIST = "kix.list1";
const LISTS = {
  [LIST]: { listProperties: { nestingLevels: [{ bulletAlignment: "START", glyphSymbol: "●", glyphFormat: "%0" }] } },
};

function toContentView(paragraphs: Paragraph[]) {
  let index = 1;
  const content = paragraphs.map(({ text, style, bullet }) => {
    const startIndex = index;
    index += text.length + 1;
    const textRun = { content: `${text}\n`, textStyle: {} };
    const paragraph = {
      elements: [{ startIndex, endIndex: index, textRun }],
      paragraphStyle: { namedStyleType: style, direction: "LEFT_TO_RIGHT" },
      ...(bullet ? { bullet: { listId: LIST, textStyle: {} } } : {}),
    };
    return { startIndex, endIndex: index, paragraph };
  });
  const sectionStyle = { columnSeparatorStyle: "NONE", contentDirection: "LEFT_TO_RIGHT", sectionType: "CONTINUOUS" };
  return [{ endIndex: 1, sectionBreak: { sectionStyle } }, ...content];
}
