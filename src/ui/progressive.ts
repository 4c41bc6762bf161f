import { marked, type Token, type Tokens } from "marked";
import { clean } from "#protocol/clean";
import type { Look } from "./look.ts";
import { renderBlock } from "./markdown.ts";

/** An answer that is written while it comes. `end` closes one text; another may follow, as a paragraph of its own. */
export type Progressive = {
  push(delta: string): void;
  end(): void;
  /** What was pushed and is not written yet, as it came. */
  rest(): string;
};

/**
 * Markdown for a terminal, each block written as soon as nothing that follows can change it: a paragraph at its blank line, an item of a
 * list at the next one, a table at its end. What is written stays as it is; together it is what `renderMarkdown` makes of the whole.
 */
export function progressiveMarkdown(look: () => Look, write: (text: string) => void): Progressive {
  let line = "";
  let tail = "";
  let begun = false;
  /** An open code block whose lines are written as they come. */
  let fence: Fence | null = null;
  /** Number of the next item where a part of a list was written. */
  let nextItem: number | null = null;
  /** What follows belongs to the paragraph of which a part was written. */
  let isSplit = false;
  const emit = (token: Token) => {
    const continues = nextItem !== null && token.type === "list";
    const shown = continues ? { ...token, start: nextItem } : token;
    if (begun && !continues && !isSplit) write("");
    write(renderBlock(shown as Token, look()));
    begun = true;
    nextItem = null;
    isSplit = false;
  };
  /** The lines of a block that may become long, written as they come: looking at all of it again with each would take ever longer. */
  const goOn = () => {
    if (fence === null) fence = longFence(tail);
    if (fence === null) return;
    const end = tail.lastIndexOf("\n") + 1;
    const lines = tail.slice(0, end).split("\n").slice(0, -1);
    tail = tail.slice(end);
    const last = lines.findIndex(
      (each, index) => (index > 0 || fence?.begun === true) && closes(each, fence?.mark ?? ""),
    );
    const code = last < 0 ? lines : lines.slice(0, last);
    const shown = fence.begun ? code : code.slice(1);
    if (!fence.begun && begun) write("");
    begun = true;
    if (shown.length > 0) write(renderBlock({ type: "code", raw: "", text: shown.join("\n") } as Token, look()));
    fence = { ...fence, begun: true };
    if (last < 0) return;
    fence = null;
    tail = `${lines.slice(last + 1).join("\n")}${last + 1 < lines.length ? "\n" : ""}${tail}`;
    flush(false);
  };
  /** A paragraph without an end leaves in pieces of whole lines, for the same reason. */
  const split = () => {
    const end = tail.lastIndexOf("\n", tail.length - 2) + 1;
    if (end === 0) return;
    for (const token of marked.lexer(tail.slice(0, end))) if (token.type !== "space") emit(token);
    tail = tail.slice(end);
    isSplit = true;
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
    if (!isWhole && open?.type === "paragraph" && tail.length > LONGEST) split();
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
      if (fence === null) flush(false);
      goOn();
    },
    end() {
      tail += clean(line);
      line = "";
      if (fence !== null) {
        if (tail !== "") tail += "\n";
        goOn();
      }
      if (fence === null) flush(true);
      tail = "";
      fence = null;
    },
    rest: () => tail + line,
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
    rest: () => line,
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

type Fence = { mark: string; begun: boolean };

/** A fenced block of code that is open still and has some lines by now. */
function longFence(tail: string): Fence | null {
  const mark = /^ {0,3}(`{3,}(?=[^`\n]*\n)|~{3,})/.exec(tail)?.[1];
  return mark !== undefined && tail.split("\n", LONG + 1).length > LONG ? { mark, begun: false } : null;
}

/** A block of more lines, or a paragraph of more characters, is not kept until its end. */
const LONG = 20;
const LONGEST = 4_000;

function closes(line: string, mark: string): boolean {
  const text = line.trim();
  return text.startsWith(mark) && text === (mark[0] ?? "").repeat(text.length);
}

function isClosed(fenced: string): boolean {
  const lines = fenced.trimEnd().split("\n");
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(lines[0] ?? "")?.[1] ?? "";
  const last = lines.length > 1 ? (lines.at(-1) ?? "").trim() : "";
  return fence !== "" && last.startsWith(fence) && /^(`+|~+)$/.test(last);
}
