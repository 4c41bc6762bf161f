import { clean } from "#protocol/clean";
import type { Look } from "../look.ts";
import { renderMarkdown } from "../markdown.ts";
import { type Progressive, progressiveMarkdown } from "../progressive.ts";
import { rowText } from "../tool-row.ts";
import { gap, itemText } from "../transcript.ts";
import type { Item, ToolItem, View } from "../view.ts";

/** What of a conversation is final since the last look, and what goes on. */
export type Advance = {
  /** Whole lines for the scrollback; "" when nothing became final. */
  commit: string;
  /** The last rows of the text that streams. */
  text: string[];
  /** A row for each call that is under way. */
  tools: string[];
};

/** Where a conversation is in the scrollback: each item leaves once, in order, and never changes afterwards. */
export type Blocks = {
  advance(view: View): Advance;
  /** Another conversation begins. */
  reset(): void;
};

/** So much of an unfinished text, in characters, is laid out for the live region: a longer one would cost too much at each redraw. */
const TAIL = 2_000;

/** Rows of an unfinished text that are kept for the live region. */
const MOST_ROWS = 40;

/** @param look as things are to be laid out from now on; what is committed stays as it is */
export function createBlocks(look: () => Look): Blocks {
  let at = 0;
  let before: Item | undefined;
  let streaming: { progress: Progressive; fed: number } | null = null;
  let out: string[] = [];
  const put = (item: Item, text: string) => {
    if (text === "") return;
    if (before) out.push(gap(before, item) === "\n\n" ? `\n${text}` : text);
    else out.push(text);
    before = item;
  };
  const begin = (item: Item): { progress: Progressive; fed: number } => {
    let isFirst = true;
    const write = (text: string) => {
      if (isFirst) put(item, text);
      else out.push(text);
      isFirst = false;
    };
    return { progress: progressiveMarkdown(look, write), fed: 0 };
  };
  /** Whether the item is all in the scrollback. */
  const leaves = (item: Item): boolean => {
    if (item.kind === "text") {
      streaming ??= begin(item);
      streaming.progress.push(item.text.slice(streaming.fed));
      streaming.fed = item.text.length;
      if (!item.done) return false;
      streaming.progress.end();
      streaming = null;
      return true;
    }
    if (!isFinal(item)) return false;
    put(item, itemText(item, look()));
    return true;
  };
  return {
    advance(view) {
      for (let item = view.items[at]; item && leaves(item); item = view.items[at]) at += 1;
      const commit = out.join("\n");
      out = [];
      const { width } = look();
      const tools = view.items.slice(at).filter(isUnderWay);
      return {
        commit: commit === "" ? "" : `${commit}\n`,
        text: streaming ? tailRows(streaming.progress.rest(), look()) : [],
        tools: tools.map((tool) => rowText(tool, width)),
      };
    },
    reset() {
      at = 0;
      streaming = null;
      out = [];
    },
  };
}

function isFinal(item: Item): boolean {
  if (item.kind === "tool") return item.state === "done" || item.state === "failed" || item.state === "denied";
  if (item.kind === "card") return item.ended !== undefined;
  if (item.kind === "receipt") return item.receipt.effect === "settled" || item.receipt.effect === "unknown";
  return item.kind !== "reasoning" || item.done;
}

function isUnderWay(item: Item): item is ToolItem {
  return item.kind === "tool" && !isFinal(item);
}

/** The last rows of a text that is not final yet. */
function tailRows(rest: string, look: Look): string[] {
  if (rest.trim() === "") return [];
  const tail = rest.length <= TAIL ? rest : rest.slice(rest.indexOf(" ", rest.length - TAIL) + 1);
  return renderMarkdown(clean(tail), look).split("\n").slice(-MOST_ROWS);
}
