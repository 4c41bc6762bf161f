import * as z from "zod/mini";
import { escapeCell, truncateText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { type Attachment, readContent } from "./body.ts";
import { fetchMessage, findMessage } from "./find.ts";
import { buildThreadUrl, getDate, getHeader, getSubject, type Message, toMessageData } from "./message.ts";

const Input = z.object({
  message: withDescription(z.string(), "ID of the message, or words from its subject."),
});
type Input = z.output<typeof Input>;

/** Longest text shown to the user and the model, in characters. */
const MAX_TEXT_LENGTH = 12_000;

/** Source: Gmail API v1, GET /gmail/v1/users/{userId}/messages/{id}. */
export const readMessageTool = defineTool({
  name: "gmail.read_message",
  description: "Read one email in Gmail: its sender, recipients, text and the names of its attachments.",
  access: "read",
  input: Input,
  examples: [
    "read the email {message}",
    "show the email {message}",
    "open the email {message}",
    "read the message {message}",
    "what does the email {message} say",
    "summarise the email {message}",
  ],
  summary: ({ message }: Input) => `Read the email ${escapeCell(message)}`,
  async run(input, context) {
    const { id } = await findMessage(context, input.message, "read");
    const message = await fetchMessage(context, id, "full");
    const { text: whole, attachments } = await readContent(context, message);
    const body = truncateText(whole, MAX_TEXT_LENGTH);
    const url = buildThreadUrl(message.threadId, context);
    const { excerpt: _shorter, ...rest } = toMessageData(message, context);
    const data = { ...rest, cc: getHeader(message, "Cc"), text: body, attachments };
    return { data, text: `${formatMessage(message, body, attachments)}\n\n${url}`, url };
  },
});

/** Labels of messages that other mail programs do not show in the inbox. */
const STATES: Record<string, string> = { TRASH: "in the trash", SPAM: "in spam", DRAFT: "draft" };

function formatMessage(message: Message, body: string, files: Attachment[]): string {
  const attachments = files.map(({ name, bytes }) => `${name} (${bytes} bytes)`);
  const facts: [string, string][] = [
    ["State", (message.labelIds ?? []).flatMap((label) => STATES[label] ?? []).join(", ")],
    ["From", getHeader(message, "From")],
    ["To", getHeader(message, "To")],
    ["Cc", getHeader(message, "Cc")],
    ["Date", getDate(message)],
    ["Attachments", attachments.join(", ")],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`- ${name}: ${escapeCell(value)}`] : []));
  const isEncrypted = /^multipart\/encrypted$|pkcs7-mime$/i.test(message.payload?.mimeType ?? "");
  const none = isEncrypted ? "The message is encrypted; kay cannot read its text." : "The message has no text.";
  return [`**${escapeCell(getSubject(message))}**`, lines.join("\n"), body || none].join("\n\n");
}
