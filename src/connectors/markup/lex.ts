import { lexer, type Token, type Tokens } from "marked";
import { isCostlyMarkdown, isMarkInWord } from "#protocol/markdown";

/**
 * Parses text or Markdown. Marks inside words and backslashes of paths stay text, so that a message arrives as it was
 * approved: `2*3*4`, `__init__.py`, `C:\new\*.log`, `007. Bond`.
 *
 * @throws RangeError for Markdown that is nested too deeply, or has far too many marks
 */
export function lexMarkdown(markdown: string, options: { breaks?: boolean } = {}): Token[] {
  if (isCostlyMarkdown(markdown)) throw new RangeError("The Markdown would take too long to parse.");
  return restoreTokens(lexer(markdown, { gfm: true, ...options }), countLabels(markdown));
}

/** Returns the tokens inside a token, such as the words of a link. */
export function getInnerTokens(token: Token): Token[] {
  return ("tokens" in token && token.tokens) || [];
}

/** How often each text in brackets occurs, in lower case. */
type Labels = Map<string, number>;

function countLabels(markdown: string): Labels {
  const labels: Labels = new Map();
  for (const [label] of markdown.toLowerCase().matchAll(/\[[^[\]]+\]/g))
    labels.set(label, (labels.get(label) ?? 0) + 1);
  return labels;
}

function restoreTokens(tokens: Token[], labels: Labels): Token[] {
  return tokens.flatMap((token, index) => {
    const previous = tokens[index - 1]?.raw ?? "";
    const after = tokens[index + 1]?.raw ?? "";
    return isLiteral(token, previous, after) ? [buildText(token.raw)] : restoreToken(token, labels);
  });
}

function restoreToken(token: Token, labels: Labels): Token[] {
  // A backslash at the end of a line breaks it too, but may be the end of a path.
  if (token.type === "br" && token.raw.startsWith("\\")) return [buildText("\\"), token];
  if (token.type === "def") return isReferenced(token.raw, labels) ? [] : [buildParagraph(token.raw)];
  if (token.type === "list") {
    const list = token as Tokens.List;
    // Markdown would drop the zeros, a plus before a number, and a mark without words.
    const isEmpty = list.items.every(({ text }) => text.trim() === "");
    if (isEmpty || /^\s*(?:0\d*[.)]|\+ +[\d.,€$£])/.test(list.raw)) return [buildParagraph(list.raw)];
    return [{ ...list, items: list.items.map((item) => ({ ...item, tokens: restoreTokens(item.tokens, labels) })) }];
  }
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    const restore = (cells: Tokens.TableCell[]) =>
      cells.map((cell) => ({ ...cell, tokens: restoreTokens(cell.tokens, labels) }));
    return [{ ...token, header: restore(header), rows: rows.map(restore) } as Token];
  }
  if ("tokens" in token && token.tokens) return [{ ...token, tokens: restoreTokens(token.tokens, labels) } as Token];
  return [token];
}

/** Returns whether a mark of Markdown belongs to a word or a path. */
function isLiteral({ type, raw }: Token, previous: string, after: string): boolean {
  if (type === "escape") return isLiteralEscape(raw.slice(1), previous, after);
  return isMarkInWord({ type, raw }, previous, after);
}

/** Returns whether a backslash is literal: it is in a path, or the next character needs no escape there. */
function isLiteralEscape(character: string, previous: string, after: string): boolean {
  if (/\\[^\s\\]+$|(^|\s)[A-Za-z]:$/.test(previous) || (/\w$/.test(previous) && /^\.\w/.test(after))) return true;
  if ("*_~`[]<>#|".includes(character)) return false;
  if (character === "." || character === ")") return !/(^|\n)[ \t]*\d+$/.test(previous);
  if (character === "-" || character === "+") return !/(^|\n)[ \t]*$/.test(previous);
  return character !== "!" || !after.startsWith("[");
}

/** Returns whether a link elsewhere uses the address that a definition such as `[1]: https://example.com` gives. */
function isReferenced(definition: string, labels: Labels): boolean {
  const label = /^\s*(\[[^\]]+\])/.exec(definition)?.[1]?.toLowerCase() ?? "";
  return (labels.get(label) ?? 0) > 1;
}

function buildParagraph(raw: string): Tokens.Paragraph {
  const text = raw.trim();
  return { type: "paragraph", raw, text, tokens: [buildText(text)] };
}

function buildText(text: string): Tokens.Text {
  return { type: "text", raw: text, text, escaped: false };
}
