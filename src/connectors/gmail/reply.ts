import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { getOwnAddress } from "../google/oauth.ts";
import { escapeCell, truncateText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../service.ts";
import { type Mailbox, parseMailboxes, parseRecipients } from "./addresses.ts";
import { findMessage } from "./find.ts";
import { buildThreadUrl, GMAIL_SCOPE, getHeader, getSubject, MESSAGES_PATH, type Message } from "./message.ts";
import { encodeMessage } from "./mime.ts";
import { SentMessage } from "./send.ts";

const Input = z.object({
  message: withDescription(z.string(), "Id of the message to answer, or words of its subject."),
  body: withDescription(z.string(), "The text of the answer."),
  all: withDescription(
    z.optional(z.boolean()),
    "Whether it goes to everybody who got the message, and not to its sender alone.",
  ),
});
type Input = z.output<typeof Input>;

/** Source: Gmail API v1, POST …/messages/send with the thread's id, and the headers that keep the conversation together (RFC 5322 3.6.4). */
export const replyTool = defineTool({
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
    `Reply to ${all ? "everybody on" : "the sender of"} the e-mail ${escapeCell(message)}: “${truncateText(escapeCell(body), 300)}”`,
  modeOf: ({ all }: Input) => (all ? "confirm_before_execution" : undefined),
  async run(input, context) {
    const original = await findMessage(context, input.message);
    const { to, cc } = answerTo(original, getOwnAddress(context.metadata), input.all === true);
    if (to.length === 0) {
      throw new Problem("INVALID_REQUEST", "The message names nobody to answer to.", { details: { field: "message" } });
    }
    const subject = getHeader(original, "Subject");
    const id = getHeader(original, "Message-ID");
    const raw = encodeMessage({
      to,
      cc,
      subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`.trim(),
      body: input.body,
      inReplyTo: id,
      references: `${getHeader(original, "References")} ${id}`,
    });
    const sent = await context.http.request({
      method: "POST",
      path: `${MESSAGES_PATH}/send`,
      body: { raw, threadId: original.threadId },
      answer: SentMessage,
      scope: GMAIL_SCOPE,
    });
    const people = [...to, ...cc].map(({ address }) => address);
    const url = buildThreadUrl(sent.threadId, context);
    const data = { id: sent.id, thread: sent.threadId, to: people, subject: getSubject(original), url };
    return {
      data,
      text: `Replied to ${escapeCell(people.join(", "))} about “${escapeCell(getSubject(original))}”.\n\n${url}`,
      url,
    };
  },
});

/** Whom an answer goes to: who wrote, or whoever they wrote to when that was the person; never the person's own address. */
function answerTo(message: Message, own: string, all: boolean): { to: Mailbox[]; cc: Mailbox[] } {
  const isOwn = ({ address }: Mailbox) => address.toLowerCase() === own.toLowerCase();
  const from = parseMailboxes(getHeader(message, "From"));
  const mine = own !== "" && from.some(isOwn);
  const named = getHeader(message, "Reply-To");
  const to = mine ? parseMailboxes(getHeader(message, "To")) : named ? parseMailboxes(named) : from;
  const others = all ? parseMailboxes(`${mine ? "" : getHeader(message, "To")}, ${getHeader(message, "Cc")}`) : [];
  const seen = new Set(mine ? [] : [own.toLowerCase()]);
  const once = (list: Mailbox[]) =>
    check(list).filter(({ address }) => !seen.has(address.toLowerCase()) && seen.add(address.toLowerCase()));
  return { to: once(to), cc: once(others) };
}

/** Addresses that mail can go to; groups and the like are left out. */
function check(list: Mailbox[]): Mailbox[] {
  return list.flatMap(({ name, address }) => {
    try {
      return parseRecipients(`<${address}>`, "message").map((one) => ({ ...one, name }));
    } catch {
      return [];
    }
  });
}
