import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { Attachments, formatAttachments, loadAttachments } from "../attachments.ts";
import { getOwnAddress } from "../google/oauth.ts";
import { escapeCell, quoteText, toOneLine } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { formatRecipients, hasManyRecipients, listDestinations, parseRecipients } from "./addresses.ts";
import { buildMailUrl, buildThreadUrl, MESSAGES_PATH } from "./message.ts";
import { buildMailRequest } from "./mime.ts";

const SendInput = z.object({
  to: withDescription(
    z.string(),
    'Email addresses of the recipients, such as sam@example.com, separated by commas. "me" is the user.',
  ),
  subject: withDescription(z.optional(z.string()), "The subject."),
  body: withDescription(z.string(), "The text of the message."),
  cc: withDescription(z.optional(z.string()), "Email addresses for a copy (Cc), such as sam@example.com."),
  bcc: withDescription(z.optional(z.string()), "Email addresses for a hidden copy (Bcc), such as sam@example.com."),
  attachments: withDescription(z.optional(Attachments), "Names of files that the user attached in this conversation."),
});

type SendInput = z.output<typeof SendInput>;

export const SentMessage = z.looseObject({ id: z.string(), threadId: z.string() });

/** Source: Gmail API v1, POST /gmail/v1/users/{userId}/messages/send. */
export const sendMessageTool = defineTool({
  name: "gmail.send_message",
  description: "Send an email with Gmail.",
  access: "write",
  input: SendInput,
  takesAttachments: true,
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
    "send an email to {to} with {body}",
    "put {body} in an email to {to}",
    "mail {body} to {to}",
    "send {to} {body} by email",
    "send an email to {to} with {attachments}: {body}",
    "email {attachments} to {to}: {body}",
  ],
  summary: describeMail("Send an email"),
  resource: ({ to, cc, bcc }) => formatPlace("to", formatRecipients([to, cc, bcc])),
  destinations: ({ to, cc, bcc }) => listDestinations([to, cc, bcc]),
  chooseMode: ({ to, cc, bcc }) => (hasManyRecipients([to, cc, bcc]) ? "confirm_before_execution" : undefined),
  async run(input, context) {
    const outgoing = toOutgoingMail(input, context);
    if (outgoing.to.length + outgoing.cc.length + outgoing.bcc.length === 0) {
      throw new Problem("INVALID_REQUEST", "A recipient is required.", { details: { field: "to" } });
    }
    const mail = { ...outgoing, attachments: await loadAttachments(context, input.attachments) };
    const sentMessage = await context.http.request(buildMailRequest(`${MESSAGES_PATH}/send`, mail, SentMessage));
    const url = buildThreadUrl(sentMessage.threadId, context);
    const to = outgoing.to.map(({ address }) => address);
    const data = { id: sentMessage.id, thread: sentMessage.threadId, to, subject: outgoing.subject, url };
    return { data, text: `Sent to ${escapeCell(to.join(", "))}.\n\n${url}`, url };
  },
});

/** Describes a mail and all its recipients in one line, for approvals. */
function describeMail(verb: string): (input: Pick<SendInput, "body"> & Partial<SendInput>) => string {
  return ({ to, cc, bcc, subject, body, attachments = [] }) => {
    const people = [
      to?.trim() ? ` to ${toOneLine(to)}` : "",
      cc?.trim() ? `, copy to ${toOneLine(cc)}` : "",
      bcc?.trim() ? `, hidden copy to ${toOneLine(bcc)}` : "",
    ].join("");
    const files = attachments.length > 0 ? `, with ${formatAttachments(attachments)}` : "";
    return `${verb}${people}: “${toOneLine(subject ?? "") || "(no subject)"}” – ${quoteText(body, 300)}${files}`;
  };
}

/** Builds the message from the input. @throws Problem INVALID_REQUEST */
function toOutgoingMail(
  input: { to?: string; subject?: string; body: string; cc?: string; bcc?: string },
  { metadata }: Pick<ToolContext, "metadata">,
) {
  return {
    to: parseRecipients(input.to, "to", getOwnAddress(metadata)),
    cc: parseRecipients(input.cc, "cc"),
    bcc: parseRecipients(input.bcc, "bcc"),
    subject: input.subject ?? "",
    body: input.body,
  };
}

const DraftInput = z.object({
  to: withDescription(
    z.optional(z.string()),
    'Email addresses of the recipients, such as sam@example.com, separated by commas. "me" is the user.',
  ),
  subject: withDescription(z.optional(z.string()), "The subject."),
  body: withDescription(z.string(), "The text of the message."),
  cc: withDescription(z.optional(z.string()), "Email addresses for a copy (Cc), such as sam@example.com."),
  bcc: withDescription(z.optional(z.string()), "Email addresses for a hidden copy (Bcc), such as sam@example.com."),
  attachments: withDescription(z.optional(Attachments), "Names of files that the user attached in this conversation."),
});

const Draft = z.looseObject({ id: z.string(), message: z.nullish(SentMessage) });

/** Source: Gmail API v1, POST /gmail/v1/users/{userId}/drafts. */
export const createDraftTool = defineTool({
  name: "gmail.create_draft",
  description: "Create an email draft in Gmail without sending it.",
  access: "write",
  input: DraftInput,
  takesAttachments: true,
  examples: [
    "draft an email to {to}: {body}",
    "draft an email to {to} saying {body}",
    "create a draft to {to}: {body}",
    "put {body} in a draft to {to} with subject {subject}",
    "write a draft to {to} about {subject}: {body}",
    "draft a mail to {to} with subject {subject}: {body}",
    "draft an email to {to} with {attachments}: {body}",
  ],
  summary: (input) => describeMail("Write a draft")(input),
  mode: "confirm_after_execution",
  resource: ({ to, cc, bcc }) => formatPlace("to", formatRecipients([to, cc, bcc])),
  destinations: ({ to, cc, bcc }) => listDestinations([to, cc, bcc]),
  async run(input, context) {
    const mail = { ...toOutgoingMail(input, context), attachments: await loadAttachments(context, input.attachments) };
    const request = buildMailRequest("/gmail/v1/users/me/drafts", mail, Draft, (message) => ({ message }));
    const draft = await context.http.request(request);
    const url = buildMailUrl("drafts", context);
    const data = { id: draft.id, message: draft.message?.id, url };
    const subject = input.subject?.trim() ? ` “${escapeCell(input.subject)}”` : "";
    return { data, text: `The draft${subject} is in Gmail; nothing was sent.\n\n${url}`, url };
  },
});
