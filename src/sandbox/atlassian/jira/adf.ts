/** A node of the Atlassian Document Format (developer.atlassian.com/cloud/jira/platform/apis/document/structure). */
export type AdfNode = {
  type: string;
  text?: string;
  content?: AdfNode[];
  attrs?: Record<string, unknown>;
  marks?: AdfNode[];
  [key: string]: unknown;
};
export type Adf = AdfNode & { type: "doc"; version: 1; content: AdfNode[] };

/** Most characters a description or a comment may have (`jira.text.field.character.limit`, fixed in Jira Cloud). */
const TEXT_LIMIT = 32_767;

/** Returns what is wrong with a document: not a document, an unknown node or mark, or too long. */
export function findAdfProblem(value: unknown): "not_a_document" | "unknown_node" | "too_long" | undefined {
  if (!isNode(value) || value.type !== "doc" || value.version !== 1 || !Array.isArray(value.content))
    return "not_a_document";
  const nodes = [...walk(value)];
  if (!nodes.every(isWellFormed)) return "not_a_document";
  if (!nodes.every(({ type, marks }) => NODES.has(type) && (marks ?? []).every((mark) => MARKS.has(mark.type))))
    return "unknown_node";
  return getAdfText(value).length > TEXT_LIMIT ? "too_long" : undefined;
}

/** Converts plain text to a document: a paragraph per block, a hard break per line. A document stays unchanged. */
export function toAdf(value: string | object): Adf {
  if (typeof value !== "string") return value as Adf;
  const paragraphs = value.split(/\n{2,}/).filter((block) => block.trim() !== "");
  return {
    type: "doc",
    version: 1,
    content: paragraphs.map((block) => ({ type: "paragraph", content: toLineNodes(block) })),
  };
}

/** Returns the text of a document, a line per block. */
export function getAdfText(node: AdfNode): string {
  if (node.type === "text") return node.text ?? "";
  if (node.type === "hardBreak") return "\n";
  if (node.type === "mention" || node.type === "emoji" || node.type === "status") return String(node.attrs?.text ?? "");
  const inner = (node.content ?? []).map(getAdfText);
  return node.content?.some(({ type }) => BLOCKS.has(type)) ? inner.join("\n") : inner.join("");
}

function toLineNodes(block: string): AdfNode[] {
  return block
    .trim()
    .split("\n")
    .flatMap((line, index) => [
      ...(index > 0 ? [{ type: "hardBreak" }] : []),
      ...(line === "" ? [] : [{ type: "text", text: line }]),
    ]);
}

/** A node's content may hold anything, which {@link isWellFormed} refuses. */
function* walk(node: AdfNode): Generator<AdfNode> {
  yield node;
  if (isNode(node) && Array.isArray(node.content)) for (const child of node.content) yield* walk(child);
}

function isWellFormed(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === "text")
    return typeof node.text === "string" && node.text !== "" && !node.text.includes("\n") && node.content === undefined;
  const { content, marks } = node;
  return (
    (content === undefined || Array.isArray(content)) &&
    (marks === undefined || (Array.isArray(marks) && marks.every(isNode)))
  );
}

function isNode(value: unknown): value is AdfNode {
  return typeof value === "object" && value !== null && typeof (value as AdfNode).type === "string";
}

const BLOCKS = new Set(
  "paragraph heading blockquote codeBlock bulletList orderedList listItem taskList taskItem decisionList decisionItem panel rule table tableRow tableCell tableHeader expand nestedExpand mediaSingle mediaGroup layoutSection layoutColumn".split(
    " ",
  ),
);
const NODES = new Set([
  ...BLOCKS,
  ..."doc text hardBreak mention emoji status date inlineCard blockCard embedCard media mediaInline caption placeholder extension inlineExtension bodiedExtension".split(
    " ",
  ),
]);
const MARKS = new Set(
  "strong em underline strike code link subsup textColor backgroundColor border alignment indentation annotation breakout".split(
    " ",
  ),
);
