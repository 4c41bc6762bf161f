import type { BlockSeed } from "./seed.ts";

/** Returns a piece of text as Notion does. */
export function toTextPiece(content: string): Record<string, unknown> {
  const annotations = {
    bold: false,
    italic: false,
    strikethrough: false,
    underline: false,
    code: false,
    color: "default",
  };
  return { type: "text", text: { content, link: null }, annotations, plain_text: content, href: null };
}

/** Converts text in a seed to blocks: one per line; paragraphs extend to an empty line. */
export function parseBlocks(text: string): BlockSeed[] {
  const blocks: BlockSeed[] = [];
  for (const part of text.split(/(^```[\s\S]*?^```$)/m)) {
    const code = /^```(\S*)\n([\s\S]*?)\n?```$/.exec(part);
    if (code) {
      const language = code[1] || "plain text";
      blocks.push({ type: "code", value: { rich_text: [toTextPiece(code[2] ?? "")], language, caption: [] } });
    } else blocks.push(...part.split(/\n\s*\n/).flatMap(parseParagraphs));
  }
  return blocks;
}

/** Adjacent lines that are not items belong to one paragraph. */
function parseParagraphs(part: string): BlockSeed[] {
  const blocks: BlockSeed[] = [];
  let openLines: string[] = [];
  const close = () => {
    if (openLines.length > 0)
      blocks.push({ type: "paragraph", value: { rich_text: [toTextPiece(openLines.join("\n"))] } });
    openLines = [];
  };
  for (const line of part.split("\n").filter((line) => line.trim() !== "")) {
    const block = parseLineBlock(line.trim());
    if (block) {
      close();
      blocks.push(block);
    } else openLines.push(line.trim());
  }
  close();
  return blocks;
}

function parseLineBlock(line: string): BlockSeed | undefined {
  if (line === "---") return { type: "divider", value: {} };
  for (const [pattern, type] of LINES) {
    const match = pattern.exec(line);
    if (!match) continue;
    const heading = type === "heading" ? `heading_${match[1]?.length}` : type;
    const text = match.at(-1) ?? "";
    const extraFields = type === "to_do" ? { checked: match[1] === "x" } : {};
    return { type: heading, value: { rich_text: [toTextPiece(text)], ...extraFields } };
  }
  return undefined;
}

const LINES: [RegExp, string][] = [
  [/^(#{1,3}) (.+)$/, "heading"],
  [/^- \[([ x])\] (.+)$/, "to_do"],
  [/^- (.+)$/, "bulleted_list_item"],
  [/^\d+\. (.+)$/, "numbered_list_item"],
  [/^> (.+)$/, "quote"],
];
