import * as z from "zod/mini";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { findMessage } from "./find.ts";
import { buildThreadUrl, describeMessage, formatMessageLine, GMAIL_SCOPE, toMessageData } from "./message.ts";

const Input = z.object({
  message: withDescription(z.string(), "ID of a message in the conversation, or its subject."),
});
type Input = z.output<typeof Input>;

/** Source: Gmail API v1, POST /gmail/v1/users/{userId}/threads/{id}/modify. */
export const archiveTool = defineTool({
  name: "gmail.archive",
  description: "Archive an email conversation in Gmail. It leaves the inbox and stays in All Mail.",
  access: "write",
  input: Input,
  examples: [
    "archive the email {message}",
    "archive {message}",
    "archive the message {message}",
    "move the email {message} out of my inbox",
  ],
  summary: ({ message }: Input) => `Archive the conversation of the email ${escapeCell(message)}`,
  describeTarget: async ({ message }, context) => describeMessage(await findMessage(context, message, "change")),
  async run(input, context) {
    const message = await findMessage(context, input.message, "change");
    await context.http.request({
      method: "POST",
      path: `/gmail/v1/users/me/threads/${encodeURIComponent(message.threadId)}/modify`,
      body: { removeLabelIds: ["INBOX"] },
      answer: z.unknown(),
      scope: GMAIL_SCOPE,
    });
    const url = buildThreadUrl(message.threadId, context);
    const { id, thread, from, subject } = toMessageData(message, context);
    const data = { id, thread, from, subject, archived: true, url };
    return { data, text: `Archived ${formatMessageLine(message)}.\n\n${url}`, url };
  },
});
