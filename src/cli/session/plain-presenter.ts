import { formatAttachment } from "#protocol/attachment-text";
import type { StreamPart } from "#protocol/events";
import { createMarkdownWriter } from "#ui/markdown/progressive";
import type { Look } from "#ui/style";
import {
  CARD_NAMES,
  formatAnswerText,
  formatCardEnd,
  formatLabelled,
  formatLabelledView,
  formatToolLine,
} from "#ui/text/labelled";
import { isToolFinished } from "#ui/text/tool-row";
import { toLine } from "#ui/text/words";
import { type CardItem, type Item, listOpenCards, type ToolItem, type View } from "#ui/view/view";
import { bufferWhilePrompting, type Presenter } from "../ask/presenter.ts";
import type { Kay } from "../kay.ts";

/** The initial state of the line mode. */
export type PlainPresenterOptions = {
  /** Number of the last part of the history, which is shown at the start. */
  lastShown?: number;
  /** Text that the user just typed, which is already on the screen. */
  prompt?: string;
  /** Name of this client. The end of a card that it answered is shown; for others, the question shows it. */
  client: string;
  /** Set if this session does not prompt. The end of each card is then shown. */
  readOnly?: boolean;
  /** Whether earlier history is on the screen. */
  isContinued?: boolean;
};

/** Shows a generation as labelled text, in order. Printed text never changes. */
export function createPlainPresenter(
  kay: Kay,
  { lastShown = 0, prompt, client, readOnly = false, isContinued = false }: PlainPresenterOptions,
): Presenter {
  // Reserves cells for the label of the first line.
  const look = (): Look => ({
    width: Math.max(20, kay.terminal.stdout.columns() - LABEL),
    paint: kay.out.paint,
    plain: true,
  });
  const shownTools = new Map<number, ToolProgress>();
  let pendingPrompt = prompt;
  let speaking = false;
  let labelledAlready = false;
  const write = (text: string) => {
    kay.out.writeVerbatim(labelledAlready || text === "" ? text : formatAnswerText(text));
    labelledAlready ||= text !== "";
  };
  const text = createMarkdownWriter(look, write);
  const close = () => {
    if (speaking) text.end();
    speaking = false;
    labelledAlready = false;
  };
  const say = (words: string) => {
    close();
    kay.out.writeLine(words);
  };
  const tell = (item: Item, index: number) => {
    const previous = shownTools.get(index) ?? { begun: false, log: 0, over: false };
    if (previous.over || item.kind === "text" || item.kind === "reasoning") return;
    if (item.kind === "message" && item.text === pendingPrompt) {
      pendingPrompt = undefined;
      for (const file of item.attachments ?? []) say(formatAttachment(file));
      return void shownTools.set(index, { ...previous, over: true });
    }
    if (item.kind === "tool") for (const words of formatToolLines(item, previous, look().width)) say(words);
    else if (isFinal(item, readOnly ? undefined : client))
      say(item.kind === "card" ? formatCardEnd(item) : formatLabelled(item, look()));
    shownTools.set(index, getProgress(item, previous));
  };
  const showPart = (part: StreamPart, view: View) => {
    if (part.type === "data-presence") return;
    if (part.type === "text-delta") {
      speaking = true;
      text.push(part.delta);
    } else if (part.type === "text-end" || part.type === "text-start") close();
    if (part.type === "data-status" && part.data.status === "paused")
      say("Another request is running in this conversation; this one is queued.");
    view.items.forEach(tell);
  };
  return {
    ...bufferWhilePrompting(showPart, {
      hold: ({ card, at, of }) => say(`${CARD_NAMES[card.type]} ${at} of ${of}:`),
      end: close,
    }),
    markShown(view, number) {
      if (number !== lastShown) return;
      const open: Item[] = listOpenCards(view);
      const unfinished = view.items.filter((item) => item.kind === "text" && !item.done);
      const items = view.items.filter((item) => !open.includes(item) && !unfinished.includes(item));
      const history = formatLabelledView({ ...view, items }, look());
      if (history !== "" && !isContinued) kay.out.writeLine(`${history}\n`);
      view.items.forEach((item, index) => {
        if (!open.includes(item)) shownTools.set(index, getProgress(item, { begun: true, log: 0, over: false }));
      });
      for (const item of unfinished) {
        speaking = true;
        if (item.kind === "text") text.push(item.text);
      }
    },
  };
}

const LABEL = "kay: ".length;

/** The shown part of an item. */
type ToolProgress = { begun: boolean; log: number; over: boolean };

function getProgress(item: Item, previous: ToolProgress): ToolProgress {
  if (item.kind === "tool")
    return { begun: item.state !== "starting" || previous.begun, log: item.log.length, over: isToolFinished(item) };
  if (item.kind === "card") return { ...previous, over: item.ended !== undefined };
  if (item.kind === "receipt") return { ...previous, over: isSettled(item) };
  return { ...previous, over: true };
}

function formatToolLines(tool: ToolItem, { begun, log }: ToolProgress, width: number): string[] {
  if (isToolFinished(tool)) return [formatToolLine(tool, width)];
  if (tool.state === "paused" || tool.state === "starting") return [];
  const fresh = tool.log.slice(log).map((entry) => `tool ${toLine(tool.name)}: ${toLine(entry)}`);
  return begun ? fresh : [formatToolLine({ ...tool, log: [] }, width), ...fresh];
}

function isFinal(item: Exclude<Item, ToolItem>, client: string | undefined): boolean {
  if (item.kind === "card") return client === undefined ? item.ended !== undefined : isAnsweredBy(item, client);
  return item.kind === "receipt" ? isSettled(item) : true;
}

function isSettled({ receipt }: Extract<Item, { kind: "receipt" }>): boolean {
  return receipt.effect === "settled" || receipt.effect === "unknown";
}

/** Whether this client answered the card. Other answers are shown at the prompt. */
function isAnsweredBy({ ended }: CardItem, client: string): boolean {
  return ended?.client === client;
}
