import { Lexer, type Token } from "marked";
import { isCostlyMarkdown } from "#protocol/markdown";

/** Parses Markdown into blocks. A text that would take very long, or is nested too deeply, is one block of plain text. */
export function lexBlocks(source: string): Token[] {
  return lexSafely(source, () => Lexer.lex(source));
}

/** Parses the Markdown within a paragraph. */
export function lexInline(source: string): Token[] {
  return lexSafely(source, () => Lexer.lexInline(source));
}

function lexSafely(source: string, lex: () => Token[]): Token[] {
  const plain = { type: "text", raw: source, text: source };
  if (isCostlyMarkdown(source)) return [plain];
  try {
    return lex();
  } catch (error) {
    // The stack has no room for more nesting.
    if (!(error instanceof RangeError)) throw error;
    return [plain];
  }
}
