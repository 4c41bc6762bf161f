import type { Adf, AdfNode } from "../jira/adf.ts";
import { escapeStorage, parseStorage, type StorageNode } from "./storage.ts";

/** Converts a page's storage format to an Atlassian document, as for `body-format=atlas_doc_format`. */
export function storageToAdf(text: string): Adf {
  return { type: "doc", version: 1, content: wrapBlocks(parseStorage(text)) };
}

/** Converts an Atlassian document to storage format, for pages that were written as one. */
export function adfToStorage(node: AdfNode): string {
  const convertChildren = () => (node.content ?? []).map(adfToStorage).join("");
  if (node.type === "text") return (node.marks ?? []).reduce(mark, escapeStorage(node.text ?? ""));
  if (node.type === "heading")
    return `<h${Number(node.attrs?.level ?? 1)}>${convertChildren()}</h${Number(node.attrs?.level ?? 1)}>`;
  if (node.type === "hardBreak") return "<br />";
  if (node.type === "rule") return "<hr />";
  if (node.type === "codeBlock") return `<pre>${convertChildren()}</pre>`;
  if (node.type === "table") return `<table><tbody>${convertChildren()}</tbody></table>`;
  if (node.type === "mention" || node.type === "emoji") return escapeStorage(String(node.attrs?.text ?? ""));
  const name = TAGS[node.type];
  return name === undefined ? convertChildren() : `<${name}>${convertChildren()}</${name}>`;
}

const TAGS: Record<string, string> = {
  paragraph: "p",
  bulletList: "ul",
  orderedList: "ol",
  listItem: "li",
  blockquote: "blockquote",
  tableRow: "tr",
  tableCell: "td",
  tableHeader: "th",
};
const NODES: Record<string, string> = {
  ...Object.fromEntries(Object.entries(TAGS).map(([node, tag]) => [tag, node])),
  table: "table",
};
const MARKS: Record<string, string> = {
  strong: "strong",
  b: "strong",
  em: "em",
  i: "em",
  code: "code",
  u: "underline",
  s: "strike",
  del: "strike",
};
const CONTAINERS = new Set(["listItem", "tableCell", "tableHeader", "blockquote"]);

/** Returns blocks for a list of pieces; loose text between them becomes a paragraph. */
function wrapBlocks(pieces: StorageNode[]): AdfNode[] {
  const result: AdfNode[] = [];
  let loose: AdfNode[] = [];
  const flush = () => {
    if (loose.some(({ text }) => text === undefined || text.trim() !== ""))
      result.push({ type: "paragraph", content: loose });
    loose = [];
  };
  for (const piece of pieces) {
    const nodes = typeof piece === "string" ? undefined : block(piece);
    if (!nodes) loose.push(...inline([piece]));
    else {
      flush();
      result.push(...nodes);
    }
  }
  flush();
  return result;
}

function block(piece: Exclude<StorageNode, string>): AdfNode[] | undefined {
  const heading = /^h([1-6])$/.exec(piece.name)?.[1];
  if (heading) return [{ type: "heading", attrs: { level: Number(heading) }, content: inline(piece.children) }];
  if (piece.name === "hr") return [{ type: "rule" }];
  if (piece.name === "pre") return [{ type: "codeBlock", content: inline(piece.children) }];
  if (
    ["tbody", "thead", "div", "ac:layout", "ac:layout-section", "ac:layout-cell", "ac:rich-text-body"].includes(
      piece.name,
    )
  )
    return wrapBlocks(piece.children);
  const type = NODES[piece.name];
  if (type === undefined) return undefined;
  return [{ type, content: type === "paragraph" ? inline(piece.children) : convertNested(piece, type) }];
}

function convertNested(piece: Exclude<StorageNode, string>, type: string): AdfNode[] {
  if (CONTAINERS.has(type)) return wrapBlocks(piece.children);
  return piece.children.filter((child) => typeof child !== "string").flatMap((child) => block(child) ?? []);
}

function inline(pieces: StorageNode[], marks: AdfNode[] = []): AdfNode[] {
  return pieces.flatMap((piece): AdfNode[] => {
    if (typeof piece === "string") return toTextNodes(piece, marks);
    if (piece.name === "br") return [{ type: "hardBreak" }];
    const mark =
      piece.name === "a" ? { type: "link", attrs: { href: piece.attributes.href ?? "" } } : MARKS[piece.name];
    const fullMark = typeof mark === "string" ? { type: mark } : mark;
    return inline(piece.children, fullMark ? [...marks, fullMark] : marks);
  });
}

/** Collapses white space, as in HTML. */
function toTextNodes(text: string, marks: AdfNode[]): AdfNode[] {
  const clean = text.replace(/[ \t\r\n]+/g, " ");
  return clean === "" ? [] : [{ type: "text", text: clean, ...(marks.length > 0 ? { marks } : {}) }];
}

function mark(inner: string, mark: AdfNode): string {
  if (mark.type === "link") return `<a href="${escapeStorage(String(mark.attrs?.href ?? ""))}">${inner}</a>`;
  const tag = { strong: "strong", em: "em", code: "code", underline: "u", strike: "del" }[mark.type];
  return tag === undefined ? inner : `<${tag}>${inner}</${tag}>`;
}
