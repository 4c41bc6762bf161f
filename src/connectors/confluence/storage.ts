import { type ChildNode, type Element, isCDATA, isTag, isText } from "domhandler";
import { parseDocument } from "htmlparser2";
import type { AdfMark, AdfNode } from "../atlassian/adf/inline.ts";
import { toMarkdown } from "../atlassian/adf/read.ts";

/**
 * Converts a page's storage format (XHTML with Confluence's elements) to Markdown, through document nodes. Macros
 * contribute their text, unknown elements their content. Source:
 * https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html
 */
export function storageToMarkdown(storage: string): string {
  const { children } = parseDocument(storage, { recognizeCDATA: true, recognizeSelfClosing: true });
  return toMarkdown({ type: "doc", content: nodes(children, []) });
}

/** Converts the HTML of a search excerpt to one line of text. Confluence marks matches with `@@@hl@@@`. */
export function formatExcerpt(html: string): string {
  const { children } = parseDocument(html.replace(/@@@(end)?hl@@@/g, ""));
  return children.map(formatRaw).join("").replace(/\s+/g, " ").trim();
}

function nodes(children: ChildNode[], marks: AdfMark[]): AdfNode[] {
  return children.flatMap((child) => {
    if (isText(child)) return text(child.data.replace(/\s+/g, " "), marks);
    if (isCDATA(child)) return nodes(child.children, marks);
    return isTag(child) ? element(child, marks) : [];
  });
}

function element(tag: Element, marks: AdfMark[]): AdfNode[] {
  const { name, children, attribs } = tag;
  if (SILENT.has(name)) return [];
  const mark = MARKS[name];
  if (mark) return nodes(children, [...marks, { type: mark }]);
  if (/^h[1-6]$/.test(name))
    return [{ type: "heading", attrs: { level: Number(name[1]) }, content: nodes(children, marks) }];
  const block = BLOCKS[name];
  if (block) return [{ type: block, content: nodes(children, marks) }];
  switch (name) {
    case "br":
      return [{ type: "hardBreak" }];
    case "hr":
      return [{ type: "rule" }];
    case "a":
      return nodes(children, [...marks, { type: "link", attrs: { href: attribs.href } }]);
    case "pre":
      return [codeBlock(formatRaw(tag))];
    case "table":
      return [{ type: "table", content: tagsNamed(tag, "tr").map(toTableRow) }];
    case "ac:task":
      return [task(tag)];
    case "ac:structured-macro":
      return macro(tag);
    case "ac:image":
      return [{ type: "media", attrs: { alt: attribs["ac:alt"] ?? "image" } }];
    case "ac:emoticon":
      return text(attribs["ac:emoji-fallback"] ?? "", marks);
    case "time":
      return text(attribs.datetime ?? "", marks);
    case "ac:link":
      return link(tag, marks);
    default:
      return nodes(children, marks);
  }
}

const MARKS: Record<string, string> = {
  strong: "strong",
  b: "strong",
  em: "em",
  i: "em",
  code: "code",
  s: "strike",
  del: "strike",
};

const BLOCKS: Record<string, string> = {
  p: "paragraph",
  div: "section",
  ul: "bulletList",
  ol: "orderedList",
  li: "listItem",
  blockquote: "blockquote",
  "ac:task-list": "taskList",
};

/** Elements that readers of a page do not see. */
const SILENT = new Set([
  "ac:parameter",
  "ac:task-id",
  "ac:task-uuid",
  "ac:task-status",
  "ac:placeholder",
  "script",
  "style",
]);

/** Converts a macro: code keeps its form, boxes become quotes with their title, others contribute their body. */
function macro(tag: Element): AdfNode[] {
  const name = tag.attribs["ac:name"] ?? "";
  const body = tag.children.filter((child) => isTag(child) && child.name !== "ac:parameter");
  if (name === "code" || name === "noformat")
    return [codeBlock(body.map(formatRaw).join(""), parameter(tag, "language"))];
  if (name === "status") return [{ type: "status", attrs: { text: parameter(tag, "title") } }];
  if (BOXES.has(name)) return [{ type: "panel", content: [...getTitle(tag), ...nodes(body, [])] }];
  return [...getTitle(tag), ...nodes(body, [])];
}

const BOXES = new Set(["info", "note", "warning", "tip", "panel"]);

function getTitle(tag: Element): AdfNode[] {
  const title = parameter(tag, "title");
  return title ? [{ type: "paragraph", content: text(title, [{ type: "strong" }]) }] : [];
}

function parameter(tag: Element, name: string): string {
  const found = tag.children.find((child) => isTag(child) && child.attribs["ac:name"] === name);
  return found ? formatRaw(found).trim() : "";
}

/** Converts a link to a page, user or file: its text, or the name of its target. */
function link(tag: Element, marks: AdfMark[]): AdfNode[] {
  const words = nodes(tag.children, marks);
  if (words.some((node) => node.text?.trim())) return words;
  const target = tag.children.find(isTag);
  if (target?.name === "ri:user") return text("@someone", marks);
  return text(target?.attribs["ri:content-title"] ?? target?.attribs["ri:filename"] ?? "", marks);
}

function task(tag: Element): AdfNode {
  const [status] = tagsNamed(tag, "ac:task-status");
  const done = status !== undefined && formatRaw(status).trim() === "complete";
  return { type: "taskItem", attrs: { state: done ? "DONE" : "TODO" }, content: nodes(tag.children, []) };
}

function toTableRow(row: Element): AdfNode {
  const cells = row.children.filter((child): child is Element => isTag(child) && /^t[hd]$/.test(child.name));
  return {
    type: "tableRow",
    content: cells.map(({ children }) => ({ type: "tableCell", content: nodes(children, []) })),
  };
}

function codeBlock(code: string, language = ""): AdfNode {
  return { type: "codeBlock", attrs: { language }, content: [{ type: "text", text: code.replace(/^\n|\n$/g, "") }] };
}

function text(words: string, marks: AdfMark[]): AdfNode[] {
  return words === "" ? [] : [{ type: "text", text: words, ...(marks.length > 0 ? { marks } : {}) }];
}

function formatRaw(node: ChildNode): string {
  if (isText(node)) return node.data;
  return isTag(node) || isCDATA(node) ? node.children.map(formatRaw).join("") : "";
}

/** Lists the elements with a name below a tag, except those inside a nested table. */
function tagsNamed(tag: Element, name: string): Element[] {
  return tag.children.flatMap((child) => {
    if (!isTag(child)) return [];
    if (child.name === name) return [child];
    return child.name === "table" ? [] : tagsNamed(child, name);
  });
}
