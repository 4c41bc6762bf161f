import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openInk } from "#test/ink";
import { type Machine, parseDocument, useKay } from "#test/kay";
import { useScriptedModel } from "#test/scripted-model";

vi.setConfig({ testTimeout: 60_000 });

const kay = useKay();
const model = useScriptedModel();
const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(2_992, 7)]);
const PDF = Buffer.from("%PDF-1.7\n1 0 obj\nendobj\n");
const HASH = createHash("sha256").update(PNG).digest("hex");
const REFERENCE = `shot.png (image/png, 3 kB, SHA-256 ${HASH.slice(0, 12)})`;

const ready = (connected: string[] = []) =>
  kay({ signedIn: true, connected, providers: ["atlassian", "slack", "google"], ...model.machine });

function put(ann: Machine, name: string, bytes: string | Buffer): void {
  mkdirSync(join(ann.folder, name, ".."), { recursive: true });
  writeFileSync(join(ann.folder, name), bytes);
}

/** Returns the latest user message that the model got. */
const lastMessage = () => model.prompts.at(-1)?.messages.findLast(({ role }) => role === "user")?.content;

test("a model that reads pictures and PDFs gets them, with types detected from their bytes", async () => {
  const ann = ready();
  put(ann, "in/shot.txt", PNG);
  put(ann, "report.pdf", PDF);
  put(ann, "app.log", "one\ntwo\n");
  model.script({ text: "A picture and a PDF." });
  const files = ["in/shot.txt", "report.pdf", "app.log"].map((file) => `--attach=${file}`);
  expect(await ann(["ask", ...files, "what is this?"])).toEqual({
    exit: 0,
    stdout: "A picture and a PDF.\n",
    stderr: "",
  });
  expect(lastMessage()).toEqual([
    { type: "text", text: "what is this?" },
    { type: "text", text: expect.stringMatching(/^Attachment: shot\.txt \(image\/png, 3 kB, SHA-256 [0-9a-f]{12}\)$/) },
    { type: "image_url", image_url: { url: `data:image/png;base64,${PNG.toString("base64")}` } },
    { type: "text", text: expect.stringMatching(/^Attachment: report\.pdf \(application\/pdf, 24 B, /) },
    {
      type: "file",
      file: { filename: "report.pdf", file_data: `data:application/pdf;base64,${PDF.toString("base64")}` },
    },
    { type: "text", text: expect.stringMatching(/^Attachment: app\.log \(text\/plain, 8 B, /) },
    { type: "text", text: "<attachment>\none\ntwo\n\n</attachment>" },
  ]);
});

test("later turns of the conversation have the file too, and a replay shows its name and size", async () => {
  const ann = ready();
  put(ann, "shot.png", PNG);
  model.script({ text: "A picture." }, { text: "Still a picture." });
  await ann(["ask", "--attach=shot.png", "what is this?"]);
  await ann(["ask", "-c", "and now?"]);
  expect(JSON.stringify(model.prompts.at(-1)?.messages)).toContain(PNG.toString("base64"));
  const { stdout } = await ann("sessions show latest");
  expect(stdout).toContain("> what is this?\n> [shot.png, 3 kB]\n");
});

test("a model that refuses files is called again without them, and a sentence says so", async () => {
  const ann = ready();
  put(ann, "shot.png", PNG);
  model.script({ fails: 400, says: "image input is not supported" }, { text: "I cannot see it." });
  expect(await ann(["ask", "--attach=shot.png", "what is this?"])).toEqual({
    exit: 0,
    stdout: "I cannot see it.\n",
    stderr:
      "OpenAI-compatible scripted does not read shot.png. It can still be attached to issues, messages and emails.\n",
  });
  expect(JSON.stringify(lastMessage())).not.toContain("image_url");
});

test("the offline planner says that it reads no files, and still attaches them", async () => {
  const ann = kay({ signedIn: true });
  put(ann, "shot.png", PNG);
  await ann("policy set jira everything");
  const { exit, stdout, stderr } = await ann(["ask", "--attach=shot.png", "attach shot.png to KAY-1"]);
  expect({ exit, stdout, stderr }).toEqual({
    exit: 0,
    stdout: expect.stringContaining("Attached to KAY-1."),
    stderr: expect.stringContaining(
      " does not read shot.png. It can still be attached to issues, messages and emails.\n",
    ),
  });
});

test("a card shows name, type, size and hash of a file, and exactly that is sent to Jira", async () => {
  const ann = ready();
  put(ann, "shot.png", PNG);
  model.script(
    { calls: [["c1", "jira.add_attachment", { issue: "KAY-1", attachments: ["shot.png"] }]] },
    { text: "Attached." },
  );
  const terminal = { terminal: true, env: { NO_COLOR: "1", TERM: "dumb" }, types: ["1"] };
  const { exit, stderr } = await ann(["ask", "--attach=shot.png", "attach this to KAY-1"], terminal);
  expect([exit, stderr]).toEqual([0, expect.stringContaining(`attachments.0: ${REFERENCE}\n`)]);
  const { sites } = (await ann.place.control("atlassian", "GET /state")) as {
    sites: { issues: { key: string; attachments?: object[] }[] }[];
  };
  expect(sites[0]?.issues.find(({ key }) => key === "KAY-1")?.attachments).toEqual([
    expect.objectContaining({ filename: "shot.png", mimeType: "image/png", size: PNG.length, sha256: HASH }),
  ]);
});

test.each(["secret.pem", "/etc/passwd", "../secret.pem", "att_0000000000000000"])(
  "a model cannot name a file that the user did not attach: %s",
  async (name) => {
    const ann = ready();
    put(ann, "shot.png", PNG);
    put(ann, "secret.pem", "key");
    await ann("policy set jira everything");
    model.script(
      { calls: [["c1", "jira.add_attachment", { issue: "KAY-1", attachments: [name] }]] },
      { text: "I could not." },
    );
    const { exit, ...output } = await ann(["ask", "--json", "--attach=shot.png", "attach it to KAY-1"]);
    expect([exit, parseDocument(output)]).toMatchObject([1, { receipts: [] }]);
    expect(JSON.stringify(model.prompts.at(-1)?.messages)).toContain(`attached no file called “${name}”`);
  },
);

test("files go to Slack, and with an email, a reply and a draft", async () => {
  const ann = ready(["slack", "gmail"]);
  put(ann, "shot.png", PNG);
  put(ann, "größe.pdf", PDF);
  for (const target of ["slack", "gmail", "outside-text"]) await ann(`policy set ${target} everything`);
  model.script({
    calls: [
      ["c1", "slack.upload_file", { channel: "#general", attachments: ["shot.png", "größe.pdf"], text: "Look" }],
      ["c2", "gmail.send_message", { to: "sam@example.com", body: "Hi", attachments: ["shot.png", "größe.pdf"] }],
      ["c3", "gmail.reply", { message: "Release 1.4 on Friday?", body: "Seen", attachments: ["shot.png"] }],
      ["c4", "gmail.create_draft", { to: "sam@example.com", body: "Later", attachments: ["größe.pdf"] }],
    ],
  });
  const prompt =
    "share shot.png and größe.pdf in #general: Look; and email them to sam@example.com: Hi; reply to “Release 1.4 on Friday?”: Seen; and draft: Later";
  const { exit, stdout } = await ann(["ask", "--attach=shot.png", "--attach=größe.pdf", prompt]);
  // A draft is shown after it was stored, before the model continues.
  expect([exit, stdout]).toEqual([8, expect.stringContaining("kay ran gmail.create_draft, which writes.")]);
  const slack = (await ann.place.control("slack", "GET /state")) as {
    channels: { name: string; messages: { text: string; files?: object[] }[] }[];
  };
  const message = slack.channels.find(({ name }) => name === "general")?.messages.at(-1);
  expect(message).toMatchObject({
    text: "Look",
    files: [
      { filename: "shot.png", sha256: HASH },
      { filename: "größe.pdf", size: PDF.length },
    ],
  });
  const google = (await ann.place.control("google", "GET /state")) as {
    messages: { threadId: string; labelIds: string[]; subject: string; text: string; attachments: object[] }[];
  };
  const find = (label: string, part: string) =>
    google.messages.find(({ labelIds, text }) => labelIds.includes(label) && text.includes(part));
  const shot = { filename: "shot.png", mimeType: "image/png", sha256: HASH };
  const pdf = { filename: "größe.pdf", mimeType: "application/pdf", size: PDF.length };
  expect(find("SENT", "Hi")).toMatchObject({ attachments: [shot, pdf] });
  const original = google.messages.find(({ subject }) => subject === "Release 1.4 on Friday?");
  expect(find("SENT", "Seen")).toMatchObject({ threadId: original?.threadId, attachments: [shot] });
  expect(find("DRAFT", "Later")).toMatchObject({ attachments: [pdf] });
});

test("files that are too large or missing are refused before anything is sent", async () => {
  const ann = ready();
  await ann("whoami");
  put(ann, "large.png", Buffer.alloc(10_000_001, 1));
  put(ann, "empty.png", "");
  for (const name of ["a", "b", "c"]) put(ann, name, Buffer.alloc(7_000_000, 1));
  const callCount = ann.place.network.seen.length;
  const refusal = async (...files: string[]) =>
    (await ann(["ask", ...files.map((file) => `--attach=${file}`), "look"])).stderr;
  expect([await refusal("large.png"), await refusal("empty.png"), await refusal("none.png")]).toEqual([
    '✗ "large.png" is too large: there is room for 10 MB.\n  Send fewer or smaller files.\n',
    '✗ "empty.png" is empty.\n',
    '✗ File not found: "none.png".\n',
  ]);
  expect(await refusal("a", "b", "c")).toBe(
    "✗ The attachments total 21 MB; the limit is 20 MB.\n  Attach fewer or smaller files.\n",
  );
  expect(ann.place.network.seen.length).toBe(callCount);
});

test("in a session, a mentioned picture is attached, and its name and size are below the prompt", async () => {
  const ann = ready();
  put(ann, "shot.png", PNG);
  model.script({ text: "A picture." });
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ink.enter("what is on @shot.png");
  await ink.shows("> what is on @shot.png\n> [shot.png, 3 kB]");
  await ink.shows("A picture.");
  expect(JSON.stringify(lastMessage())).toContain(PNG.toString("base64"));
  await ink.leave();
});

test("@ offers issues, channels and people of the connected services, and reads them once", async () => {
  const ann = ready(["slack"]);
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira slack");
  ink.type("ask @");
  await ink.sees("@KAY-1");
  await ink.sees("@#general");
  await ink.sees("@dana");
  ink.type("eng");
  await ink.sheds("@dana");
  await ink.sees("@#engineering");
  const calls = ann.place.network.calls().filter((call) => call.includes("/tools/"));
  expect(calls.toSorted()).toEqual([
    "POST /tools/jira.search/call",
    "POST /tools/slack.list_channels/call",
    "POST /tools/slack.list_users/call",
  ]);
  ink.type("\r");
  await ink.sees("ask @#engineering");
  await ink.leave();
});
