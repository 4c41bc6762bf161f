import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell } from "../markdown.ts";
import { placed } from "../resource.ts";
import { defineTool } from "../service.ts";
import { recipientsLine } from "./addresses.ts";
import { GMAIL_SCOPE, mailUrl } from "./message.ts";
import { rawMessage } from "./mime.ts";
import { describeMail, outgoingOf, Sent } from "./send.ts";

const Input = z.object({
  to: describe(
    z.optional(z.string()),
    "E-mail addresses of the people it is to go to, such as sam@example.com, with commas between.",
  ),
  subject: describe(z.optional(z.string()), "Its subject."),
  body: describe(z.string(), "The text of the message."),
  cc: describe(z.optional(z.string()), "E-mail addresses of people who are to get a copy, such as sam@example.com."),
  bcc: describe(
    z.optional(z.string()),
    "E-mail addresses of people who are to get a copy that the others do not see, such as sam@example.com.",
  ),
});
type Input = z.output<typeof Input>;

const Draft = z.looseObject({ id: z.string(), message: z.nullish(Sent) });

/** Source: Gmail API v1, POST /gmail/v1/users/{userId}/drafts. */
export const createDraft = defineTool({
  name: "gmail.create_draft",
  description: "Write a draft of an e-mail in Gmail, without sending it.",
  access: "write",
  input: Input,
  examples: [
    "draft an email to {to}: {body}",
    "draft an email to {to} saying {body}",
    "create a draft to {to}: {body}",
    "write a draft to {to} about {subject}: {body}",
    "draft a mail to {to} with subject {subject}: {body}",
  ],
  summary: (input: Input) => describeMail("Write a draft")(input),
  mode: "confirm_after_execution",
  resource: ({ to, cc, bcc }: Input) => placed("to", recipientsLine([to, cc, bcc])),
  async run(input, context) {
    const draft = await context.http.request({
      method: "POST",
      path: "/gmail/v1/users/me/drafts",
      body: { message: { raw: rawMessage(outgoingOf(input)) } },
      answer: Draft,
      scope: GMAIL_SCOPE,
    });
    const url = mailUrl("drafts", context);
    const data = { id: draft.id, message: draft.message?.id, url };
    const subject = input.subject?.trim() ? ` “${cell(input.subject)}”` : "";
    return { data, text: `The draft${subject} is in Gmail; nothing was sent.\n\n${url}`, url };
  },
});
