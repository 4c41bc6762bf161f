import { expect, test } from "vitest";
import { formatAddressHeader, parseMailboxes, parseRecipients } from "#connectors/gmail/addresses";
import { decodeHeader, encodeHeader } from "#connectors/gmail/encoded-words";
import { gmail } from "#connectors/gmail/gmail";
import { contextOver, type Expected, outside, runExpecting, runTool } from "../support/outside.ts";

const MESSAGES = "https://gmail.googleapis.com/gmail/v1/users/me/messages";
const ME = { url: "https://mail.google.com", email: "dana@example.com" };
const HEADERS = ["From", "To", "Cc", "Reply-To", "Subject", "Message-ID", "References"]
  .map((name) => `&metadataHeaders=${name}`)
  .join("");

const run = (name: string, input: Record<string, unknown>, ...expected: Expected[]) =>
  runExpecting(gmail, ME, name, input, ...expected);

/** Metadata of a message as returned by Gmail. */
function message(id: string, subject: string, more: { headers?: [string, string][]; threadId?: string } = {}) {
  const headers = [["From", "Sam Sample <sam@example.com>"], ["Subject", subject], ...(more.headers ?? [])];
  return {
    id,
    threadId: more.threadId ?? id,
    labelIds: ["INBOX", "UNREAD"],
    snippet: "Tom &amp; Jerry &lt;3",
    internalDate: "1795780800000",
    payload: { headers: headers.map(([name, value]) => ({ name, value })) },
  };
}

const decodeMail = (requests: { body?: unknown }[]) => {
  const raw = String((requests.at(-1)?.body as { raw?: string } | undefined)?.raw);
  expect(raw).toMatch(/^[\w-]+$/);
  const [head = "", content = ""] = Buffer.from(raw, "base64url").toString("latin1").split("\r\n\r\n");
  return { lines: head.split("\r\n"), text: Buffer.from(content, "base64").toString() };
};

test("headers are ASCII in words of at most 75 characters, hold whole characters, and read back the same", () => {
  for (const text of [
    "plain",
    "Grüße",
    "日本語の件名".repeat(12),
    "👩‍👩‍👧 ".repeat(20).trim(),
    "=?UTF-8?B?x?= in words",
  ]) {
    const encoded = encodeHeader(text);
    for (const line of encoded.split("\r\n ")) {
      expect(line).toMatch(/^[\x20-\x7e]{0,75}$/);
      expect(decodeHeader(line)).not.toContain("\ufffd");
    }
    expect(decodeHeader(encoded)).toBe(text);
  }
  expect(encodeHeader("a\r\nBcc: evil@example.com")).toBe("a Bcc: evil@example.com");
});

test.each([
  ["=?ISO-8859-1?Q?Andr=E9?= Pirard", "André Pirard"],
  ["=?UTF-8?Q?a_b?=  =?UTF-8?Q?_c?=", "a b c"],
  ["=?utf-8?B?w7w=?=\r\n =?utf-8?B?w58=?=", "üß"],
  ["=?UTF-8?B?8J+O?= =?UTF-8?B?iQ==?=", "🎉"],
  ["=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=", "日本"],
  ["=?no-such?Q?x=41?=", "xA"],
])("an encoded header is decoded: %s", (header, text) => {
  expect(decodeHeader(header)).toBe(text);
});

test("addresses are read, checked and written; names are encoded or quoted", () => {
  const text = 'Ana <ana@x.test>, "Doe, John" <john@x.test>; j@münchen.example';
  expect(parseMailboxes(text)).toEqual([
    { name: "Ana", address: "ana@x.test" },
    { name: "Doe, John", address: "john@x.test" },
    { name: "", address: "j@münchen.example" },
  ]);
  expect(formatAddressHeader(parseRecipients(`${text}, Jörg <joerg@x.test>`, "to"))).toBe(
    'Ana <ana@x.test>,\r\n "Doe, John" <john@x.test>,\r\n j@xn--mnchen-3ya.example,\r\n =?UTF-8?B?SsO2cmc=?= <joerg@x.test>',
  );
  for (const wrong of ["Sam", "a@b", "a b@x.test", "ä@x.test", "x@", "x.test", "@x.test"]) {
    expect(() => parseRecipients(wrong, "to")).toThrow(`“${wrong}” is not an email address.`);
  }
});

test("a message is sent as MIME in base64url", async () => {
  const input = {
    to: "Sam <sam@example.com>",
    cc: "a@x.test",
    subject: "Grüße\nBcc: b@x.test",
    body: "Zeile 1\nZeile ü",
  };
  const { result, asked } = await run("gmail.send_message", input, {
    request: `POST ${MESSAGES}/send`,
    json: { id: "m1", threadId: "t1", labelIds: ["SENT"] },
  });
  expect(decodeMail(asked)).toEqual({
    lines: [
      "To: Sam <sam@example.com>",
      "Cc: a@x.test",
      `Subject: =?UTF-8?B?${Buffer.from("Grüße Bcc: b@x.test").toString("base64")}?=`,
      "MIME-Version: 1.0",
      'Content-Type: text/plain; charset="UTF-8"',
      "Content-Transfer-Encoding: base64",
    ],
    text: "Zeile 1\r\nZeile ü",
  });
  expect(result).toEqual({
    data: {
      id: "m1",
      thread: "t1",
      to: ["sam@example.com"],
      subject: "Grüße\nBcc: b@x.test",
      url: "https://mail.google.com/mail/u/?authuser=dana%40example.com#all/t1",
    },
    text: "Sent to sam@example.com.\n\nhttps://mail.google.com/mail/u/?authuser=dana%40example.com#all/t1",
    url: "https://mail.google.com/mail/u/?authuser=dana%40example.com#all/t1",
  });
});

test("a summary names every recipient and what is said", () => {
  const send = gmail.tools.find(({ name }) => name === "gmail.send_message");
  expect(send?.summary({ to: "a@x.test", cc: "b@x.test", bcc: "c@x.test", body: "Hi\nthere" })).toBe(
    "Send an email to a@x.test, copy to b@x.test, hidden copy to c@x.test: “(no subject)” – “Hi there”",
  );
});

test("a reply to all keeps the conversation, omits the user's address, and goes to Reply-To", async () => {
  const headers: [string, string][] = [
    ["To", "dana@example.com, Ana <ana@x.test>"],
    ["Cc", "bob@x.test"],
    ["Reply-To", "list@x.test"],
    ["Message-ID", "<m2@x.test>"],
    ["References", "<m0@x.test> <m1@x.test>"],
  ];
  const { asked } = await run(
    "gmail.reply",
    { message: "18c0ffee00000001", body: "Ja", all: true },
    {
      request: `GET ${MESSAGES}/18c0ffee00000001?format=metadata${HEADERS}`,
      json: message("18c0ffee00000001", "=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=", { headers }),
    },
    { request: `POST ${MESSAGES}/send`, json: { id: "m3", threadId: "18c0ffee00000001" } },
  );
  expect(asked.at(-1)?.body).toMatchObject({ threadId: "18c0ffee00000001" });
  expect(decodeMail(asked).lines.slice(0, 7)).toEqual([
    "To: list@x.test",
    "Cc: Ana <ana@x.test>,",
    " bob@x.test",
    `Subject: =?UTF-8?B?${Buffer.from("Re: Grüße").toString("base64")}?=`,
    "In-Reply-To: <m2@x.test>",
    "References: <m0@x.test>",
    " <m1@x.test>",
  ]);
});

test("a search uses Gmail's own words and reads each message; encoded text is cleaned after decoding", async () => {
  const hostile = Buffer.from("\u001b[31mred\u0007").toString("base64");
  const { result } = await run(
    "gmail.search",
    { sender: "Sam (x)", state: "unread", text: 'in:"trash" -news' },
    {
      request: `GET ${MESSAGES}?q=from%3A(Sam+x)+is%3Aunread+in+trash+news&maxResults=10`,
      json: { messages: [{ id: "m1", threadId: "t1" }] },
    },
    {
      request: `GET ${MESSAGES}/m1?format=metadata${HEADERS}`,
      json: message("m1", `=?UTF-8?B?${hostile}?=`, { threadId: "t1" }),
    },
  );
  expect(result.data).toMatchObject({
    query: "from:(Sam x) is:unread in trash news",
    messages: [
      { id: "m1", thread: "t1", from: "Sam Sample <sam@example.com>", excerpt: "Tom & Jerry <3", unread: true },
    ],
  });
  expect(JSON.stringify(result)).not.toMatch(/\\u001b|\\u0007/);
});

test("a message is read by its parts: plain text before HTML, in its charset, with its attachments", async () => {
  const part = (mimeType: string, bytes: Buffer, charset: string) => ({
    mimeType,
    filename: "",
    headers: [{ name: "Content-Type", value: `${mimeType}; charset=${charset}` }],
    body: { size: bytes.length, data: bytes.toString("base64url") },
  });
  const readParts = async (parts: unknown[]) => {
    const full = {
      ...message("18c0ffee00000002", "x"),
      payload: { mimeType: "multipart/mixed", headers: [], body: { size: 0 }, parts },
    };
    const { result } = await run(
      "gmail.read_message",
      { message: "18c0ffee00000002" },
      { request: `GET ${MESSAGES}/18c0ffee00000002?format=metadata${HEADERS}`, json: message("18c0ffee00000002", "x") },
      { request: `GET ${MESSAGES}/18c0ffee00000002?format=full`, json: full },
    );
    return result.data as { text: string; attachments: unknown };
  };
  const html = part(
    "text/html",
    Buffer.from("<style>p{}</style><p>Ä <a href='https://x.test/'>link</a></p><ul><li>one<li>two</ul>"),
    "utf-8",
  );
  const file = {
    mimeType: "application/pdf",
    filename: "=?UTF-8?Q?=C3=84.pdf?=",
    body: { size: 7, attachmentId: "a" },
  };
  const alternative = {
    mimeType: "multipart/alternative",
    parts: [part("text/plain", Buffer.from("Größe\r\n\u001b[2Jx"), "utf-8"), html],
  };
  expect(await readParts([alternative, file])).toMatchObject({
    text: "Größe\nx",
    attachments: [{ name: "Ä.pdf", type: "application/pdf", bytes: 7 }],
  });
  expect((await readParts([html])).text).toBe("Ä link (https://x.test/)\n\n- one\n- two");
  expect((await readParts([part("text/plain", Buffer.from("Gr\xf6\xdfe", "latin1"), "iso-8859-1")])).text).toBe(
    "Größe",
  );
  expect((await readParts([part("text/plain", Buffer.from("Größe"), "iso-8859-1")])).text).toBe("Größe");
});

test("a search by date and attachments uses exact moments", async () => {
  const { result } = await run(
    "gmail.search",
    { after: "2026-11-01", before: "2026-11-20T12:00:00+01:00", hasAttachment: true },
    { request: `GET ${MESSAGES}?q=after%3A1793491200+before%3A1795172400+has%3Aattachment&maxResults=10`, json: {} },
  );
  expect(result.text).toBe("No emails after 2026-11-01 before 2026-11-20T12:00:00+01:00 with attachments.");
});

test.each([
  ["Europe/Berlin", "2026-11-01T00:00:00+01:00"],
  ["America/New_York", "2026-11-01T00:00:00-04:00"],
  ["Asia/Kolkata", "2026-11-01T00:00:00+05:30"],
  [undefined, "2026-11-01T00:00:00Z"],
])("a search by day begins at midnight in the user's time zone (%s)", async (timeZone, midnight) => {
  const after = Date.parse(midnight) / 1000;
  const world = outside({ request: `GET ${MESSAGES}?q=after%3A${after}&maxResults=10`, json: {} });
  const context = { ...contextOver(world, gmail, ME), ...(timeZone ? { timeZone } : {}) };
  await runTool(gmail, "gmail.search", { after: "2026-11-01" }, context);
  world.done();
});

test.each([
  ["Asia/Kolkata", "| Dana | Hi | 2026-11-28 23:30 |"],
  [undefined, "| Dana | Hi | 2026-11-28 18:00 |"],
])("a table of emails shows times in the user's time zone (%s)", async (timeZone, row) => {
  const world = outside(
    { request: `GET ${MESSAGES}?q=in%3Ainbox&maxResults=10`, json: { messages: [{ id: "18c1", threadId: "18c1" }] } },
    {
      request: `GET ${MESSAGES}/18c1?format=metadata${HEADERS}`,
      json: {
        id: "18c1",
        threadId: "18c1",
        internalDate: String(Date.parse("2026-11-28T18:00:00Z")),
        payload: {
          headers: [
            { name: "From", value: "Dana" },
            { name: "Subject", value: "Hi" },
          ],
        },
      },
    },
  );
  const context = { ...contextOver(world, gmail, ME), ...(timeZone ? { timeZone } : {}) };
  const { text } = await runTool(gmail, "gmail.search", {}, context);
  expect(text).toContain(`| Date (${timeZone ?? "UTC"}) |`);
  expect(text).toContain(row);
});

const ID = "18c0ffee00000002";
const textPart = (text: string, mimeType = "text/plain") => ({
  mimeType,
  filename: "",
  body: { size: text.length, data: Buffer.from(text).toString("base64url") },
});

async function readParts(parts: unknown[], ...more: Expected[]) {
  const payload = { mimeType: "multipart/mixed", headers: [], body: { size: 0 }, parts };
  const { result } = await run(
    "gmail.read_message",
    { message: ID },
    { request: `GET ${MESSAGES}/${ID}?format=metadata${HEADERS}`, json: message(ID, "x") },
    { request: `GET ${MESSAGES}/${ID}?format=full`, json: { ...message(ID, "x"), payload } },
    ...more,
  );
  return result.data as { text: string; attachments: unknown };
}

test("B228 an attached message is marked, and listed among the attachments", async () => {
  const inner = {
    mimeType: "multipart/mixed",
    filename: "",
    headers: [
      { name: "From", value: "Sam <sam@example.com>" },
      { name: "Subject", value: "Original" },
    ],
    body: { size: 0 },
    parts: [textPart("inner forwarded text"), { mimeType: "text/plain", filename: "a.log", body: { size: 3 } }],
  };
  const mail = { mimeType: "message/rfc822", filename: "orig.eml", headers: [], body: { size: 900 }, parts: [inner] };
  const file = { mimeType: "text/plain", filename: "notes.txt", body: { size: 7, attachmentId: "n" } };
  const event = { mimeType: "text/calendar", filename: "", body: { size: 20, attachmentId: "c" } };
  expect(await readParts([textPart("Grüße aus Köln"), file, mail, event])).toMatchObject({
    text: [
      "Grüße aus Köln",
      "--- Attached message orig.eml: Original (from Sam <sam@example.com>) ---",
      "inner forwarded text",
    ].join("\n\n"),
    attachments: [
      { name: "notes.txt", bytes: 7 },
      { name: "unnamed (text/calendar)" },
      { name: "orig.eml", type: "message/rfc822", bytes: 900 },
      { name: "a.log" },
    ],
  });
  const unnamed = { ...mail, filename: "" };
  expect(await readParts([unnamed])).toMatchObject({ attachments: [{ name: "Original.eml" }, { name: "a.log" }] });
});

test("B229 a long text that Gmail delivers separately is fetched, or named as too long", async () => {
  const big = (size: number) => ({ mimeType: "text/plain", filename: "", body: { attachmentId: "BIG", size } });
  const url = `GET ${MESSAGES}/${ID}/attachments/BIG`;
  const data = Buffer.from("a long text").toString("base64url");
  expect((await readParts([big(3_000_000)], { request: url, json: { size: 11, data } })).text).toBe("a long text");
  const note = "(A part of the text is too long to be read here. Open the message in Gmail.)";
  expect((await readParts([big(30_000_000), textPart("short")])).text).toBe(`short\n\n${note}`);
  expect((await readParts([big(3_000_000)], { request: url, status: 404, json: {} })).text).toBe(note);
  const html = { ...big(10), mimeType: "text/html" };
  const forms = {
    mimeType: "multipart/alternative",
    filename: "",
    body: { size: 0 },
    parts: [textPart("plain"), html],
  };
  expect((await readParts([forms])).text).toBe("plain");
  const bold = Buffer.from("<b>bold</b>").toString("base64url");
  expect((await readParts([html], { request: url, json: { data: bold } })).text).toBe("bold");
});

// https://github.com/googleapis/google-api-go-client/blob/main/gmail/v1/gmail-api.json, MessagePart; RFC 2046, 5.1.4
test.each([
  [
    "a mailing list adds a footer",
    [textPart("<p>The <b>news</b></p>", "text/html"), textPart("_____\nlist")],
    "The news\n\n_____\nlist",
  ],
  [
    "one form is chosen, and what stands around it stays",
    [
      { mimeType: "multipart/alternative", parts: [textPart("plain"), textPart("<p>html</p>", "text/html")] },
      textPart("after"),
    ],
    "plain\n\nafter",
  ],
  [
    "the plain form is blank",
    [
      {
        mimeType: "multipart/alternative",
        parts: [textPart(" \n"), { mimeType: "multipart/related", parts: [textPart("<p>html</p>", "text/html")] }],
      },
    ],
    "html",
  ],
])("no text of a message is lost: %s", async (_, parts, text) => {
  expect((await readParts(parts)).text).toBe(text);
});

test("a message that is deleted between the list and its reading is left out, and one without a date is read", async () => {
  const metadata = (id: string) => `GET ${MESSAGES}/${id}?format=metadata${HEADERS}`;
  const { result } = await run(
    "gmail.search",
    { text: "x" },
    {
      request: `GET ${MESSAGES}?q=x&maxResults=10`,
      json: {
        messages: [
          { id: "a", threadId: "a" },
          { id: "b", threadId: "b" },
        ],
      },
    },
    { request: metadata("a"), status: 404, json: { error: { code: 404, message: "Requested entity was not found." } } },
    { request: metadata("b"), json: { ...message("b", "Still here"), internalDate: "" } },
  );
  expect(result.data).toMatchObject({ messages: [{ subject: "Still here", date: "" }] });
});

test("the approval of a forward names the files, and files that Gmail cannot send are refused", async () => {
  const file = (size: number) => ({
    mimeType: "application/pdf",
    filename: "offer.pdf",
    body: { attachmentId: "a1", size },
  });
  const text = { mimeType: "text/plain", body: { size: 2, data: "SGk" } };
  const full = (size: number) => {
    const { payload, ...rest } = message("1a2b3c4d5e6f7081", "Offer");
    return { ...rest, payload: { ...payload, mimeType: "multipart/mixed", parts: [text, file(size)] } };
  };
  const read = (size: number): Expected[] => [
    {
      request: `GET ${MESSAGES}/1a2b3c4d5e6f7081?format=metadata${HEADERS}`,
      json: message("1a2b3c4d5e6f7081", "Offer"),
    },
    { request: `GET ${MESSAGES}/1a2b3c4d5e6f7081?format=full`, json: full(size) },
  ];
  const input = { message: "1a2b3c4d5e6f7081", to: "zoe@example.com" };
  const tool = gmail.tools.find(({ name }) => name === "gmail.forward");
  expect(await tool?.describeTarget?.(input, contextOver(outside(...read(3)), gmail, ME))).toBe(
    "“Offer” from Sam Sample <sam@example.com> (message 1a2b3c4d5e6f7081), with “offer.pdf”",
  );
  await expect(run("gmail.forward", input, ...read(19_000_000))).rejects.toMatchObject({
    message: "The files of this message are larger than Gmail sends with one message.",
  });
  const fetched = { request: `GET ${MESSAGES}/1a2b3c4d5e6f7081/attachments/a1`, json: { size: 3, data: "UERG" } };
  const sent = {
    request: "POST https://gmail.googleapis.com/upload/gmail/v1/users/me/messages/send?uploadType=multipart",
    json: { id: "m9", threadId: "t9" },
  };
  const { result } = await run("gmail.forward", input, ...read(3), fetched, sent);
  expect(result.data).toMatchObject({ to: ["zoe@example.com"], subject: "Fwd: Offer", files: ["offer.pdf"] });
});

test("words that match several conversations are not guessed", async () => {
  await expect(
    run(
      "gmail.archive",
      { message: "release" },
      {
        request: `GET ${MESSAGES}?q=subject%3A(release)+-in%3Adrafts&maxResults=10`,
        json: {
          messages: [
            { id: "m1", threadId: "t1" },
            { id: "m2", threadId: "t2" },
          ],
        },
      },
      { request: `GET ${MESSAGES}/m1?format=metadata${HEADERS}`, json: message("m1", "Release 1") },
      { request: `GET ${MESSAGES}/m2?format=metadata${HEADERS}`, json: message("m2", "Release 2") },
    ),
  ).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: /^Several messages match “release”: “Release 1” from Sam Sample/,
  });
});
