import { type Context, Hono } from "hono";
import { isRecord, type JsonRecord, toRecord } from "#protocol/json";
import type { ProviderContext } from "../../provider.ts";
import { escapeRegExp } from "../../query/words.ts";
import { type GoogleEnv, getList, getText, parseBody, requireAccess, sendMasked } from "../access.ts";
import { applyRequests, type FileChange } from "../batch-update.ts";
import { createHexFromName } from "../build.ts";
import { createFile } from "../drive/drive.ts";
import { findVisibleFile, findWritableFile } from "../drive/files.ts";
import { invalidError, notFoundError } from "../errors.ts";
import { DOCUMENT_TYPE, type DriveFile, type GoogleState, type Paragraph } from "../state.ts";

/**
 * Docs API v1 (developers.google.com/workspace/docs/api/reference/rest/v1): paragraphs with their named styles and
 * bullets.
 */
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
  const required = getText(toRecord(body.writeControl), "requiredRevisionId");
  if (required !== undefined && required !== getRevision(file)) {
    throw invalidError(`The required revision ID '${required}' does not match the latest revision.`);
  }
  const replies = applyRequests(file, getList(body, "requests"), CHANGES);
  file.modifiedTime = provider.timestamp();
  provider.save();
  return sendMasked(c, { documentId: id, replies, writeControl: { requiredRevisionId: getRevision(file) } });
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

/** Requests of `documents.batchUpdate` on text, named styles and bullets. */
const CHANGES: Record<string, FileChange> = {
  insertText(file, request) {
    const text = getText(request, "text") ?? "";
    if (text === "") throw invalidError("The text to insert must not be empty.");
    file.paragraphs = insert(file.paragraphs ?? [], text, request);
    return {};
  },
  replaceAllText(file, request) {
    const criteria = toRecord(request.containsText);
    const searchText = getText(criteria, "text") ?? "";
    if (searchText === "") throw invalidError("The search text should not be empty.");
    const pattern = new RegExp(escapeRegExp(searchText), criteria.matchCase === true ? "g" : "gi");
    let occurrencesChanged = 0;
    const replaceText = (text: string) =>
      text.replace(pattern, () => {
        occurrencesChanged += 1;
        return getText(request, "replaceText") ?? "";
      });
    file.paragraphs = file.paragraphs?.flatMap((paragraph) =>
      split({ ...paragraph, text: replaceText(paragraph.text) }),
    );
    return { replaceAllText: occurrencesChanged > 0 ? { occurrencesChanged } : {} };
  },
  deleteContentRange(file, request) {
    const { paragraphs = [] } = file;
    const { start, end } = getSpan(paragraphs, request);
    const fullText = paragraphs.map(({ text }) => `${text}\n`).join("");
    // The last newline of a document cannot be removed.
    if (end > fullText.length) {
      throw invalidError("The range cannot include the newline character at the end of the segment.");
    }
    const first = paragraphs.findIndex((_, paragraphIndex) => getEnd(paragraphs, paragraphIndex) > start);
    const last = paragraphs.findIndex((_, paragraphIndex) => getEnd(paragraphs, paragraphIndex) > end);
    const [from, to] = [paragraphs[first], paragraphs[last]];
    if (!from || !to) throw invalidError("The range should not be empty.");
    const remaining =
      from.text.slice(0, start - getStart(paragraphs, first)) + to.text.slice(end - getStart(paragraphs, last));
    file.paragraphs = paragraphs.toSpliced(first, last - first + 1, { ...from, text: remaining });
    return {};
  },
  updateParagraphStyle(file, request) {
    const style = getText(toRecord(request.paragraphStyle), "namedStyleType") ?? "NORMAL_TEXT";
    const fields = (getText(request, "fields") ?? "").split(",").map((name) => name.trim());
    if (fields.every((name) => name === "")) throw invalidError("At least one field must be listed in 'fields'.");
    const changesStyle = fields.includes("*") || fields.includes("namedStyleType");
    return changeParagraphs(file, request, changesStyle ? { style } : {});
  },
  createParagraphBullets: (file, request) => changeParagraphs(file, request, { bullet: true }),
  deleteParagraphBullets: (file, request) => changeParagraphs(file, request, { bullet: false }),
};

/**
 * Inserts text at an index (the document begins at 1) or at the end. New paragraphs have the style of the one they
 * split.
 */
function insert(paragraphs: Paragraph[], text: string, request: JsonRecord): Paragraph[] {
  const end = getEnd(paragraphs, paragraphs.length - 1);
  const atEnd = isRecord(request.endOfSegmentLocation);
  const index = atEnd ? end - 1 : Number(toRecord(request.location).index ?? 0);
  if (index < 1)
    throw invalidError(
      "The insertion index must be inside the bounds of an existing paragraph. You can still create new paragraphs by inserting newlines.",
    );
  if (!Number.isInteger(index) || index >= end) {
    throw invalidError(`Index ${index} must be less than the end index of the referenced segment, ${end}.`);
  }
  return paragraphs.flatMap((paragraph, paragraphIndex) => {
    const offset = index - getStart(paragraphs, paragraphIndex);
    if (offset < 0 || offset > paragraph.text.length) return [paragraph];
    return split({ ...paragraph, text: paragraph.text.slice(0, offset) + text + paragraph.text.slice(offset) });
  });
}

function split(paragraph: Paragraph): Paragraph[] {
  return paragraph.text.split("\n").map((text) => ({ ...paragraph, text }));
}

/** Changes the paragraphs that a range overlaps. Returns the empty reply of such requests. */
function changeParagraphs(file: DriveFile, request: JsonRecord, change: Partial<Paragraph>): JsonRecord {
  const { paragraphs = [] } = file;
  const { start, end } = getSpan(paragraphs, request);
  file.paragraphs = paragraphs.map((paragraph, index) =>
    getStart(paragraphs, index) < end && getEnd(paragraphs, index) > start ? { ...paragraph, ...change } : paragraph,
  );
  return {};
}

function getSpan(paragraphs: Paragraph[], request: JsonRecord): { start: number; end: number } {
  const range = toRecord(request.range);
  const [start, end] = [Number(range.startIndex ?? 0), Number(range.endIndex ?? 0)];
  const maximum = getEnd(paragraphs, paragraphs.length - 1);
  if (!(end > start)) throw invalidError("The range should not be empty.");
  if (end > maximum)
    throw invalidError(
      `Index ${end} must be less than or equal to the end index of the referenced segment, ${maximum}.`,
    );
  return { start: Math.max(start, 1), end };
}

function getStart(paragraphs: Paragraph[], paragraphIndex: number): number {
  return paragraphs.slice(0, paragraphIndex).reduce((sum, { text }) => sum + text.length + 1, 1);
}

/** Returns the index after the newline of a paragraph. */
function getEnd(paragraphs: Paragraph[], paragraphIndex: number): number {
  return getStart(paragraphs, paragraphIndex + 1);
}
