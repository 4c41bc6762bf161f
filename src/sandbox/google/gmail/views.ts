import type { Message } from "../state.ts";

type Header = { name: string; value: string };

/** Returns a message as `users.messages.get` does, in one of its formats. */
export function toMessageView(message: Message, format: string, headerNames: string[]) {
  const { id, threadId, labelIds, date, text, html } = message;
  const body = text === "" ? html.replace(/<[^>]*>/g, " ") : text;
  const snippet = body.replace(/\s+/g, " ").trim().slice(0, 180);
  const view = {
    id,
    threadId,
    labelIds,
    snippet: snippet.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark),
    historyId: "1000",
    internalDate: String(Date.parse(date)),
    sizeEstimate: Buffer.byteLength(text) + Buffer.byteLength(html) + 600,
  };
  if (format === "minimal") return view;
  const headers = getHeaders(message);
  if (format === "metadata") {
    const names = headerNames.map((name) => name.toLowerCase());
    const shownHeaders =
      names.length === 0 ? headers : headers.filter(({ name }) => names.includes(name.toLowerCase()));
    return { ...view, payload: { partId: "", mimeType: "text/plain", headers: shownHeaders } };
  }
  return { ...view, payload: { ...getContent(message), headers: [...headers, ...getContent(message).headers] } };
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function getHeaders(message: Message): Header[] {
  const all: [string, string][] = [
    ["From", message.from],
    ["To", message.to],
    ["Cc", message.cc],
    ["Subject", message.subject],
    ["Date", new Date(message.date).toUTCString().replace("GMT", "+0000")],
    ["Message-ID", message.messageId],
    ["In-Reply-To", message.inReplyTo],
    ["References", message.references],
  ];
  return all.filter(([, value]) => value !== "").map(([name, value]) => ({ name, value }));
}

type Part = {
  partId: string;
  mimeType: string;
  filename: string;
  headers: Header[];
  body: { size: number; data?: string; attachmentId?: string };
  parts?: Part[];
};

function getContent({ text, html, attachments }: Message): Part {
  const bodies = [
    ...(text === "" && html !== "" ? [] : [createTextPart("text/plain", text)]),
    ...(html === "" ? [] : [createTextPart("text/html", html)]),
  ];
  const [first, ...others] = bodies;
  const body = first && others.length === 0 ? first : createContainer("multipart/alternative", bodies);
  if (attachments.length === 0) return body;
  const files = attachments.map(({ filename, mimeType, size }, index) => ({
    partId: String(index + 1),
    mimeType,
    filename,
    headers: [{ name: "Content-Disposition", value: `attachment; filename="${filename}"` }],
    body: { size, attachmentId: `attachment-${index + 1}` },
  }));
  return createContainer("multipart/mixed", [{ ...body, partId: "0" }, ...files]);
}

function createTextPart(mimeType: string, content: string): Part {
  const bytes = Buffer.from(content.replace(/\r?\n/g, "\r\n"));
  return {
    partId: "",
    mimeType,
    filename: "",
    headers: [{ name: "Content-Type", value: `${mimeType}; charset="UTF-8"` }],
    body: { size: bytes.length, data: bytes.toString("base64url") },
  };
}

function createContainer(mimeType: string, parts: Part[]): Part {
  const numbered = parts.map((part, index) => ({ ...part, partId: String(index) }));
  const headers = [{ name: "Content-Type", value: `${mimeType}; boundary="b"` }];
  return { partId: "", mimeType, filename: "", headers, body: { size: 0 }, parts: numbered };
}
