import { getRecord, getText } from "../access.ts";
import { GoogleError, invalidError } from "../errors.ts";
import type { Paragraph } from "../state.ts";

type Done = { paragraphs: Paragraph[]; reply: Record<string, unknown> };
/** Applies one kind of request to paragraphs. @throws GoogleRefusal with the error, but without the request's index */
type Work = (paragraphs: Paragraph[], request: Record<string, unknown>) => Done;

/**
 * Applies the requests of `documents.batchUpdate` on text, named styles and bullets: all or none.
 * @throws GoogleRefusal "Invalid requests[0].insertText: …"
 */
export function applyRequests(before: Paragraph[], requests: unknown[]) {
  if (requests.length === 0) throw invalidError("Must specify at least one request.");
  let paragraphs = structuredClone(before);
  const replies = requests.map((one, index) => {
    const [name = "", body] = Object.entries(getRecord({ one }, "one") ?? {})[0] ?? [];
    const work = Object.hasOwn(WORKS, name) ? WORKS[name] : undefined;
    if (!work) throw invalidError(`Invalid requests[${index}]: No request set.`);
    try {
      const done = work(paragraphs, getRecord({ body }, "body") ?? {});
      paragraphs = done.paragraphs;
      return done.reply;
    } catch (error) {
      if (!(error instanceof GoogleError)) throw error;
      throw invalidError(`Invalid requests[${index}].${name}: ${error.message}`);
    }
  });
  return { paragraphs, replies };
}

const WORKS: Record<string, Work> = {
  insertText(paragraphs, request) {
    const text = getText(request, "text") ?? "";
    if (text === "") throw invalidError("The text to insert must not be empty.");
    return { paragraphs: insert(paragraphs, text, request), reply: {} };
  },
  replaceAllText(paragraphs, request) {
    const criteria = getRecord(request, "containsText") ?? {};
    const find = getText(criteria, "text") ?? "";
    if (find === "") throw invalidError("The search text should not be empty.");
    const pattern = new RegExp(find.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), criteria.matchCase === true ? "g" : "gi");
    let occurrencesChanged = 0;
    const replaceText = (text: string) =>
      text.replace(pattern, () => {
        occurrencesChanged += 1;
        return getText(request, "replaceText") ?? "";
      });
    const result = paragraphs.flatMap((one) => split({ ...one, text: replaceText(one.text) }));
    return { paragraphs: result, reply: { replaceAllText: occurrencesChanged > 0 ? { occurrencesChanged } : {} } };
  },
  deleteContentRange(paragraphs, request) {
    const { start, end } = getSpan(paragraphs, request);
    const whole = paragraphs.map(({ text }) => `${text}\n`).join("");
    // The last newline of a document cannot be removed.
    if (end > whole.length) {
      throw invalidError("The range cannot include the newline character at the end of the segment.");
    }
    const first = paragraphs.findIndex((_, at) => getEnd(paragraphs, at) > start);
    const last = paragraphs.findIndex((_, at) => getEnd(paragraphs, at) > end);
    const [from, to] = [paragraphs[first], paragraphs[last]];
    if (!from || !to) throw invalidError("The range should not be empty.");
    const kept =
      from.text.slice(0, start - getStart(paragraphs, first)) + to.text.slice(end - getStart(paragraphs, last));
    return { paragraphs: paragraphs.toSpliced(first, last - first + 1, { ...from, text: kept }), reply: {} };
  },
  updateParagraphStyle(paragraphs, request) {
    const style = getText(getRecord(request, "paragraphStyle") ?? {}, "namedStyleType") ?? "NORMAL_TEXT";
    const fields = (getText(request, "fields") ?? "").split(",").map((name) => name.trim());
    if (fields.every((name) => name === "")) throw invalidError("At least one field must be listed in 'fields'.");
    const styled = fields.includes("*") || fields.includes("namedStyleType");
    return { paragraphs: applyChange(paragraphs, request, styled ? { style } : {}), reply: {} };
  },
  createParagraphBullets: (paragraphs, request) => ({
    paragraphs: applyChange(paragraphs, request, { bullet: true }),
    reply: {},
  }),
  deleteParagraphBullets: (paragraphs, request) => ({
    paragraphs: applyChange(paragraphs, request, { bullet: false }),
    reply: {},
  }),
};

/**
 * Inserts text at an index (the document begins at 1) or at the end. New paragraphs have the style of the one they
 * split.
 */
function insert(paragraphs: Paragraph[], text: string, request: Record<string, unknown>): Paragraph[] {
  const end = getEnd(paragraphs, paragraphs.length - 1);
  const atEnd = getRecord(request, "endOfSegmentLocation") !== undefined;
  const index = atEnd ? end - 1 : Number(getRecord(request, "location")?.index ?? 0);
  if (index < 1)
    throw invalidError(
      "The insertion index must be inside the bounds of an existing paragraph. You can still create new paragraphs by inserting newlines.",
    );
  if (!Number.isInteger(index) || index >= end) {
    throw invalidError(`Index ${index} must be less than the end index of the referenced segment, ${end}.`);
  }
  return paragraphs.flatMap((paragraph, at) => {
    const offset = index - getStart(paragraphs, at);
    if (offset < 0 || offset > paragraph.text.length) return [paragraph];
    return split({ ...paragraph, text: paragraph.text.slice(0, offset) + text + paragraph.text.slice(offset) });
  });
}

function split(paragraph: Paragraph): Paragraph[] {
  return paragraph.text.split("\n").map((text) => ({ ...paragraph, text }));
}

/** Changes the paragraphs that a range overlaps. */
function applyChange(
  paragraphs: Paragraph[],
  request: Record<string, unknown>,
  change: Partial<Paragraph>,
): Paragraph[] {
  const { start, end } = getSpan(paragraphs, request);
  return paragraphs.map((paragraph, at) =>
    getStart(paragraphs, at) < end && getEnd(paragraphs, at) > start ? { ...paragraph, ...change } : paragraph,
  );
}

function getSpan(paragraphs: Paragraph[], request: Record<string, unknown>): { start: number; end: number } {
  const range = getRecord(request, "range") ?? {};
  const [start, end] = [Number(range.startIndex ?? 0), Number(range.endIndex ?? 0)];
  const most = getEnd(paragraphs, paragraphs.length - 1);
  if (!(end > start)) throw invalidError("The range should not be empty.");
  if (end > most)
    throw invalidError(`Index ${end} must be less than or equal to the end index of the referenced segment, ${most}.`);
  return { start: Math.max(start, 1), end };
}

function getStart(paragraphs: Paragraph[], at: number): number {
  return paragraphs.slice(0, at).reduce((sum, { text }) => sum + text.length + 1, 1);
}

/** Returns the index after the newline of a paragraph. */
function getEnd(paragraphs: Paragraph[], at: number): number {
  return getStart(paragraphs, at + 1);
}
