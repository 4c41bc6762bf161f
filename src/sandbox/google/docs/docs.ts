import { type Context, Hono } from "hono";
import type { Place } from "../../provider.ts";
import { bodyOf, type GoogleEnv, listIn, masked, needs, recordIn, textIn } from "../access.ts";
import { hexOf } from "../build.ts";
import { newFile } from "../drive/drive.ts";
import { visibleFile, writableFile } from "../drive/files.ts";
import { invalid, notFound } from "../errors.ts";
import { DOCUMENT, type DriveFile, type GoogleWorld, type Paragraph } from "../world.ts";
import { carryOut } from "./requests.ts";

/** Docs API v1 (developers.google.com/workspace/docs/api/reference/rest/v1): paragraphs with their named styles and bullets. */
export function docsRoutes(app: Hono<GoogleEnv>, place: Place<GoogleWorld>): void {
  const docs = new Hono<GoogleEnv>();
  docs.post("/documents", needs("docsWrite"), async (c) => {
    const title = textIn(await bodyOf(c), "title") ?? "Untitled document";
    const file = newFile(c.get("account"), title, DOCUMENT, place);
    place.world().files.push(file);
    place.changed();
    return answer(c, documentView(file, false));
  });
  docs.get("/documents/:id", needs("docsRead"), (c) => {
    const file = visibleFile(c, c.req.param("id"), DOCUMENT);
    return answer(c, documentView(file, c.req.query("includeTabsContent") === "true"));
  });
  docs.post("/documents/:call", needs("docsWrite"), (c) => update(c, place));
  app.route("/v1", docs);
}

async function update(c: Context<GoogleEnv>, place: Place<GoogleWorld>) {
  const [, id = ""] = /^(.+):batchUpdate$/.exec(c.req.param("call") ?? "") ?? [];
  if (id === "") throw notFound();
  const file = writableFile(c, id, DOCUMENT);
  const body = await bodyOf(c);
  const required = textIn(recordIn(body, "writeControl") ?? {}, "requiredRevisionId");
  if (required !== undefined && required !== revisionOf(file)) {
    throw invalid(`The required revision ID '${required}' does not match the latest revision.`);
  }
  const { paragraphs, replies } = carryOut(file.paragraphs ?? [], listIn(body, "requests"));
  file.paragraphs = paragraphs;
  file.modifiedTime = new Date(place.now()).toISOString();
  place.changed();
  return answer(c, { documentId: id, replies, writeControl: { requiredRevisionId: revisionOf(file) } });
}

function answer(c: Context<GoogleEnv>, value: object) {
  return c.json(masked(value, c.req.query("fields")) as Record<string, unknown>);
}

/** A document that is the same is of the same revision. */
function revisionOf({ id, paragraphs }: DriveFile): string {
  return `ALm37B${hexOf(JSON.stringify([id, paragraphs]), 24)}`;
}

function documentView(file: DriveFile, tabs: boolean) {
  const { id: documentId, name: title, paragraphs = [] } = file;
  const bulleted = paragraphs.some(({ bullet }) => bullet);
  const content = { body: { content: contentView(paragraphs) }, ...(bulleted ? { lists: LISTS } : {}) };
  const common = { documentId, title, revisionId: revisionOf(file), suggestionsViewMode: "SUGGESTIONS_INLINE" };
  if (!tabs) return { ...common, ...content };
  return { ...common, tabs: [{ tabProperties: { tabId: "t.0", title: "Tab 1", index: 0 }, documentTab: content }] };
}

const LIST = "kix.list1";
const LISTS = {
  [LIST]: { listProperties: { nestingLevels: [{ bulletAlignment: "START", glyphSymbol: "●", glyphFormat: "%0" }] } },
};

function contentView(paragraphs: Paragraph[]) {
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
