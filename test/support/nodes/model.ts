import type { ModelAsk, ModelStep } from "../durable/outside.ts";

/** Prompts by wish; the model follows the first word. */
export const wishes = {
  /** An answer of this many words. */
  talk: (words: number, mark: string) => `talk ${words} ${mark}`,
  /** Reads a channel, then answers. */
  read: (mark: string) => `read - ${mark}`,
  /** Sends a message with this mark, which must be approved. */
  write: (mark: string) => `write - ${mark}`,
};

/** The model of the nodes: always the same answer to the same question. */
export function createStep({ results, messages }: ModelAsk): ModelStep {
  const [, verb = "", count = "", mark = ""] =
    /\b(talk|read|write) (\S+) (\S+?)["\\]?$/.exec(getPrompt(messages)) ?? [];
  if (results > 0) return { text: ["That ", "is ", "done."] };
  if (verb === "talk") return { text: Array.from({ length: Number(count) }, (_, index) => `word ${index} `) };
  if (verb === "read")
    return { text: ["Let me look. "], calls: [[`r_${mark}`, "slack.read_channel", { channel: "#general" }]] };
  return {
    text: ["I send it. "],
    calls: [
      [`r_${mark}`, "slack.list_channels", {}],
      [`w_${mark}`, "slack.send_message", { channel: "#general", text: mark }],
    ],
  };
}

function getPrompt(messages: ModelAsk["messages"]): string {
  const content = messages.findLast(({ role }) => role === "user")?.content;
  return typeof content === "string" ? content : JSON.stringify(content).replace(/"\}\]$/, "");
}
