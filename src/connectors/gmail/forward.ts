import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell, quoteText, toOneLine } from "../markup/markdown.ts";
import { formatPlace, narrowPlace, quoteName } from "../place.ts";
import { defineTool, type FileContent, type ToolContext, withDescription } from "../tool.ts";
import { formatRecipients, hasManyRecipients, listDestinations, parseRecipients } from "./addresses.ts";
import { fetchMessage, findMessage } from "./find.ts";
import {
  buildThreadUrl,
  describeMessage,
  getDate,
  getHeader,
  getSubject,
  MESSAGES_PATH,
  type Message,
} from "./message.ts";
import { buildMailRequest } from "./mime.ts";
import { getPartName, type Part, type PartTree, sortParts } from "./part.ts";
import { fetchPart, readContent } from "./read.ts";
import { SentMessage } from "./send.ts";

const Input = z.object({
  message: withDescription(z.string(), "ID of the message to forward, or its subject."),
  to: withDescription(z.string(), "Email addresses of the recipients, such as sam@example.com, separated by commas."),
  body: withDescription(z.optional(z.string()), "Text above the forwarded message."),
});

/** Gmail sends at most 25 MB, encoded; these are bytes of files before their encoding. */
const MAX_FILE_BYTES = 18_000_000;

/**
 * Forwards a message with its text and files. Gmail's API has no such request, so it is a new message, as Gmail's own
 * page writes it. Source: Gmail API v1, GET …/messages/{id}, …/attachments/{id} and POST …/messages/send.
 */
export const forwardTool = defineTool({
  name: "gmail.forward",
  description: "Forward an email in Gmail to other people, with its text and its files.",
  access: "write",
  input: Input,
  examples: [
    "forward the email {message} to {to}",
    "forward {message} to {to}",
    "forward the email {message} to {to}: {body}",
    "forward the email {message} to {to} saying {body}",
    "forward the message {message} to {to} with the note {body}",
  ],
  summary: ({ message, to, body }) => {
    const note = body?.trim() ? `: ${quoteText(body, 300)}` : "";
    return `Forward the email ${escapeCell(message)} to ${toOneLine(to)}${note}`;
  },
  resource: ({ message, to }) => narrowPlace(formatPlace("to", formatRecipients([to])), quoteName(message)),
  placeIsTarget: true,
  destinations: ({ to }) => listDestinations([to]),
  chooseMode: ({ to }) => (hasManyRecipients([to]) ? "confirm_before_execution" : undefined),
  async describeTarget({ message }, context) {
    const original = await readOriginal(context, message);
    const names = listFiles(sortParts(original.payload ?? {})).map((part) => `“${toOneLine(getPartName(part))}”`);
    return `${describeMessage(original)}${names.length > 0 ? `, with ${names.join(", ")}` : ""}`;
  },
  async run(input, context) {
    const to = parseRecipients(input.to, "to");
    if (to.length === 0) {
      throw new Problem("INVALID_REQUEST", "A recipient is required.", { details: { field: "to" } });
    }
    const original = await readOriginal(context, input.message);
    const attachments = await fetchFiles(context, original);
    const subject = getHeader(original, "Subject");
    const mail = {
      to,
      subject: /^fwd?:/i.test(subject) ? subject : `Fwd: ${subject}`.trim(),
      body: formatBody(input.body ?? "", original, (await readContent(context, original)).text),
      attachments,
    };
    const sentMessage = await context.http.request(buildMailRequest(`${MESSAGES_PATH}/send`, mail, SentMessage));
    const people = to.map(({ address }) => address);
    const url = buildThreadUrl(sentMessage.threadId, context);
    const files = attachments.map(({ name }) => name);
    const data = { id: sentMessage.id, thread: sentMessage.threadId, to: people, subject: mail.subject, files, url };
    const text = `Forwarded “${escapeCell(getSubject(original))}” to ${escapeCell(people.join(", "))}.\n\n${url}`;
    return { data, text, url };
  },
});

async function readOriginal(context: ToolContext, text: string): Promise<Message> {
  return await fetchMessage(context, (await findMessage(context, text, "change")).id, "full");
}

function formatBody(note: string, message: Message, text: string): string {
  const headers = ["From", "Date", "Subject", "To", "Cc"].flatMap((name) => {
    const value = name === "Date" ? getDate(message) : getHeader(message, name);
    return value ? [`${name}: ${value}`] : [];
  });
  const forwarded = ["---------- Forwarded message ---------", ...headers, "", text].join("\n");
  return note.trim() ? `${note.trim()}\n\n${forwarded}` : forwarded;
}

/** Lists the files of a message and of the messages attached to it. */
function listFiles({ files, mails }: PartTree): Part[] {
  return [...files, ...mails.flatMap(({ inner }) => listFiles(inner))];
}

async function fetchFiles(context: ToolContext, { id, payload }: Message): Promise<FileContent[]> {
  const parts = listFiles(sortParts(payload ?? {}));
  if (parts.reduce((sum, { body }) => sum + (body?.size ?? 0), 0) > MAX_FILE_BYTES) {
    throw new Problem("INVALID_REQUEST", "The files of this message are larger than Gmail sends with one message.", {
      hint: "Forward it in Gmail, which links to large files.",
      details: { field: "message" },
    });
  }
  const files: FileContent[] = [];
  for (const part of parts) {
    const { data, attachmentId } = part.body ?? {};
    const content = attachmentId && !data ? await fetchPart(context, id, attachmentId) : (data ?? "");
    const type = /^[\w.+-]+\/[\w.+-]+$/.test(part.mimeType ?? "") ? part.mimeType : undefined;
    files.push({
      name: getPartName(part),
      type: type ?? "application/octet-stream",
      bytes: Buffer.from(content, "base64url"),
    });
  }
  return files;
}
