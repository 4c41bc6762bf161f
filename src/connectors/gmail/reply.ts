import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { Attachments, formatAttachments, loadAttachments } from "../attachments.ts";
import { getOwnAddress } from "../google/oauth.ts";
import { escapeCell, quoteText, toOneLine } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { type Mailbox, parseMailboxes, parseRecipients } from "./addresses.ts";
import { findMessage } from "./find.ts";
import { buildThreadUrl, describeMessage, getHeader, getSubject, MESSAGES_PATH, type Message } from "./message.ts";
import { buildMailRequest } from "./mime.ts";
import { SentMessage } from "./send.ts";

const Input = z.object({
  message: withDescription(z.string(), "ID of the message to answer, or its subject."),
  body: withDescription(z.string(), "Text of the reply."),
  all: withDescription(z.optional(z.boolean()), "Whether to reply to all recipients instead of only the sender."),
  attachments: withDescription(z.optional(Attachments), "Names of files that the user attached in this conversation."),
});

/**
 * Source: Gmail API v1, POST …/messages/send with the thread's ID and the headers that keep the conversation together
 * (RFC 5322 section 3.6.4).
 */
export const replyTool = defineTool({
  name: "gmail.reply",
  description: "Reply to an email in Gmail.",
  access: "write",
  input: Input,
  takesAttachments: true,
  examples: [
    "reply to the email {message}: {body}",
    "reply to {message}: {body}",
    "reply to the email {message} saying {body}",
    "answer the email {message}: {body}",
    "respond to the email {message} that {body}",
    "reply to the email {message} with {attachments}: {body}",
  ],
  summary: ({ message, body, all, attachments = [] }) => {
    const files = attachments.length > 0 ? `, with ${formatAttachments(attachments)}` : "";
    return `Reply to ${all ? "everyone on" : "the sender of"} the email ${toOneLine(message)}: ${quoteText(body, 300)}${files}`;
  },
  chooseMode: ({ all }) => (all ? "confirm_before_execution" : undefined),
  async describeTarget({ message, all }, context) {
    const original = await findMessage(context, message, "change");
    const { to, cc } = getReplyRecipients(original, getOwnAddress(context.metadata), all === true);
    const addresses = [...to, ...cc].map(({ address }) => address);
    return `${describeMessage(original)}; the reply goes to ${addresses.join(", ") || "nobody"}`;
  },
  async run(input, context) {
    const original = await findMessage(context, input.message, "change");
    const { to, cc } = getReplyRecipients(original, getOwnAddress(context.metadata), input.all === true);
    if (to.length === 0) {
      throw new Problem("INVALID_REQUEST", "The message has no address to reply to.", {
        details: { field: "message" },
      });
    }
    const subject = getHeader(original, "Subject");
    const id = getHeader(original, "Message-ID");
    const mail = {
      to,
      cc,
      subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`.trim(),
      body: input.body,
      inReplyTo: id,
      references: `${getHeader(original, "References")} ${id}`,
      attachments: await loadAttachments(context, input.attachments),
    };
    const addThread = (message: Record<string, unknown>) => ({ ...message, threadId: original.threadId });
    const sentMessage = await context.http.request(
      buildMailRequest(`${MESSAGES_PATH}/send`, mail, SentMessage, addThread),
    );
    const people = [...to, ...cc].map(({ address }) => address);
    const url = buildThreadUrl(sentMessage.threadId, context);
    const data = { id: sentMessage.id, thread: sentMessage.threadId, to: people, subject: getSubject(original), url };
    return {
      data,
      text: `Replied to ${escapeCell(people.join(", "))} about “${escapeCell(getSubject(original))}”.\n\n${url}`,
      url,
    };
  },
});

/**
 * Returns the recipients of a reply: the sender, or the original recipients if the user sent the message. The user's
 * own address is excluded.
 */
function getReplyRecipients(message: Message, ownAddress: string, all: boolean): { to: Mailbox[]; cc: Mailbox[] } {
  const isOwn = ({ address }: Mailbox) => address.toLowerCase() === ownAddress.toLowerCase();
  const from = parseMailboxes(getHeader(message, "From"));
  const mine = ownAddress !== "" && from.some(isOwn);
  const replyTo = getHeader(message, "Reply-To");
  const to = mine ? parseMailboxes(getHeader(message, "To")) : replyTo ? parseMailboxes(replyTo) : from;
  const others = all ? parseMailboxes(`${mine ? "" : getHeader(message, "To")}, ${getHeader(message, "Cc")}`) : [];
  const seenAddresses = new Set(mine ? [] : [ownAddress.toLowerCase()]);
  const dropSeen = (list: Mailbox[]) =>
    filterSendable(list).filter(
      ({ address }) => !seenAddresses.has(address.toLowerCase()) && seenAddresses.add(address.toLowerCase()),
    );
  return { to: dropSeen(to), cc: dropSeen(others) };
}

/** Keeps the addresses that mail can be sent to. Groups are omitted. */
function filterSendable(list: Mailbox[]): Mailbox[] {
  return list.flatMap(({ name, address }) => {
    try {
      return parseRecipients(`<${address}>`, "message").map((recipient) => ({ ...recipient, name }));
    } catch {
      return [];
    }
  });
}
