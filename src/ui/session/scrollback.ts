import type { Receipt } from "#protocol/ask";
import { INITIAL_STREAM, readMarkdown } from "../markdown/stream.ts";
import type { Look } from "../style.ts";
import { formatItem, getSeparator } from "../text/item.ts";
import { matchReceiptLinks } from "../text/receipt-links.ts";
import { isToolFinished } from "../text/tool-row.ts";
import type { Item, TextItem, View } from "../view/view.ts";
import { getLiveContent, type LiveContent, type ScrollbackState } from "./live-content.ts";

/** Creates the state before anything was committed. */
export function createScrollbackState(): ScrollbackState {
  return { next: 0, above: null, text: NOT_READ };
}

/**
 * Returns the text that became final, as whole lines for `look.width`, and the rest for the live region. Items are
 * committed once and in order: an item that is not final holds back those after it.
 */
export function advanceScrollback(
  blocks: ScrollbackState,
  view: View,
  look: Look & { links: boolean },
): { blocks: ScrollbackState; commit: string; live: LiveContent } {
  const out: string[] = [];
  let now = blocks;
  for (let item = view.items[now.next]; item; item = view.items[now.next]) {
    if (item.kind === "text") {
      now = readText(now, item, { look, isShown: (text) => matchReceiptLinks(listReceipts(view))(text), out });
      if (!isFinal(item, view)) break;
    } else if (isFinal(item, view)) now = commitItem(now, item, look, out);
    else break;
    now = { ...now, next: now.next + 1, text: NOT_READ };
  }
  return { blocks: now, commit: out.join(""), live: getLiveContent(now, view, look) };
}

/** Returns a view without the texts and results of committed items, so that memory stays bounded. */
export function dropCommitted(view: View, { next, text }: ScrollbackState): View {
  let first = next;
  while (first > 0 && view.items[first - 1]?.forgotten !== true) first -= 1;
  const current = view.items[next];
  const isShort = current?.kind !== "text" || text.taken === (current.dropped ?? 0);
  if (first === next && isShort) return view;
  const items = view.items.slice();
  for (let index = first; index < next; index += 1) {
    const item = items[index];
    if (item) items[index] = forgetItem(item);
  }
  if (current?.kind === "text" && !isShort) {
    const rest = current.text.slice(text.taken - (current.dropped ?? 0));
    items[next] = { ...current, text: rest, dropped: text.taken };
  }
  return { ...view, items };
}

const NOT_READ: ScrollbackState["text"] = { stream: INITIAL_STREAM, taken: 0, searched: 0 };

/** Length from which a line may be committed in parts. */
const LONG_LINE = 4_096;

/** Reads the final text of an item. `isShown` identifies blocks that a receipt shows already. */
function readText(
  blocks: ScrollbackState,
  item: TextItem,
  { look, isShown, out }: { look: Look; isShown(text: string): boolean; out: string[] },
): ScrollbackState {
  const { stream, taken, searched } = blocks.text;
  const dropped = item.dropped ?? 0;
  const end = dropped + item.text.length;
  const hasLine = item.text.indexOf("\n", searched - dropped) >= 0;
  if (!item.done && !hasLine && end - taken <= LONG_LINE)
    return end === searched ? blocks : { ...blocks, text: { stream, taken, searched: end } };
  const now = readMarkdown(stream, item.text.slice(taken - dropped), item.done, look);
  let { above } = blocks;
  for (const [index, { text, joins }] of now.pieces.entries()) {
    if (!joins && isShown(text)) continue;
    const isFirst = !stream.begun && index === 0;
    out.push(`${isFirst ? (above ? getJoin(above, "text") : "") : joins ? "" : "\n"}${text}\n`);
    above = "text";
  }
  return { ...blocks, above, text: { stream: now.stream, taken: taken + now.taken, searched: end } };
}

function listReceipts({ items }: View): Receipt[] {
  return items.flatMap((item) => (item.kind === "receipt" ? [item.receipt] : []));
}

function commitItem(blocks: ScrollbackState, item: Item, look: Look, out: string[]): ScrollbackState {
  const text = formatItem(item, look);
  if (text === "") return blocks;
  out.push(`${blocks.above ? getJoin(blocks.above, item.kind) : ""}${text}\n`);
  return { ...blocks, above: item.kind };
}

/** Returns the separator without its first line break, which the text above ended with. */
function getJoin(above: Item["kind"], below: Item["kind"]): string {
  return getSeparator(above, below).slice(1);
}

/** Whether an item can no longer change. */
function isFinal(item: Item, view: View): boolean {
  const isLeft =
    "generation_id" in item && item.generation_id !== undefined && item.generation_id !== view.generation_id;
  switch (item.kind) {
    case "text":
      return item.done;
    case "tool":
      return isToolFinished(item) || isLeft;
    case "receipt":
      return item.receipt.effect === "settled" || item.over === true || isLeft;
    case "card":
      return item.ended !== undefined || item.over === true || isLeft;
    default:
      return true;
  }
}

function forgetItem(item: Item): Item {
  if (item.kind === "tool") return { ...item, input: undefined, output: undefined, log: [], forgotten: true };
  if (item.kind === "message" || item.kind === "text" || item.kind === "reasoning")
    return { ...item, text: "", forgotten: true };
  return { ...item, forgotten: true };
}
