import { marked, type Token, type Tokens } from "marked";
import { clean } from "#protocol/clean";
import type { Look } from "./look.ts";
import { renderBlock } from "./markdown.ts";

/** An answer that is written while it comes. `end` closes one text; another may follow, as a paragraph of its own. */
export type Progressive = { push(delta: string): void; end(): void };

/**
 * Markdown for a terminal, each block written as soon as nothing that follows can change it: a paragraph at its blank line, an item of a
 * list at the next one, a table at its end. What is written stays as it is; together it is what `renderMarkdown` makes of the whole.
 */
export function progressiveMarkdown(look: () => Look, write: (text: string) => void): Progressive {
  let line = "";
  let tail = "";
  let begun = false;
  /** Number of the next item where a part of a list was written. */
  let nextItem: number | null = null;
  const emit = (token: Token) => {
    const continues = nextItem !== null && token.type === "list";
    const shown = continues ? { ...token, start: nextItem } : token;
    if (begun && !continues) write("");
    write(renderBlock(shown as Token, look()));
    begun = true;
    nextItem = null;
  };
  const flush = (isWhole: boolean) => {
    const tokens = marked.lexer(tail);
    const final = isWhole ? tokens.length : finalOnes(tokens);
    for (const token of tokens.slice(0, final)) if (token.type !== "space") emit(token);
    tail = tokens
      .slice(final)
      .map(({ raw }) => raw)
      .join("");
    const open = tokens[final];
    if (isWhole || open?.type !== "list") return;
    const items = (open as Tokens.List).items.slice(0, -1);
    if (items.length === 0) return;
    const first = nextItem ?? (Number((open as Tokens.List).start) || 1);
    emit({ ...open, items });
    nextItem = first + items.length;
    tail = tail.slice(items.reduce((length, { raw }) => length + raw.length, 0));
  };
  return {
    push(delta) {
      line += delta;
      const end = line.lastIndexOf("\n") + 1;
      if (end === 0) return;
      tail += clean(line.slice(0, end));
      line = line.slice(end);
      flush(false);
    },
    end() {
      tail += clean(line);
      line = "";
      flush(true);
      tail = "";
    },
  };
}

/** Text as it is, for a pipe: line by line, without blank lines at the end. */
export function progressiveText(write: (text: string) => void): Progressive {
  let line = "";
  let blank = 0;
  let begun = false;
  const put = (text: string) => {
    for (const each of clean(text).split("\n")) {
      if (each.trim() === "") blank += 1;
      else {
        write("\n".repeat(begun ? blank : 0) + each);
        begun = true;
        blank = 0;
      }
    }
  };
  return {
    push(delta) {
      line += delta;
      const end = line.lastIndexOf("\n");
      if (end < 0) return;
      put(line.slice(0, end));
      line = line.slice(end + 1);
    },
    end() {
      if (line !== "") put(line);
      line = "";
      blank = 1;
    },
  };
}

/** How many of the first tokens are final when only whole lines were read so far. */
function finalOnes(tokens: Token[]): number {
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  const token = tokens[last];
  if (!token) return tokens.length;
  return isFinal(token, last < tokens.length - 1) ? last + 1 : last;
}

/** Whether the last block is whole. `isFollowed` is true when a blank line stands behind it. */
function isFinal(token: Token, isFollowed: boolean): boolean {
  if (token.type === "heading" || token.type === "hr") return true;
  // Text may go on after a blank line in these two.
  if (token.type === "list" || (token.type === "code" && token.codeBlockStyle === "indented")) return false;
  if (token.type === "code") return isClosed(token.raw);
  return isFollowed;
}

function isClosed(fenced: string): boolean {
  const lines = fenced.trimEnd().split("\n");
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(lines[0] ?? "")?.[1] ?? "";
  const last = lines.length > 1 ? (lines.at(-1) ?? "").trim() : "";
  return fence !== "" && last.startsWith(fence) && /^(`+|~+)$/.test(last);
}
