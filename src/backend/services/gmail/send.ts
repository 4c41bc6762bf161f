import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describe } from "../fields.ts";
import { cell, excerpt } from "../markdown.ts";
import { placed } from "../resource.ts";
import { defineTool } from "../service.ts";
import { isForMany, recipients, recipientsLine } from "./addresses.ts";
import { GMAIL_SCOPE, MESSAGES_PATH, threadUrl } from "./message.ts";
import { rawMessage } from "./mime.ts";

const Input = z.object({
  to: describe(z.string(), "E-mail addresses of the people it goes to, such as sam@example.com, with commas between."),
  subject: describe(z.optional(z.string()), "Its subject."),
  body: describe(z.string(), "The text of the message."),
  cc: describe(z.optional(z.string()), "E-mail addresses of people who get a copy, such as sam@example.com."),
  bcc: describe(
    z.optional(z.string()),
    "E-mail addresses of people who get a copy that the others do not see, such as sam@example.com.",
  ),
});

type Input = z.output<typeof Input>;

export const Sent = z.looseObject({ id: z.string(), threadId: z.string() });

/** Source: Gmail API v1, POST /gmail/v1/users/{userId}/messages/send. */
export const sendMessage = defineTool({
  name: "gmail.send_message",
  description: "Send an e-mail with Gmail.",
  access: "write",
  input: Input,
  examples: [
    "send an email to {to}: {body}",
    "send an email to {to} saying {body}",
    "send an email to {to} with subject {subject}: {body}",
    "send an email to {to} about {subject}: {body}",
    "send {body} to {to}",
    "email {to}: {body}",
    "email {to} that {body}",
    "send a mail to {to} saying {body}",
    "write an email to {to}: {body}",
  ],
  summary: describeMail("Send an e-mail"),
  resource: ({ to, cc, bcc }: Input) => placed("to", recipientsLine([to, cc, bcc])),
  modeOf: ({ to, cc, bcc }: Input) => (isForMany([to, cc, bcc]) ? "confirm_before_execution" : undefined),
  async run(input, context) {
    const outgoing = outgoingOf(input);
    if (outgoing.to.length + outgoing.cc.length + outgoing.bcc.length === 0) {
      throw new Problem("INVALID_REQUEST", "Nobody is named to send it to.", { details: { field: "to" } });
    }
    const sent = await context.http.request({
      method: "POST",
      path: `${MESSAGES_PATH}/send`,
      body: { raw: rawMessage(outgoing) },
      answer: Sent,
      scope: GMAIL_SCOPE,
    });
    const url = threadUrl(sent.threadId, context);
    const to = outgoing.to.map(({ address }) => address);
    const data = { id: sent.id, thread: sent.threadId, to, subject: outgoing.subject, url };
    return { data, text: `Sent to ${cell(to.join(", "))}.\n\n${url}`, url };
  },
});

/** What a mail says and to whom, in one line for an approval; all its recipients, whoever they are. */
export function describeMail(
  verb: string,
): (input: { to?: string; subject?: string; body: string; cc?: string; bcc?: string }) => string {
  return ({ to, cc, bcc, subject, body }) => {
    const people = [
      to?.trim() ? ` to ${cell(to)}` : "",
      cc?.trim() ? `, copy to ${cell(cc)}` : "",
      bcc?.trim() ? `, hidden copy to ${cell(bcc)}` : "",
    ].join("");
    return `${verb}${people}: “${cell(subject ?? "") || "(no subject)"}” – “${excerpt(cell(body), 300)}”`;
  };
}

/** The message that an input asks for. @throws Problem INVALID_REQUEST */
export function outgoingOf(input: { to?: string; subject?: string; body: string; cc?: string; bcc?: string }) {
  return {
    to: recipients(input.to, "to"),
    cc: recipients(input.cc, "cc"),
    bcc: recipients(input.bcc, "bcc"),
    subject: input.subject ?? "",
    body: input.body,
  };
}
