import { type Context, Hono } from "hono";
import type { Place } from "../../provider.ts";
import { bodyOf, type GoogleEnv, listIn, masked, needs, recordIn, textIn } from "../access.ts";
import { newFile } from "../drive/drive.ts";
import { visibleFile, writableFile } from "../drive/files.ts";
import { invalid, notFound } from "../errors.ts";
import { DOCUMENT, type DriveFile, type GoogleWorld, type Paragraph } from "../world.ts";

/** Docs API v1 (developers.google.com/workspace/docs/api/reference/rest/v1): paragraphs, `insertText` and `replaceAllText`. */
export function docsRoutes(app: Hono<GoogleEnv>, place: Place<GoogleWorld>): void {
  const docs = new Hono<GoogleEnv>();
  docs.post("/documents", needs("docsWrite"), async (c) => {
    const title = textIn(await bodyOf(c), "title") ?? "Untitled document";
    const file = newFile(c.get("account"), title, DOCUMENT, place);
    place.world().files.push(file);
    place.changed();
    return c.json(documentView(file, false));
  });
  docs.get("/documents/:id", needs("docsRead"), (c) => {
    const file = visibleFile(c, c.req.param("id"), DOCUMENT);
    const view = documentView(file, c.req.query("includeTabsContent") === "true");
    return c.json(masked(view, c.req.query("fields")) as Record<string, unknown>);
  });
  docs.post("/documents/:call", needs("docsWrite"), (c) => update(c, place));
  app.route("/v1", docs);
}

async function update(c: Context<GoogleEnv>, place: Place<GoogleWorld>) {
  const [, id = ""] = /^(.+):batchUpdate$/.exec(c.req.param("call") ?? "") ?? [];
  if (id === "") throw notFound();
  const file = writableFile(c, id, DOCUMENT);
  const requests = listIn(await bodyOf(c), "requests");
  if (requests.length === 0) throw invalid("Must specify at least one request.");
  // All requests are carried out, or none.
  let paragraphs = structuredClone(file.paragraphs ?? []);
  const replies = requests.map((request, index) => {
    const done = carryOut(recordIn({ request }, "request") ?? {}, paragraphs, index);
    paragraphs = done.paragraphs;
    return done.reply;
  });
  file.paragraphs = paragraphs;
  file.modifiedTime = new Date(place.now()).toISOString();
  place.changed();
  return c.json({ documentId: id, replies, writeControl: { requiredRevisionId: "r1" } });
}

type Done = { paragraphs: Paragraph[]; reply: Record<string, unknown> };

function carryOut(request: Record<string, unknown>, paragraphs: Paragraph[], index: number): Done {
  const insert = recordIn(request, "insertText");
  if (insert) return { paragraphs: inserted(paragraphs, insert, index), reply: {} };
  const replace = recordIn(request, "replaceAllText");
  if (!replace) throw invalid(`Invalid requests[${index}]: No request set.`);
  const wanted = recordIn(replace, "containsText") ?? {};
  const find = textIn(wanted, "text") ?? "";
  if (find === "") throw invalid(`Invalid requests[${index}].replaceAllText: The search text should not be empty.`);
  const pattern = new RegExp(find.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), wanted.matchCase === true ? "g" : "gi");
  let changed = 0;
  const result = paragraphs.map((paragraph) => {
    const text = paragraph.text.replace(pattern, () => {
      changed += 1;
      return textIn(replace, "replaceText") ?? "";
    });
    return { ...paragraph, text };
  });
  return { paragraphs: result, reply: { replaceAllText: changed > 0 ? { occurrencesChanged: changed } : {} } };
}

/** Text put in at an index (the document begins at 1) or at the end; new paragraphs are like the one they are cut from. */
function inserted(paragraphs: Paragraph[], insert: Record<string, unknown>, at: number): Paragraph[] {
  const text = textIn(insert, "text") ?? "";
  if (text === "") throw invalid(`Invalid requests[${at}].insertText: The text to insert must not be empty.`);
  const end = paragraphs.reduce((sum, paragraph) => sum + paragraph.text.length + 1, 1);
  const location = recordIn(insert, "location");
  const index = recordIn(insert, "endOfSegmentLocation") ? end - 1 : Number(location?.index ?? 0);
  if (!Number.isInteger(index) || index < 1 || index >= end) {
    throw invalid(
      `Invalid requests[${at}].insertText: Index ${index} must be less than the end index of the referenced segment, ${end}.`,
    );
  }
  let start = 1;
  return paragraphs.flatMap((paragraph) => {
    const offset = index - start;
    start += paragraph.text.length + 1;
    if (offset < 0 || offset > paragraph.text.length) return [paragraph];
    const whole = paragraph.text.slice(0, offset) + text + paragraph.text.slice(offset);
    return whole.split("\n").map((line) => ({ ...paragraph, text: line }));
  });
}

function documentView(file: DriveFile, tabs: boolean) {
  const { id: documentId, name: title } = file;
  const body = { content: contentView(file.paragraphs ?? []) };
  const common = { documentId, title, revisionId: "r1", suggestionsViewMode: "SUGGESTIONS_INLINE" };
  if (!tabs) return { ...common, body };
  return { ...common, tabs: [{ tabProperties: { tabId: "t.0", title: "Tab 1", index: 0 }, documentTab: { body } }] };
}

function contentView(paragraphs: Paragraph[]) {
  let index = 1;
  const content = paragraphs.map(({ text, style, bullet }) => {
    const startIndex = index;
    index += text.length + 1;
    const textRun = { content: `${text}\n`, textStyle: {} };
    const paragraph = {
      elements: [{ startIndex, endIndex: index, textRun }],
      paragraphStyle: { namedStyleType: style, direction: "LEFT_TO_RIGHT" },
      ...(bullet ? { bullet: { listId: "kix.list1" } } : {}),
    };
    return { startIndex, endIndex: index, paragraph };
  });
  return [{ endIndex: 1, sectionBreak: { sectionStyle: {} } }, ...content];
}
