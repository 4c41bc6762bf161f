import { type ChildNode, isTag, isText } from "domhandler";
import * as z from "zod/mini";
import { clean } from "#protocol/clean";
import { parseHtml } from "../markup/parse-html.ts";
import { decodeBytes, decodeHeader, toOneLine } from "./encoded-words.ts";

const Header = z.looseObject({ name: z.string(), value: z.nullish(z.string()) });

/**
 * A part of a message. Nested parts are parsed on access, because the schema cannot be recursive. A long text has an ID
 * instead of data. Source: Gmail API v1, "users.messages", MessagePart.
 */
export const Part = z.looseObject({
  mimeType: z.nullish(z.string()),
  filename: z.nullish(z.string()),
  headers: z.nullish(z.array(Header)),
  body: z.nullish(
    z.looseObject({ size: z.nullish(z.number()), data: z.nullish(z.string()), attachmentId: z.nullish(z.string()) }),
  ),
  parts: z.nullish(z.array(z.unknown())),
});
export type Part = z.output<typeof Part>;

/** The parts of a message: its texts in order, its files, and the messages attached to it. */
export type PartTree = { texts: Part[]; files: Part[]; mails: { part: Part; inner: PartTree }[] };

/** Maximum nesting that is read. Mail programs write much less. */
const DEEPEST = 20;

/** Sorts the parts of a message. Parts of an attached message are kept with it. */
export function sortParts(part: Part, depth = 0): PartTree {
  const tree: PartTree = { texts: [], files: [], mails: [] };
  if (depth > DEEPEST) return tree;
  const inner = (part.parts ?? []).flatMap((child) => {
    const parsed = Part.safeParse(child);
    return parsed.success ? [parsed.data] : [];
  });
  if (isMail(part)) {
    tree.mails.push({ part, inner: joinTrees(inner.map((child) => sortParts(child, depth + 1))) });
    return tree;
  }
  const trees = inner.map((child) => sortParts(child, depth + 1));
  if (/^multipart\/alternative$/i.test(part.mimeType ?? "")) return chooseAlternative(trees);
  if (trees.length > 0) return joinTrees(trees);
  const isText = !part.filename && /^text\/(?:plain|html|enriched|markdown)$/i.test(part.mimeType ?? "");
  if (isText) tree.texts.push(part);
  else if (part.filename || part.body?.size) tree.files.push(part);
  return tree;
}

/**
 * Keeps the text of one form only, the plain one if it has words (RFC 2046, 5.1.4). Newsletters say in it only that the
 * mail should be opened in a browser, so one that is far shorter gives way. Files belong to all forms.
 */
function chooseAlternative(trees: PartTree[]): PartTree {
  const isPlainText = (part: Part) => isPlain(part) && (isSeparate(part) || decodePart(part).trim() !== "");
  const rich = trees.findLast(({ texts }) => texts.length > 0)?.texts ?? [];
  const plainTexts = trees.find(({ texts }) => texts.some(isPlainText))?.texts ?? rich;
  const isStub = !plainTexts.some(isSeparate) && getText(rich).length > 200 + 4 * getText(plainTexts).length;
  const tree = joinTrees(trees);
  // Other forms of the same text, such as AMP, are not files. An invitation is, because it has more than the text.
  const isForm = ({ filename, mimeType }: Part) => !filename && /^text\/(?!calendar)/i.test(mimeType ?? "");
  return { ...tree, files: tree.files.filter((file) => !isForm(file)), texts: isStub ? rich : plainTexts };
}

/** Returns whether a long text is delivered separately, as files are. */
export function isSeparate({ body }: Part): boolean {
  return !body?.data && Boolean(body?.attachmentId);
}

function joinTrees(trees: PartTree[]): PartTree {
  return {
    texts: trees.flatMap(({ texts }) => texts),
    files: trees.flatMap(({ files }) => files),
    mails: trees.flatMap(({ mails }) => mails),
  };
}

function isMail({ mimeType }: Part): boolean {
  return mimeType?.toLowerCase() === "message/rfc822";
}

/** Returns a decoded header, or an empty string. Encoded text is cleaned after decoding. */
export function getPartHeader({ headers }: Part, name: string): string {
  const header = headers?.find((header) => header.name.toLowerCase() === name.toLowerCase());
  return toOneLine(clean(decodeHeader(header?.value ?? "")));
}

/** Returns a header of an attached message, which its first part has. */
export function getMailHeader(part: Part, name: string): string {
  const first = Part.safeParse(part.parts?.[0]);
  return (first.success ? getPartHeader(first.data, name) : "") || getPartHeader(part, name);
}

/** Returns the name of a file or an attached message. */
export function getPartName(part: Part): string {
  const name = toOneLine(clean(decodeHeader(part.filename ?? "")));
  if (name !== "") return name;
  return isMail(part)
    ? `${getMailHeader(part, "Subject") || "message"}.eml`
    : `unnamed (${part.mimeType ?? "unknown"})`;
}

/** Returns the text of parts in their order. HTML is converted to text. */
export function getText(texts: Part[]): string {
  const decodeText = (part: Part) => (isPlain(part) ? decodePart(part) : clean(convertHtmlToText(decodePart(part))));
  return texts
    .map((part) => decodeText(part).trim())
    .filter(Boolean)
    .join("\n\n");
}

function isPlain({ mimeType }: Part): boolean {
  return mimeType?.toLowerCase() === "text/plain";
}

/**
 * Decodes a part. Gmail usually returns UTF-8, whatever the part declares; other text is decoded with the declared
 * charset.
 */
function decodePart(part: Part): string {
  const bytes = Buffer.from(part.body?.data ?? "", "base64url");
  const type = part.headers?.find(({ name }) => name.toLowerCase() === "content-type")?.value ?? "";
  const charset = /charset="?([^";\s]+)/i.exec(type)?.[1] ?? "utf-8";
  const shifted = /^(iso-2022|hz-)/i.test(charset) && bytes.includes(0x1b);
  const text = shifted ? undefined : decodeBytes(bytes, "utf-8", true);
  return clean((text ?? decodeBytes(bytes, charset) ?? "").replace(/\r\n?/g, "\n"));
}

/** Converts the HTML of a mail to plain text: one line per block, links with their URL, no styles or scripts. */
function convertHtmlToText(html: string): string {
  return formatNodes(parseHtml(html).children)
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
  if (node.name === "blockquote") return `\n\n${quoteLines(inner)}\n`;
  if (node.name === "td" || node.name === "th") return `${inner} `;
  return BLOCKS.has(node.name) ? `\n${SPACED.has(node.name) ? "\n" : ""}${inner}\n` : inner;
}

/** Marks the words of an earlier mail as plain text does. */
function quoteLines(text: string): string {
  const lines = text.split("\n").flatMap((line) => line.trim() || []);
  return lines.map((line) => `> ${line}`).join("\n");
}

const SILENT = new Set(["style", "script", "head", "title", "template", "noscript"]);
const SPACED = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre"]);
const BLOCKS = new Set([...SPACED, "div", "tr", "section", "article", "header", "footer", "hr"]);
