import { type ChildNode, isTag, isText } from "domhandler";
import { parseDocument } from "htmlparser2";

/** Converts the HTML of a mail to plain text: one line per block, links with their URL, no styles or scripts. */
export function convertHtmlToText(html: string): string {
  return formatNodes(parseDocument(html).children)
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function formatNodes(nodes: ChildNode[]): string {
  return nodes.map(formatNode).join("");
}

function formatNode(node: ChildNode): string {
  if (isText(node)) return node.data.replace(/\s+/g, " ");
  if (!isTag(node) || SILENT.has(node.name)) return "";
  if (node.name === "br") return "\n";
  const inner = formatNodes(node.children);
  if (node.name === "a") {
    const { href = "" } = node.attribs;
    return /^https?:/i.test(href) && inner.trim() !== href ? `${inner} (${href})` : inner;
  }
  if (node.name === "li") return `\n- ${inner.trim()}`;
  if (node.name === "td" || node.name === "th") return `${inner} `;
  return BLOCKS.has(node.name) ? `\n${SPACED.has(node.name) ? "\n" : ""}${inner}\n` : inner;
}

const SILENT = new Set(["style", "script", "head", "title", "template", "noscript"]);
const SPACED = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "table", "pre"]);
const BLOCKS = new Set([...SPACED, "div", "tr", "section", "article", "header", "footer", "hr"]);
