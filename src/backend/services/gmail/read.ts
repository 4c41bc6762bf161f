import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell, excerpt } from "../markdown.ts";
import { defineTool } from "../service.ts";
import { messageById, messageOf } from "./find.ts";
import { attachmentsOf, bodyText, dateOf, header, type Message, messageData, subjectOf, threadUrl } from "./message.ts";

const Input = z.object({
  message: describe(z.string(), "Id of the message, or words of its subject."),
});
type Input = z.output<typeof Input>;

/** Longest text that is shown and given to a model, in characters. */
const LONGEST = 12_000;

/** Source: Gmail API v1, GET /gmail/v1/users/{userId}/messages/{id}. */
export const readMessage = defineTool({
  name: "gmail.read_message",
  description: "Read one e-mail in Gmail: who wrote it, to whom, its text and the names of its attachments.",
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
  summary: ({ message }: Input) => `Read the e-mail ${cell(message)}`,
  async run(input, context) {
    const { id } = await messageOf(context, input.message);
    const message = await messageById(context, id, "full");
    const whole = bodyText(message);
    const body = excerpt(whole, LONGEST);
    const attachments = attachmentsOf(message);
    const url = threadUrl(message.threadId, context);
    const { excerpt: _shorter, ...rest } = messageData(message, context);
    const data = { ...rest, cc: header(message, "Cc"), text: body, attachments };
    return { data, text: `${messageText(message, body)}\n\n${url}`, url };
  },
});

function messageText(message: Message, body: string): string {
  const attachments = attachmentsOf(message).map(({ name, bytes }) => `${name} (${bytes} bytes)`);
  const facts: [string, string][] = [
    ["From", header(message, "From")],
    ["To", header(message, "To")],
    ["Cc", header(message, "Cc")],
    ["Date", dateOf(message)],
    ["Attachments", attachments.join(", ")],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`- ${name}: ${cell(value)}`] : []));
  return [`**${cell(subjectOf(message))}**`, lines.join("\n"), body || "It has no text."].join("\n\n");
}
