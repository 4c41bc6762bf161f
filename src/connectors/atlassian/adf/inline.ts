import type { Token, Tokens } from "marked";
import { getInnerTokens } from "../../markup/lex.ts";

/**
 * Converts inline Markdown to ADF text with marks and hard breaks. Jira rejects text nodes that are empty or contain a
 * line break, so none are produced.
 */
export function toInlineNodes(tokens: Token[], marks: AdfMark[] = []): AdfNode[] {
  return mergeText(tokens.flatMap((token) => toInlineNode(token, marks)));
}

/** Converts literal text to ADF. Each line break becomes a hard break. */
export function toLiteralNodes(text: string, marks: AdfMark[] = []): AdfNode[] {
  return text
    .split(/\r\n|\r|\n/)
    .flatMap((line, index) => [
      ...(index > 0 ? [{ type: "hardBreak" }] : []),
      ...(line === "" ? [] : [{ type: "text", text: line, ...(marks.length > 0 ? { marks } : {}) }]),
    ]);
}

function toInlineNode(token: Token, marks: AdfMark[]): AdfNode[] {
  switch (token.type) {
    case "strong":
      return toInlineNodes(getInnerTokens(token), addMark(marks, { type: "strong" }));
    case "em":
      return toInlineNodes(getInnerTokens(token), addMark(marks, { type: "em" }));
    case "del":
      return toInlineNodes(getInnerTokens(token), addMark(marks, { type: "strike" }));
    case "codespan":
      return toLiteralNodes(token.text, keepCodeMarks(marks));
    case "link":
      return toLinkNodes(token as Tokens.Link, marks);
    case "image":
      return toLinkNodes({ ...(token as Tokens.Image), tokens: [] }, marks);
    case "br":
      return [{ type: "hardBreak" }];
    case "escape":
      return toLiteralNodes(token.text, marks);
    case "checkbox":
      return toLiteralNodes(token.checked ? "☑ " : "☐ ", marks);
    case "text":
      return "tokens" in token && token.tokens ? toInlineNodes(token.tokens, marks) : toLiteralNodes(token.text, marks);
    default:
      return toLiteralNodes(token.raw, marks);
  }
}

/** Converts a link. An address that Jira would reject stays visible as text. */
function toLinkNodes(
  token: Pick<Tokens.Link, "href" | "text" | "raw"> & { tokens?: Token[] },
  marks: AdfMark[],
): AdfNode[] {
  if (!/^(https?:\/\/|mailto:)/i.test(token.href) || !URL.canParse(token.href)) return toLiteralNodes(token.raw, marks);
  const linked = addMark(marks, { type: "link", attrs: { href: token.href } });
  const inner = toInlineNodes(token.tokens ?? [], linked);
  // A link without text shows its address.
  if (inner.some(({ text }) => text?.trim())) return inner;
  return toLiteralNodes(token.text.trim() || token.href, linked);
}

/** ADF allows `code` to be combined only with `link`. */
function keepCodeMarks(marks: AdfMark[]): AdfMark[] {
  return [...marks.filter(({ type }) => type === "link"), { type: "code" }];
}

function addMark(marks: AdfMark[], mark: AdfMark): AdfMark[] {
  return [...marks.filter(({ type }) => type !== mark.type), mark];
}

/** Merges adjacent text nodes with the same marks. */
function mergeText(nodes: AdfNode[]): AdfNode[] {
  const result: AdfNode[] = [];
  for (const node of nodes) {
    const last = result.at(-1);
    if (last?.type === "text" && node.type === "text" && JSON.stringify(last.marks) === JSON.stringify(node.marks)) {
      result[result.length - 1] = { ...last, text: `${last.text}${node.text}` };
    } else result.push(node);
  }
  return result;
}

/**
 * A node of the Atlassian Document Format. Source:
 * https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
 */
export type AdfNode = {
  type: string;
  attrs?: Record<string, unknown>;
  content?: AdfNode[];
  text?: string;
  marks?: AdfMark[];
};

/** The formatting of a text node: `strong`, `em`, `code`, `strike`, `link`. */
export type AdfMark = { type: string; attrs?: Record<string, unknown> };

/** A complete document, as Jira expects it for descriptions and comments. */
export type AdfDocument = { type: "doc"; version: 1; content: AdfNode[] };
