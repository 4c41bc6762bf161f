import { clean } from "#protocol/clean";
import type { ConversationView } from "#protocol/conversations";
import { toolText } from "./labelled.ts";
import type { CardItem, Item, View } from "./view.ts";
import { cardText, endText, line, NOTHING_SENT, plannedText, receiptNotes } from "./words.ts";

/** A conversation as a Markdown document. What comes from elsewhere is cleaned; the model's own Markdown stays as it is. */
export function markdownOf(view: View, { id, title, created_at }: ConversationView): string {
  const head = `# ${line(title ?? "Conversation")}\n\n${line(id)}, begun ${line(created_at).slice(0, 16).replace("T", " ")}`;
  const blocks = view.items.map(blockOf).filter((text) => text !== "");
  return `${[head, ...blocks].join("\n\n")}\n`;
}

function blockOf(item: Item): string {
  switch (item.kind) {
    case "message":
      return `## You\n\n${clean(item.text).trim()}`;
    case "text":
      return item.text.trim() === "" ? "" : `## kay\n\n${clean(item.text).trim()}`;
    case "reasoning":
      return "";
    case "tool":
      return `- ${toolText(item, 100)}`;
    case "receipt": {
      const { summary, url } = item.receipt;
      const notes = receiptNotes(item.receipt).map((note) => ` (${note})`);
      return `- receipt: ${line(summary)}${notes.join("")}${url ? ` <${line(url)}>` : ""}`;
    }
    case "planned":
      return quoted(`${plannedText(item.planned)}\n\n${NOTHING_SENT}`);
    case "card":
      return quoted(`${cardText(item)}\n\n${endOf(item)}`);
    case "end":
      return quoted(item.how === "cancelled" ? "Cancelled." : `Error: ${clean(item.text)}`);
  }
}

function endOf({ ended, type }: CardItem): string {
  return ended ? `Answer: ${endText(ended, type)}` : "It waits for an answer.";
}

function quoted(text: string): string {
  return text.replace(/^/gm, "> ");
}
