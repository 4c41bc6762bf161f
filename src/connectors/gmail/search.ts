import * as z from "zod/mini";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatNoun } from "../markup/markdown.ts";
import { parseInstant } from "../time.ts";
import { withDescription } from "../tool.ts";
import { findMessages } from "./find.ts";
import { buildMailUrl, formatMessageTable, toMessageData } from "./message.ts";

const Input = z.object({
  text: withDescription(z.optional(z.string()), "Words in the message."),
  sender: withDescription(z.optional(z.string()), "Name or email address of the sender."),
  recipient: withDescription(z.optional(z.string()), "Name or email address of a recipient."),
  state: withDescription(z.optional(z.enum(["unread", "starred", "important"])), "unread, starred or important."),
  after: withDescription(z.optional(z.string()), "Only messages from this day or time on, in ISO 8601."),
  before: withDescription(z.optional(z.string()), "Only messages before this day or time, in ISO 8601."),
  hasAttachment: withDescription(z.optional(z.boolean()), "Whether to list only messages with attachments."),
  place: withDescription(
    z.optional(z.string()),
    'Location: "inbox" (default without other fields), "sent", "drafts", "spam", "trash", "anywhere", or a label.',
  ),
  query: withDescription(
    z.optional(z.string()),
    "A complete query in Gmail's syntax. It overrides all other fields except limit.",
  ),
});
type Input = z.output<typeof Input>;

/** Source: Gmail API v1, GET /gmail/v1/users/{userId}/messages. */
export const searchTool = defineListTool({
  name: "gmail.search",
  description: "Find or list emails in Gmail by words, sender, recipient, date, attachments, label or unread state.",
  input: Input,
  limit: { usual: 10, most: 50 },
  examples: [
    "find emails about {text}",
    "find emails from {sender}",
    "search gmail for {text}",
    "search my mail for {text}",
    "show my {state} emails",
    "show emails from {sender}",
    "show emails sent by {sender}",
    "show emails to {recipient}",
    "show the emails I {place}",
    "list my emails",
    "show my newest emails",
    "what is in my inbox",
    "show my {place}",
    "do I have {state} mail",
    "do I have mail from {sender}",
    "did {sender} write about {text}",
    "where is the email about {text}",
  ],
  summary: (input) => `Search Gmail for ${describeSearch(input)}`,
  async run(input, context, list) {
    const q = getQuery(input, context.timeZone);
    const { messages, more } = await findMessages(context, q, list);
    const words = escapeCell(describeSearch(input, messages.length));
    const items = () => formatMessageTable(messages, context.timeZone);
    const text = formatList(list, { count: messages.length, words, more, order: "newest", items });
    const data = { query: q, messages: messages.map((message) => toMessageData(message, context)), more };
    return { data, text, url: buildMailUrl(`search/${encodeURIComponent(q)}`, context) };
  },
});

/** Builds a query in Gmail's syntax. Source: https://support.google.com/mail/answer/7190 */
function getQuery(input: Input, zone: string | undefined): string {
  if (input.query?.trim()) return input.query.trim();
  const { text, sender, recipient, state, place, after, before, hasAttachment } = input;
  const somewhere = [text, sender, recipient, after, before].some((text) => text?.trim()) || hasAttachment;
  return [
    sender?.trim() ? `from:(${withoutOperators(sender)})` : "",
    recipient?.trim() ? `to:(${withoutOperators(recipient)})` : "",
    state ? `is:${state}` : "",
    after?.trim() ? `after:${getSeconds(after, "after", zone)}` : "",
    before?.trim() ? `before:${getSeconds(before, "before", zone)}` : "",
    hasAttachment ? "has:attachment" : "",
    buildPlaceQuery(place?.trim() ?? (somewhere ? "" : "inbox")),
    text?.trim() ? withoutOperators(text) : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/**
 * Gmail takes days as midnight in PST, and seconds since the epoch exactly.
 * Source: https://developers.google.com/workspace/gmail/api/guides/filtering
 */
function getSeconds(when: string, field: string, zone: string | undefined): number {
  return Math.floor(Date.parse(parseInstant(when, field, zone)) / 1000);
}

function buildPlaceQuery(place: string): string {
  const word = place.toLowerCase();
  if (word === "") return "";
  if (/^(inbox|sent|drafts|spam|trash|anywhere)$/.test(word)) return `in:${word}`;
  return `label:${word.replace(/[\s/()"]+/g, "-")}`;
}

/** Removes the operators of Gmail's search. */
function withoutOperators(text: string): string {
  return text
    .replace(/[(){}":]+/g, " ")
    .replace(/(^|\s)-+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function describeSearch({ query, text, sender, state, place, ...filter }: Input, number = 2): string {
  const noun = formatNoun(number, "email");
  if (query?.trim()) return `${noun} matching ${query.trim()}`;
  const isAnywhere =
    [text, sender, filter.recipient, filter.after, filter.before].some((text) => text?.trim()) || filter.hasAttachment;
  return [
    state,
    noun,
    sender?.trim() ? `from ${sender.trim()}` : "",
    filter.recipient?.trim() ? `to ${filter.recipient.trim()}` : "",
    text?.trim() ? `about “${text.trim()}”` : "",
    filter.after?.trim() ? `after ${filter.after.trim()}` : "",
    filter.before?.trim() ? `before ${filter.before.trim()}` : "",
    filter.hasAttachment ? "with attachments" : "",
    place?.trim() ? `in ${place.trim()}` : isAnywhere ? "" : "in the inbox",
  ]
    .filter(Boolean)
    .join(" ");
}
