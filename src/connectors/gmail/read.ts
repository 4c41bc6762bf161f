import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell, truncateText } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { fetchMessage, findMessage } from "./find.ts";
import {
  buildThreadUrl,
  GMAIL_SCOPE,
  getDate,
  getHeader,
  getSubject,
  MESSAGES_PATH,
  type Message,
  toMessageData,
} from "./message.ts";
import { getMailHeader, getPartName, getText, isSeparate, type Part, type PartTree, sortParts } from "./part.ts";

const ReadInput = z.object({
  message: withDescription(z.string(), "ID of the message, or words from its subject."),
});

/** Longest text shown to the user and the model, in characters. */
const MAX_TEXT_LENGTH = 12_000;

/** Source: Gmail API v1, GET /gmail/v1/users/{userId}/messages/{id}. */
export const readMessageTool = defineTool({
  name: "gmail.read_message",
  description: "Read one email in Gmail: its sender, recipients, text and the names of its attachments.",
  access: "read",
  input: ReadInput,
  examples: [
    "read the email {message}",
    "show the email {message}",
    "open the email {message}",
    "read the message {message}",
    "what does the email {message} say",
    "summarise the email {message}",
  ],
  summary: ({ message }) => `Read the email ${escapeCell(message)}`,
  async run(input, context) {
    const { id } = await findMessage(context, input.message, "read");
    const message = await fetchMessage(context, id, "full");
    const { text: fullText, attachments } = await readContent(context, message);
    const body = truncateText(fullText, MAX_TEXT_LENGTH);
    const url = buildThreadUrl(message.threadId, context);
    const { excerpt: _shorter, ...rest } = toMessageData(message, context);
    const data = { ...rest, cc: getHeader(message, "Cc"), text: body, attachments };
    return { data, text: `${formatMessage(message, body, attachments)}\n\n${url}`, url };
  },
});

/** Labels of messages that other mail programs do not show in the inbox. */
const STATES: Record<string, string> = { TRASH: "in the trash", SPAM: "in spam", DRAFT: "draft" };

function formatMessage(message: Message, body: string, files: Attachment[]): string {
  const attachments = files.map(({ name, bytes }) => (bytes > 0 ? `${name} (${bytes} bytes)` : name));
  const facts: [string, string][] = [
    ["State", (message.labelIds ?? []).flatMap((label) => STATES[label] ?? []).join(", ")],
    ["From", getHeader(message, "From")],
    ["To", getHeader(message, "To")],
    ["Cc", getHeader(message, "Cc")],
    ["Date", getDate(message)],
    ["Attachments", attachments.join(", ")],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`- ${name}: ${escapeCell(value)}`] : []));
  const isEncrypted = /^multipart\/encrypted$|pkcs7-mime$/i.test(message.payload?.mimeType ?? "");
  const none = isEncrypted ? "The message is encrypted; kay cannot read its text." : "The message has no text.";
  return [`**${escapeCell(getSubject(message))}**`, lines.join("\n"), body || none].join("\n\n");
}

/** A file or an attached message, by its name. */
type Attachment = { name: string; type: string; bytes: number };

/** The content of a message: its text, with the texts of attached messages below, and everything that is attached. */
export type MailContent = { text: string; attachments: Attachment[] };

const Fetched = z.looseObject({ data: z.string() });

/** Longest text that is fetched, in bytes, and the number of texts. */
const MAX_BYTES = 4_000_000;
const MAX_FETCHED = 5;

type Context = Pick<ToolContext, "http">;
type Budget = { left: number };

/** Reads the content of a message. Gmail delivers long texts separately, as it does files. */
export async function readContent(context: Context, { id, payload }: Message): Promise<MailContent> {
  if (!payload) return { text: "", attachments: [] };
  return readTree(context, id, sortParts(payload), { left: MAX_FETCHED });
}

async function readTree(context: Context, id: string, tree: PartTree, budget: Budget): Promise<MailContent> {
  const parts = [await readTexts(context, id, tree.texts, budget)];
  const attachments = tree.files.map(toAttachment);
  for (const { part, inner } of tree.mails) {
    const content = await readTree(context, id, inner, budget);
    parts.push(`${formatMailHead(part)}\n\n${content.text}`.trim());
    attachments.push(toAttachment(part), ...content.attachments);
  }
  return { text: parts.filter(Boolean).join("\n\n"), attachments };
}

async function readTexts(context: Context, id: string, texts: Part[], budget: Budget): Promise<string> {
  const parts: Part[] = [];
  let missingCount = 0;
  for (const part of texts) {
    const { attachmentId, size } = part.body ?? {};
    if (!isSeparate(part) || !attachmentId) {
      parts.push(part);
      continue;
    }
    const data = (size ?? 0) <= MAX_BYTES && budget.left-- > 0 ? await fetchText(context, id, attachmentId) : "";
    if (data) parts.push({ ...part, body: { ...part.body, data } });
    else missingCount++;
  }
  return joinNote(getText(parts), missingCount);
}

/** Fetches a part that Gmail delivers separately, in base64url. Source: Gmail API v1, GET …/messages/{messageId}/attachments/{id}. */
export async function fetchPart({ http }: Context, id: string, attachment: string): Promise<string> {
  const path = `${MESSAGES_PATH}/${encodeURIComponent(id)}/attachments/${encodeURIComponent(attachment)}`;
  return (await http.request({ path, answer: Fetched, scope: GMAIL_SCOPE })).data;
}

async function fetchText(context: Context, id: string, attachment: string): Promise<string> {
  try {
    return await fetchPart(context, id, attachment);
  } catch (error) {
    if (error instanceof Problem && error.code === "SERVICE_FAILED") return "";
    throw error;
  }
}

function joinNote(text: string, missingCount: number): string {
  const note = missingCount > 0 ? "(A part of the text is too long to be read here. Open the message in Gmail.)" : "";
  return [text, note].filter(Boolean).join("\n\n");
}

function formatMailHead(part: Part): string {
  const [from, date] = [getMailHeader(part, "From"), getMailHeader(part, "Date")];
  const facts = [from ? `from ${from}` : "", date].filter(Boolean).join(", ");
  const subject = getMailHeader(part, "Subject");
  return `--- Attached message ${getPartName(part)}${subject ? `: ${subject}` : ""}${facts ? ` (${facts})` : ""} ---`;
}

function toAttachment(part: Part): Attachment {
  return { name: getPartName(part), type: part.mimeType ?? "", bytes: part.body?.size ?? 0 };
}
