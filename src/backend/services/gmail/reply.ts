import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describe } from "../fields.ts";
import { ownAddress } from "../google.ts";
import { cell, excerpt } from "../markdown.ts";
import { defineTool } from "../service.ts";
import { type Mailbox, mailboxesIn, recipients } from "./addresses.ts";
import { messageOf } from "./find.ts";
import { GMAIL_SCOPE, header, MESSAGES_PATH, type Message, subjectOf, threadUrl } from "./message.ts";
import { rawMessage } from "./mime.ts";
import { Sent } from "./send.ts";

const Input = z.object({
  message: describe(z.string(), "Id of the message to answer, or words of its subject."),
  body: describe(z.string(), "The text of the answer."),
  all: describe(
    z.optional(z.boolean()),
    "Whether it goes to everybody who got the message, and not to its sender alone.",
  ),
});
type Input = z.output<typeof Input>;

/** Source: Gmail API v1, POST …/messages/send with the thread's id, and the headers that keep the conversation together (RFC 5322 3.6.4). */
export const reply = defineTool({
  name: "gmail.reply",
  description: "Reply to an e-mail in Gmail.",
  access: "write",
  input: Input,
  examples: [
    "reply to the email {message}: {body}",
    "reply to {message}: {body}",
    "reply to the email {message} saying {body}",
    "answer the email {message}: {body}",
    "respond to the email {message} that {body}",
  ],
  summary: ({ message, body, all }: Input) =>
    `Reply to ${all ? "everybody on" : "the sender of"} the e-mail ${cell(message)}: “${excerpt(cell(body), 300)}”`,
  modeOf: ({ all }: Input) => (all ? "confirm_before_execution" : undefined),
  async run(input, context) {
    const original = await messageOf(context, input.message);
    const { to, cc } = answerTo(original, ownAddress(context.metadata), input.all === true);
    if (to.length === 0) {
      throw new Problem("INVALID_REQUEST", "The message names nobody to answer to.", { details: { field: "message" } });
    }
    const subject = header(original, "Subject");
    const id = header(original, "Message-ID");
    const raw = rawMessage({
      to,
      cc,
      subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`.trim(),
      body: input.body,
      inReplyTo: id,
      references: `${header(original, "References")} ${id}`,
    });
    const sent = await context.http.request({
      method: "POST",
      path: `${MESSAGES_PATH}/send`,
      body: { raw, threadId: original.threadId },
      answer: Sent,
      scope: GMAIL_SCOPE,
    });
    const people = [...to, ...cc].map(({ address }) => address);
    const url = threadUrl(sent.threadId, context);
    const data = { id: sent.id, thread: sent.threadId, to: people, subject: subjectOf(original), url };
    return { data, text: `Replied to ${cell(people.join(", "))} about “${cell(subjectOf(original))}”.\n\n${url}`, url };
  },
});

/** Whom an answer goes to: who wrote, or whoever they wrote to when that was the person; never the person's own address. */
function answerTo(message: Message, own: string, all: boolean): { to: Mailbox[]; cc: Mailbox[] } {
  const isOwn = ({ address }: Mailbox) => address.toLowerCase() === own.toLowerCase();
  const from = mailboxesIn(header(message, "From"));
  const mine = own !== "" && from.some(isOwn);
  const named = header(message, "Reply-To");
  const to = mine ? mailboxesIn(header(message, "To")) : named ? mailboxesIn(named) : from;
  const others = all ? mailboxesIn(`${mine ? "" : header(message, "To")}, ${header(message, "Cc")}`) : [];
  const seen = new Set(mine ? [] : [own.toLowerCase()]);
  const once = (list: Mailbox[]) =>
    checked(list).filter(({ address }) => !seen.has(address.toLowerCase()) && seen.add(address.toLowerCase()));
  return { to: once(to), cc: once(others) };
}

/** Addresses that mail can go to; groups and the like are left out. */
function checked(list: Mailbox[]): Mailbox[] {
  return list.flatMap(({ name, address }) => {
    try {
      return recipients(`<${address}>`, "message").map((one) => ({ ...one, name }));
    } catch {
      return [];
    }
  });
}
