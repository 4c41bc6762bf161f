import { type Context, Hono, type MiddlewareHandler } from "hono";
import { isRecord, toRecord, tryParseJson } from "#protocol/json";
import type { ProviderContext } from "../../provider.ts";
import { type GoogleEnv, getList, getText, paginate, parseBody, parseError, requireAccess } from "../access.ts";
import { googleError, invalidError, notFoundError } from "../errors.ts";
import type { Account, GoogleState, Message } from "../state.ts";
import { parseMessage } from "./mime.ts";
import { findMail } from "./query.ts";
import { toMessageView } from "./views.ts";

const SYSTEM_LABELS = ["INBOX", "SENT", "DRAFT", "UNREAD", "STARRED", "IMPORTANT", "SPAM", "TRASH"];

/** Gmail API v1 (developers.google.com/workspace/gmail/api/reference/rest), for the account itself only. */
export function registerGmailRoutes(app: Hono<GoogleEnv>, provider: ProviderContext<GoogleState>): void {
  const mail = new Hono<GoogleEnv>();
  mail.use(checkUser);
  mail.get("/profile", requireAccess("mailRead"), (c) => {
    const ownMessages = c.get("world").messages.filter(({ account }) => account === c.get("account").id);
    const threads = new Set(ownMessages.map(({ threadId }) => threadId));
    const { email: emailAddress } = c.get("account");
    return c.json({ emailAddress, messagesTotal: ownMessages.length, threadsTotal: threads.size, historyId: "1000" });
  });
  mail.get("/labels", requireAccess("mailRead"), (c) => {
    const ownLabels = c.get("world").labels.filter(({ account }) => account === c.get("account").id);
    const system = SYSTEM_LABELS.map((id) => ({ id, name: id, type: "system" }));
    return c.json({ labels: [...system, ...ownLabels.map(({ id, name }) => ({ id, name, type: "user" }))] });
  });
  mail.get("/messages", requireAccess("mailRead"), list);
  mail.post("/messages/send", requireAccess("mailSend"), (c) => send(c, provider));
  mail.get("/messages/:id", requireAccess("mailRead"), (c) =>
    c.json(toMessageView(getMessage(c), c.req.query("format") ?? "full", c.req.queries("metadataHeaders") ?? [])),
  );
  // Only the size of a file is stored, so its content is filler.
  mail.get("/messages/:id/attachments/:attachment", requireAccess("mailRead"), (c) => {
    const [, number] = /^attachment-(\d+)$/.exec(c.req.param("attachment")) ?? [];
    const file = getMessage(c).attachments[Number(number) - 1];
    if (!file) throw invalidError("Invalid attachment token");
    return c.json({ size: file.size, data: Buffer.alloc(file.size, "sandbox ").toString("base64url") });
  });
  mail.post("/messages/:id/modify", requireAccess("mailModify"), async (c) => {
    const message = getMessage(c);
    await modify(c, [message], provider);
    return c.json(toMessageView(message, "minimal", []));
  });
  mail.post("/threads/:id/modify", requireAccess("mailModify"), async (c) => {
    const thread = listOwnMessages(c).filter(({ threadId }) => threadId === c.req.param("id"));
    if (thread.length === 0) throw notFoundError();
    await modify(c, thread, provider);
    return c.json({ id: c.req.param("id"), messages: thread.map((message) => toMessageView(message, "minimal", [])) });
  });
  mail.post("/drafts", requireAccess("mailCompose"), (c) => createDraft(c, provider));
  app.route("/gmail/v1/users/:user", mail);
  // A whole message beside its JSON (developers.google.com/workspace/gmail/api/guides/uploads).
  const upload = "/upload/gmail/v1/users/:user";
  app.post(`${upload}/messages/send`, checkUser, requireAccess("mailSend"), (c) => send(c, provider));
  app.post(`${upload}/drafts`, checkUser, requireAccess("mailCompose"), (c) => createDraft(c, provider));
}

const checkUser: MiddlewareHandler<GoogleEnv> = async (c, next) => {
  const { email } = c.get("account");
  const user = c.req.param("user") ?? "";
  if (user !== "me" && user !== email) throw googleError(403, "forbidden", `Delegation denied for ${email}`);
  await next();
};

function list(c: Context<GoogleEnv>) {
  const everywhere = c.req.query("includeSpamTrash") === "true";
  const messages = findMail(c.get("world"), c.get("account").id, c.req.query("q") ?? "", everywhere);
  const labels = c.req.queries("labelIds") ?? [];
  const labeledMessages = messages.filter(({ labelIds }) => labels.every((label) => labelIds.includes(label)));
  const { page, nextPageToken } = paginate(c, labeledMessages, { name: "maxResults", usual: 100, most: 500 });
  return c.json({
    ...(page.length > 0 ? { messages: page.map(({ id, threadId }) => ({ id, threadId })) } : {}),
    ...(nextPageToken ? { nextPageToken } : {}),
    resultSizeEstimate: labeledMessages.length,
  });
}

/** Reads the JSON of a request, and the message that is uploaded whole beside it (RFC 2387). */
async function readMail(c: Context<GoogleEnv>): Promise<{ body: Record<string, unknown>; whole: { raw?: string } }> {
  const [, boundary] = /^multipart\/related;.*boundary=([^";]+)/.exec(c.req.header("content-type") ?? "") ?? [];
  if (boundary === undefined) return { body: await parseBody(c), whole: {} };
  const parts = Buffer.from(await c.req.arrayBuffer())
    .toString("latin1")
    .split(`--${boundary}`);
  const [json = "", mail = ""] = parts.slice(1).map((part) => part.slice(part.indexOf("\r\n\r\n") + 4, -2));
  const body = tryParseJson(json);
  if (!isRecord(body)) throw parseError();
  return { body, whole: { raw: Buffer.from(mail, "latin1").toString("base64url") } };
}

async function send(c: Context<GoogleEnv>, provider: ProviderContext<GoogleState>) {
  const { body, whole } = await readMail(c);
  const message = createOutgoing(c, { ...body, ...whole }, provider, ["SENT"]);
  const recipients = findAddresses(`${message.to},${message.cc},${message.bcc}`);
  if (recipients.length === 0) throw googleError(400, "invalidArgument", "Recipient address required");
  provider.world().messages.push(message);
  for (const account of provider.world().accounts) {
    if (recipients.includes(account.email.toLowerCase())) deliver(message, account, provider);
  }
  provider.save();
  return c.json({ id: message.id, threadId: message.threadId, labelIds: message.labelIds });
}

async function createDraft(c: Context<GoogleEnv>, provider: ProviderContext<GoogleState>) {
  const { body, whole } = await readMail(c);
  const mail = { ...toRecord(body.message), ...whole };
  const message = {
    ...createOutgoing(c, mail, provider, ["DRAFT"]),
    draft: `r${Buffer.from(provider.random(8)).toString("hex")}`,
  };
  provider.world().messages.push(message);
  provider.save();
  return c.json({ id: message.draft, message: { id: message.id, threadId: message.threadId, labelIds: ["DRAFT"] } });
}

/** Reads a message that a client sent as `raw`. Gmail adds its sender, date and ID. */
function createOutgoing(
  c: Context<GoogleEnv>,
  body: Record<string, unknown>,
  provider: ProviderContext<GoogleState>,
  labelIds: string[],
): Message {
  const parsed = parseMessage(getText(body, "raw") ?? "");
  if (!parsed)
    throw googleError(
      400,
      "invalidArgument",
      "'raw' RFC822 payload message string or uploading message via /upload/* URL required",
    );
  const account = c.get("account");
  const id = Buffer.from(provider.random(8)).toString("hex");
  const getHeader = (name: string) => parsed.headers.get(name) ?? "";
  const threadId = getText(body, "threadId");
  if (threadId !== undefined && !listOwnMessages(c).some((ownMessage) => ownMessage.threadId === threadId))
    throw notFoundError();
  return {
    account: account.id,
    id,
    threadId: threadId ?? id,
    messageId: `<${id}@mail.example.com>`,
    from: `${account.name} <${account.email}>`,
    to: getHeader("to"),
    cc: getHeader("cc"),
    bcc: getHeader("bcc"),
    subject: getHeader("subject"),
    date: provider.timestamp(),
    labelIds,
    text: parsed.text.replace(/\r\n/g, "\n"),
    html: "",
    inReplyTo: getHeader("in-reply-to"),
    references: getHeader("references"),
    attachments: parsed.files.map(({ id: _, ...file }) => file),
  };
}

/** Stores a copy in the mailbox of a sandbox account, in the conversation that it answers. */
function deliver(message: Message, account: Account, provider: ProviderContext<GoogleState>): void {
  const { messages } = provider.world();
  const parent = messages.find(
    (candidate) => candidate.account === account.id && message.references.includes(candidate.messageId),
  );
  const id = Buffer.from(provider.random(8)).toString("hex");
  const { draft: _none, ...rest } = message;
  messages.push({
    ...rest,
    account: account.id,
    id,
    threadId: parent?.threadId ?? id,
    bcc: "",
    labelIds: ["INBOX", "UNREAD"],
  });
}

async function modify(
  c: Context<GoogleEnv>,
  messages: Message[],
  provider: ProviderContext<GoogleState>,
): Promise<void> {
  const body = await parseBody(c);
  const labelIds = [
    ...SYSTEM_LABELS,
    ...c.get("world").labels.flatMap(({ account, id }) => (account === c.get("account").id ? [id] : [])),
  ];
  const [add, remove] = [getList(body, "addLabelIds").map(String), getList(body, "removeLabelIds").map(String)];
  const unknown = [...add, ...remove].find((label) => !labelIds.includes(label));
  if (unknown !== undefined) throw invalidError(`Invalid label: ${unknown}`);
  if (add.length + remove.length === 0) throw invalidError("No label add or removes specified");
  for (const message of messages) {
    message.labelIds = [...new Set([...message.labelIds, ...add])].filter((label) => !remove.includes(label));
  }
  provider.save();
}

function listOwnMessages(c: Context<GoogleEnv>): Message[] {
  return c.get("world").messages.filter(({ account }) => account === c.get("account").id);
}

function getMessage(c: Context<GoogleEnv>): Message {
  const message = listOwnMessages(c).find(({ id }) => id === c.req.param("id"));
  if (!message) throw notFoundError();
  return message;
}

function findAddresses(text: string): string[] {
  return (text.toLowerCase().match(/[^\s<>,;"]+@[^\s<>,;"]+/g) ?? []).filter(Boolean);
}
