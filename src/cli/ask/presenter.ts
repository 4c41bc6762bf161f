import type { StreamPart } from "#protocol/events";
import { type AnswerWriter, createMarkdownWriter, createTextWriter } from "#ui/markdown/progressive";
import { formatEndedTool, formatToolRow, isToolFinished } from "#ui/text/tool-row";
import { toLine } from "#ui/text/words";
import type { CardItem, ToolItem, View } from "#ui/view/view";
import type { Kay } from "../kay.ts";

/** Shows a generation as it arrives. Parts that arrive while a question is on the screen are shown after it. */
export type Presenter = {
  part(part: StreamPart, view: View): void;
  /** Marks the view up to this part number as shown. */
  markShown(view: View, number: number): void;
  /** Announces that this card is asked now, number `at` of `of` open ones. */
  hold(openCard: { card: CardItem; at: number; of: number }): void;
  release(): void;
  /** Ends the output: the rest becomes final, and the status line is removed. */
  end(): void;
};

/** A presenter that shows nothing. */
export const SILENT_PRESENTER: Presenter = {
  part: () => {},
  markShown: () => {},
  hold: () => {},
  release: () => {},
  end: () => {},
};

/**
 * Shows the answer on stdout, block by block. On a terminal, each call has a line on stderr that is redrawn while it
 * runs.
 */
export function createTextPresenter(kay: Kay): Presenter {
  const text = getProgressive(kay);
  const shownCalls = new Set<string>();
  const rows = kay.terminal.stderr.isTerminal && !kay.flags.quiet;
  let speaking = false;
  const close = () => {
    if (speaking) text.end();
    speaking = false;
  };
  const end = () => {
    close();
    kay.out.setStatusLine(null);
  };
  const showPart = (part: StreamPart, view: View) => {
    if (part.type === "data-presence") return;
    // Text before a value is not the answer; the value follows at the end.
    if (view.structured && part.type.startsWith("text-")) return;
    if (part.type === "text-delta") text.push(part.delta);
    if (part.type === "text-delta") speaking = true;
    else if (part.type.startsWith("tool-") || part.type === "text-end" || isOfTurn(part)) close();
    if (part.type === "data-notice") kay.out.writeProgress(toLine(part.data.text));
    if (part.type === "data-status" && part.data.status === "paused")
      kay.out.writeProgress("Another request is running in this conversation; this one is queued.");
    if (rows) drawRows(kay, view, shownCalls);
  };
  return {
    ...bufferWhilePrompting(showPart, { hold: () => kay.out.setStatusLine(null), end }),
    markShown(view) {
      for (const item of view.items) if (item.kind === "tool" && isToolFinished(item)) shownCalls.add(item.call);
    },
  };
}

/**
 * Shows parts, and holds them back while a question is on the screen. `hold` and `end` are called before the question
 * and at the end.
 */
export function bufferWhilePrompting(
  showPart: Presenter["part"],
  { hold, end }: Pick<Presenter, "hold" | "end">,
): Omit<Presenter, "markShown"> {
  let buffered: (() => void)[] | null = null;
  const release = () => {
    const lines = buffered ?? [];
    buffered = null;
    for (const show of lines) show();
  };
  return {
    part(part, view) {
      if (buffered) buffered.push(() => showPart(part, view));
      else showPart(part, view);
    },
    hold(openCard) {
      hold(openCard);
      buffered ??= [];
    },
    release,
    end() {
      release();
      end();
    },
  };
}

/** Presence and a continued turn end no text. */
function isOfTurn(part: StreamPart): boolean {
  if (part.type === "data-status") return part.data.status !== "running";
  return part.type.startsWith("data-") && part.type !== "data-presence";
}

function getProgressive(kay: Kay): AnswerWriter {
  const { stdout } = kay.terminal;
  const write = (text: string) => kay.out.writeVerbatim(text);
  if (!stdout.isTerminal) return createTextWriter(write);
  return createMarkdownWriter(() => ({ width: stdout.columns(), paint: kay.out.paint }), write);
}

/** Calls that are over get their line once; the newest that works is the line at the bottom. */
function drawRows(kay: Kay, view: View, shownCalls: Set<string>): void {
  const tools = view.items.filter((item) => item.kind === "tool").filter(({ call }) => !shownCalls.has(call));
  const width = kay.terminal.stderr.columns() - 1;
  for (const tool of tools.filter(isToolFinished)) {
    shownCalls.add(tool.call);
    kay.out.writeProgress(paint(kay, tool, formatEndedTool(tool, width)));
  }
  const working = tools.filter((tool) => tool.state === "starting" || tool.state === "working").at(-1);
  kay.out.setStatusLine(working ? formatToolRow(working, width) : null);
}

function paint(kay: Kay, { state }: ToolItem, row: string): string {
  return kay.out.paint(state === "done" ? "green" : "red", row.slice(0, 1), "stderr") + row.slice(1);
}
