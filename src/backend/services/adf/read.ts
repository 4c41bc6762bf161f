import type { AdfMark, AdfNode } from "./node.ts";

/** Nesting beyond which a document is cut: no person writes that, and reading it must end. */
const DEEPEST = 60;

/**
 * A description or comment as Markdown, whatever it came as: a document tree, plain text, or nothing (case V02). A node that kay does not
 * know gives its text.
 */
export function adfText(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return isNode(value) ? blocksText(contentOf(value), 0).trim() : "";
}

function blocksText(nodes: AdfNode[], depth: number): string {
  return groups(nodes)
    .map((group) =>
      isInline(group[0])
        ? group
            .map((node) => inlineText(node, depth))
            .join("")
            .trim()
        : blockText(group[0], depth),
    )
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

/** Runs of inline nodes belong together; each block stands alone. */
function groups(nodes: AdfNode[]): AdfNode[][] {
  const result: AdfNode[][] = [];
  for (const node of nodes) {
    const last = result.at(-1);
    if (isInline(node) && last && isInline(last[0])) last.push(node);
    else result.push([node]);
  }
  return result;
}

function blockText(node: AdfNode | undefined, depth: number): string {
  if (!node) return "";
  if (depth > DEEPEST) return "…";
  const inner = () => blocksText(contentOf(node), depth + 1);
  switch (node.type) {
    case "heading":
      return `${"#".repeat(Math.min(6, Math.max(1, Number(node.attrs?.level) || 1)))} ${inner()}`;
    case "bulletList":
    case "decisionList":
      return listText(node, () => "- ", depth);
    case "orderedList":
      return listText(node, (index) => `${(Number(node.attrs?.order) || 1) + index}. `, depth);
    case "taskList":
      return listText(node, (_, item) => (item.attrs?.state === "DONE" ? "- [x] " : "- [ ] "), depth);
    case "codeBlock":
      return codeText(node);
    case "blockquote":
    case "panel":
      return indented(inner(), "> ", "> ");
    case "rule":
      return "---";
    case "table":
      return tableText(node, depth);
    case "expand":
    case "nestedExpand":
      return [attribute(node, "title") && `**${attribute(node, "title")}**`, inner()].filter(Boolean).join("\n\n");
    case "blockCard":
    case "embedCard":
      return attribute(node, "url");
    case "media":
      return `[${attribute(node, "alt") || "attachment"}]`;
    default:
      return inner() || node.text || attribute(node, "text");
  }
}

function listText(node: AdfNode, marker: (index: number, item: AdfNode) => string, depth: number): string {
  return contentOf(node)
    .map((item, index) => {
      if (item.type === node.type) return indented(blockText(item, depth + 1), "  ", "  ");
      const first = marker(index, item);
      return indented(
        blocksText(contentOf(item), depth + 1).replace(/\n\n(?=\s*(?:[-*]|\d+\.) )/g, "\n"),
        first,
        " ".repeat(first.length),
      );
    })
    .join("\n");
}

function codeText(node: AdfNode): string {
  const code = contentOf(node)
    .map((part) => part.text ?? "")
    .join("");
  const longest = Math.max(0, ...(code.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${attribute(node, "language")}\n${code}\n${fence}`;
}

function tableText(node: AdfNode, depth: number): string {
  const rows = contentOf(node).map((row) =>
    contentOf(row).map((cell) =>
      blocksText(contentOf(cell), depth + 1)
        .replace(/\s*\n\s*/g, " ")
        .replace(/\|/g, "\\|"),
    ),
  );
  const [head = [], ...rest] = rows;
  return [head, head.map(() => "---"), ...rest].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function inlineText(node: AdfNode, depth: number): string {
  switch (node.type) {
    case "text":
      return (node.marks ?? []).reduce(withMark, node.text ?? "");
    case "hardBreak":
      return "\n";
    case "mention":
      return attribute(node, "text") || `@${attribute(node, "id")}`;
    case "emoji":
      return attribute(node, "text") || attribute(node, "shortName");
    case "date":
      return dateText(attribute(node, "timestamp"));
    case "status":
      return `[${attribute(node, "text")}]`;
    case "inlineCard":
      return attribute(node, "url");
    default:
      return node.text || blocksText(contentOf(node), depth + 1) || attribute(node, "text");
  }
}

/** A mark around the words; spaces at the edges stay outside, where Markdown wants them. */
function withMark(text: string, mark: AdfMark): string {
  const [, before = "", words = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return words === "" ? text : before + marked(words, mark) + after;
}

function marked(words: string, mark: AdfMark): string {
  if (mark.type === "code") return `\`${words}\``;
  if (mark.type === "strong") return `**${words}**`;
  if (mark.type === "em") return `_${words}_`;
  if (mark.type === "strike") return `~~${words}~~`;
  const href = mark.type === "link" ? mark.attrs?.href : undefined;
  return typeof href !== "string" || href === words ? words : `[${words}](${href})`;
}

function dateText(timestamp: string): string {
  const time = Number(timestamp);
  return Number.isFinite(time) && Math.abs(time) < 8.64e15 ? new Date(time).toISOString().slice(0, 10) : timestamp;
}

function indented(text: string, first: string, others: string): string {
  return text
    .split("\n")
    .map((line, index) => `${index === 0 ? first : others}${line}`.trimEnd())
    .join("\n");
}

const INLINE = new Set([
  "text",
  "hardBreak",
  "mention",
  "emoji",
  "date",
  "status",
  "inlineCard",
  "placeholder",
  "mediaInline",
]);

function isInline(node: AdfNode | undefined): boolean {
  return node !== undefined && (INLINE.has(node.type) || (node.text !== undefined && node.content === undefined));
}

function contentOf(node: AdfNode): AdfNode[] {
  return Array.isArray(node.content) ? node.content.filter(isNode) : [];
}

/** Documents come from outside: only what has the shape of a node is read as one. */
function isNode(value: unknown): value is AdfNode {
  if (typeof value !== "object" || value === null) return false;
  const { type, text, marks } = value as Record<string, unknown>;
  const marksFit =
    marks === undefined || (Array.isArray(marks) && marks.every((mark) => typeof mark?.type === "string"));
  return typeof type === "string" && (text === undefined || typeof text === "string") && marksFit;
}

function attribute(node: AdfNode, name: string): string {
  const value = node.attrs?.[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
