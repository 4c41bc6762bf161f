import { type ChildNode, type Element, isCDATA, isTag, isText } from "domhandler";
import type { AdfMark, AdfNode } from "../atlassian/adf/inline.ts";
import { toMarkdown } from "../atlassian/adf/read.ts";
import { toOneLine } from "../markup/markdown.ts";
import { parseHtml } from "../markup/parse-html.ts";

/**
 * Converts a page's storage format (XHTML with Confluence's elements) to Markdown, through document nodes. Macros
 * contribute their text, unknown elements their content. Source:
 * https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html
 */
export function storageToMarkdown(storage: string): string {
  const { children } = parseHtml(storage, { recognizeCDATA: true, recognizeSelfClosing: true });
  return toMarkdown({ type: "doc", content: toNodes(children, []) });
}

/** Converts the HTML of a search excerpt to one line of text. Confluence marks matches with `@@@hl@@@`. */
export function formatExcerpt(html: string): string {
  const { children } = parseHtml(html.replace(/@@@(end)?hl@@@/g, ""));
  return toOneLine(children.map(formatRaw).join(""));
}

function toNodes(children: ChildNode[], marks: AdfMark[]): AdfNode[] {
  return children.flatMap((child) => {
    if (isText(child)) return buildTextNodes(child.data.replace(/\s+/g, " "), marks);
    if (isCDATA(child)) return toNodes(child.children, marks);
    return isTag(child) ? toElementNodes(child, marks) : [];
  });
}

function toElementNodes(tag: Element, marks: AdfMark[]): AdfNode[] {
  const { name, children, attribs } = tag;
  if (HIDDEN_TAGS.has(name)) return [];
  const mark = MARKS[name];
  if (mark) return toNodes(children, [...marks, { type: mark, attrs: { type: name } }]);
  if (/^h[1-6]$/.test(name))
    return [{ type: "heading", attrs: { level: Number(name[1]) }, content: toNodes(children, marks) }];
  const block = BLOCKS[name];
  if (block) return [{ type: block, content: toNodes(children, marks) }];
  switch (name) {
    case "br":
      return [{ type: "hardBreak" }];
    case "hr":
      return [{ type: "rule" }];
    case "a":
      return toNodes(children, [...marks, { type: "link", attrs: { href: attribs.href } }]);
    case "pre":
      return [buildCodeBlock(formatRaw(tag))];
    case "table":
      return [{ type: "table", content: findTags(tag, "tr").map(toTableRow) }];
    case "ac:task":
      return [toTaskNode(tag)];
    case "ac:structured-macro":
      return toMacroNodes(tag);
    case "ac:image":
      return [
        {
          type: "media",
          attrs: {
            alt: attribs["ac:alt"] || getTargetName(children) || "image",
            url: findTags(tag, "ri:url")[0]?.attribs["ri:value"],
          },
        },
      ];
    case "ac:emoticon":
      return buildTextNodes(attribs["ac:emoji-fallback"] ?? attribs["ac:emoji-shortname"] ?? "", marks);
    case "ac:adf-extension": {
      const fallback = children.find((child) => isTag(child) && child.name === "ac:adf-fallback");
      return toNodes(fallback ? [fallback] : children, marks);
    }
    case "time":
      return buildTextNodes(attribs.datetime ?? "", marks);
    case "ac:link":
      return toLinkNodes(tag, marks);
    default:
      return toNodes(children, marks);
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
  sup: "subsup",
  sub: "subsup",
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
const HIDDEN_TAGS = new Set([
  "ac:parameter",
  "ac:task-id",
  "ac:task-uuid",
  "ac:task-status",
  "ac:placeholder",
  "ac:adf-attribute",
  "script",
  "style",
]);

/**
 * Converts a macro: code keeps its form, boxes become quotes with their title, others contribute their body or are
 * named.
 */
function toMacroNodes(tag: Element): AdfNode[] {
  const name = tag.attribs["ac:name"] ?? "";
  const body = tag.children.filter((child) => isTag(child) && child.name !== "ac:parameter");
  if (name === "code" || name === "noformat")
    return [buildCodeBlock(body.map(formatRaw).join(""), getParameter(tag, "language"))];
  if (name === "status")
    return [{ type: "status", attrs: { text: getParameter(tag, "title") || getParameter(tag, "colour") } }];
  if (BOXES.has(name)) return [{ type: "panel", content: [...getTitle(tag), ...toNodes(body, [])] }];
  const nodes = [...getTitle(tag), ...toNodes(body, [])];
  if (nodes.length > 0 || name === "anchor") return nodes;
  const subject =
    SUBJECTS.map((parameter) => getParameter(tag, parameter)).find(Boolean) ?? getTargetName(tag.children);
  return buildTextNodes(subject ? `(${name}: ${subject})` : `(${name})`, []);
}

/** Returns the name of the file or page that an element below these refers to. */
function getTargetName(nodes: ChildNode[]): string {
  for (const node of nodes) {
    if (!isTag(node)) continue;
    const name = node.attribs["ri:filename"] ?? node.attribs["ri:content-title"] ?? getTargetName(node.children);
    if (name) return name;
  }
  return "";
}

/** Parameters that name the subject of a macro without a body. */
const SUBJECTS = ["key", "jqlQuery", "url", "diagramName", "page"];

const BOXES = new Set(["info", "note", "warning", "tip", "panel"]);

function getTitle(tag: Element): AdfNode[] {
  const title = getParameter(tag, "title");
  return title ? [{ type: "paragraph", content: buildTextNodes(title, [{ type: "strong" }]) }] : [];
}

function getParameter(tag: Element, name: string): string {
  const match = tag.children.find((child) => isTag(child) && child.attribs["ac:name"] === name);
  return match ? formatRaw(match).trim() : "";
}

/** Converts a link to a page, user or file: its text, or the name of its target. */
function toLinkNodes(tag: Element, marks: AdfMark[]): AdfNode[] {
  const words = toNodes(tag.children, marks);
  if (words.some((node) => node.text?.trim())) return words;
  if (tag.children.find(isTag)?.name === "ri:user") return buildTextNodes("@someone", marks);
  return buildTextNodes(getTargetName(tag.children), marks);
}

function toTaskNode(tag: Element): AdfNode {
  const [status] = findTags(tag, "ac:task-status");
  const isDone = status !== undefined && formatRaw(status).trim() === "complete";
  return { type: "taskItem", attrs: { state: isDone ? "DONE" : "TODO" }, content: toNodes(tag.children, []) };
}

function toTableRow(row: Element): AdfNode {
  const cells = row.children.filter((child): child is Element => isTag(child) && /^t[hd]$/.test(child.name));
  return {
    type: "tableRow",
    content: cells.map(({ children }) => ({ type: "tableCell", content: toNodes(children, []) })),
  };
}

function buildCodeBlock(code: string, language = ""): AdfNode {
  return { type: "codeBlock", attrs: { language }, content: [{ type: "text", text: code.replace(/^\n|\n$/g, "") }] };
}

function buildTextNodes(words: string, marks: AdfMark[]): AdfNode[] {
  return words === "" ? [] : [{ type: "text", text: words, ...(marks.length > 0 ? { marks } : {}) }];
}

function formatRaw(node: ChildNode): string {
  if (isText(node)) return node.data;
  return isTag(node) || isCDATA(node) ? node.children.map(formatRaw).join("") : "";
}

/** Lists the elements with a name below a tag, except those inside a nested table. */
function findTags(tag: Element, name: string): Element[] {
  return tag.children.flatMap((child) => {
    if (!isTag(child)) return [];
    if (child.name === name) return [child];
    return child.name === "table" ? [] : findTags(child, name);
  });
}
