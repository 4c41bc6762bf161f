import * as z from "zod/mini";
import { Attachments, loadAttachments } from "../attachments.ts";
import { escapeCell } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { formatRecipients, listDestinations } from "./addresses.ts";
import { buildMailUrl } from "./message.ts";
import { buildMailRequest } from "./mime.ts";
import { describeMail, SentMessage, toOutgoingMail } from "./send.ts";

const Input = z.object({
  to: withDescription(
    z.optional(z.string()),
    "Email addresses of the recipients, such as sam@example.com, separated by commas.",
  ),
  subject: withDescription(z.optional(z.string()), "The subject."),
  body: withDescription(z.string(), "The text of the message."),
  cc: withDescription(z.optional(z.string()), "Email addresses for a copy (Cc), such as sam@example.com."),
  bcc: withDescription(z.optional(z.string()), "Email addresses for a hidden copy (Bcc), such as sam@example.com."),
  attachments: withDescription(z.optional(Attachments), "Names of files that the user attached in this conversation."),
});
type Input = z.output<typeof Input>;

const Draft = z.looseObject({ id: z.string(), message: z.nullish(SentMessage) });

/** Source: Gmail API v1, POST /gmail/v1/users/{userId}/drafts. */
export const createDraftTool = defineTool({
  name: "gmail.create_draft",
  description: "Create an email draft in Gmail without sending it.",
  access: "write",
  input: Input,
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
  summary: (input: Input) => describeMail("Write a draft")(input),
  mode: "confirm_after_execution",
  resource: ({ to, cc, bcc }: Input) => formatPlace("to", formatRecipients([to, cc, bcc])),
  destinations: ({ to, cc, bcc }: Input) => listDestinations([to, cc, bcc]),
  async run(input, context) {
    const mail = { ...toOutgoingMail(input), attachments: await loadAttachments(context, input.attachments) };
    const request = buildMailRequest("/gmail/v1/users/me/drafts", mail, Draft, (message) => ({ message }));
    const draft = await context.http.request(request);
    const url = buildMailUrl("drafts", context);
    const data = { id: draft.id, message: draft.message?.id, url };
    const subject = input.subject?.trim() ? ` “${escapeCell(input.subject)}”` : "";
    return { data, text: `The draft${subject} is in Gmail; nothing was sent.\n\n${url}`, url };
  },
});
