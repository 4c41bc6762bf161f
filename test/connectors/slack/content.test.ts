import { expect, test } from "vitest";
import { type Content, listContentUsers, toMarkdown } from "#connectors/slack/content";
import { slack } from "#connectors/slack/slack";
import { contextOver, runTool } from "../support/outside.ts";

const users = new Map([["U0ANNANN1", "Ann Archer"]]);
const renderContent = (content: object) => toMarkdown(content as Content, { users });
const plainText = (text: string) => ({ type: "plain_text", text, emoji: true });
const mrkdwn = (text: string) => ({ type: "mrkdwn", text, verbatim: false });
const rich = (...elements: object[]) => ({ type: "rich_text", block_id: "b1", elements });
const section = (...elements: object[]) => ({ type: "rich_text_section", elements });
const text = (words: string, style?: object) => ({ type: "text", text: words, ...(style ? { style } : {}) });

test("B201 a message with only blocks is read", () => {
  const blocks = [
    { type: "header", block_id: "h", text: plainText("Disk full on db-7") },
    {
      type: "section",
      text: mrkdwn("*Free:* 0 MB, ask <@U0ANNANN1>"),
      fields: [mrkdwn("*Host*\ndb-7"), plainText("1 * 2")],
    },
    { type: "divider" },
    { type: "context", elements: [{ type: "image", image_url: "https://i.test/x", alt_text: "graph" }, mrkdwn("now")] },
    rich(
      section(text("Steps ", { bold: true }), { type: "user", user_id: "U0ANNANN1" }, text(" "), {
        type: "emoji",
        name: "tada",
      }),
      {
        type: "rich_text_list",
        style: "ordered",
        indent: 0,
        elements: [section(text("stop")), section(text("clean"))],
      },
      {
        type: "rich_text_list",
        style: "bullet",
        indent: 1,
        elements: [section({ type: "link", url: "https://r.test/1", text: "runbook" })],
      },
      { type: "rich_text_quote", elements: [text("quoted")] },
      { type: "rich_text_preformatted", elements: [text("df -h *")] },
    ),
    {
      type: "actions",
      elements: [
        { type: "button", text: plainText("Open"), url: "https://a.test/1" },
        { type: "button", text: plainText("Ack"), value: "ack" },
      ],
    },
  ];
  expect(renderContent({ text: "", blocks })).toBe(
    [
      "**Disk full on db-7**",
      "**Free:** 0 MB, ask @Ann Archer\n**Host**\ndb-7\n1 \\* 2",
      "(image: graph) · now",
      "**Steps** @Ann Archer :tada:\n1. stop\n2. clean\n\n  - [runbook](https://r.test/1)\n\n> quoted\n\n```\ndf -h *\n```",
      "[Open](https://a.test/1)\nAck",
    ].join("\n\n"),
  );
});

test("B201 fields and blocks of an attachment are read", () => {
  const attachments = [
    {
      color: "ff0000",
      fields: [{ title: "Service", value: "checkout", short: true }, { title: "Count", value: 7 }, { value: "loose" }],
      blocks: [{ type: "section", text: mrkdwn("latency above 2s") }],
      fallback: "[no preview available]",
    },
    { fallback: "only this" },
  ];
  expect(renderContent({ text: "", attachments })).toBe(
    "Service: checkout\nCount: 7\nloose\n\nlatency above 2s\n\nonly this",
  );
});

test("B202 an attachment is read in addition to the text", () => {
  const attachments = [
    {
      pretext: "for <@U0ANNANN1>",
      author_name: "CI",
      title: "main #812",
      title_link: "https://ci.test/812",
      text: "3 tests failed",
      fields: [{ title: "Branch", value: "release" }],
      footer: "build bot",
      fallback: "main #812",
    },
  ];
  expect(renderContent({ text: "Build finished", attachments })).toBe(
    [
      "Build finished",
      "for @Ann Archer",
      "CI",
      "**[main #812](https://ci.test/812)**",
      "3 tests failed",
      "Branch: release",
      "build bot",
    ].join("\n\n"),
  );
});

test.each<[string, object, string]>([
  [
    "typed by a person",
    {
      text: "see *this* and that one",
      blocks: [rich(section(text("see "), text("this", { bold: true }), text(" and that one")))],
    },
    "see **this** and that one",
  ],
  [
    "with a fallback that is shorter",
    { text: "Deploy of web is done", blocks: [{ type: "section", text: mrkdwn("Deploy of web is done by Ann") }] },
    "Deploy of web is done by Ann",
  ],
  [
    "with a fallback of its own",
    { text: "Alert", blocks: [{ type: "section", text: mrkdwn("CPU high") }] },
    "Alert\n\nCPU high",
  ],
  ["with a short word that is in the other", { text: "No", attachments: [{ text: "No changes" }] }, "No\n\nNo changes"],
  ["of emoji", { text: ":+1:", blocks: [rich(section({ type: "emoji", name: "+1" }))] }, ":+1:"],
  [
    "with a shared message",
    {
      text: "",
      attachments: [
        {
          is_share: true,
          message_blocks: [{ team: "T1", message: { blocks: [rich(section(text("original")))] } }],
          fallback: "x",
        },
      ],
    },
    "original",
  ],
  [
    "with files",
    { text: "", files: [{ id: "F1", name: "a.log", title: "Log", preview: "line *1*" }, { mode: "tombstone" }] },
    "(file: Log)\n\nline \\*1\\*\n\n(file: deleted)",
  ],
])("a message %s is shown once", (_, content, result) => {
  expect(renderContent(content)).toBe(result);
});

test.each<[object, string]>([
  [
    { type: "video", title: plainText("Demo"), title_url: "https://v.test/1", alt_text: "x" },
    "[Demo](https://v.test/1)",
  ],
  [
    {
      type: "table",
      rows: [
        [
          { type: "raw_text", text: "A" },
          { type: "raw_text", text: "B" },
        ],
        [rich(section(text("1")))],
      ],
    },
    "| A | B |\n| --- | --- |\n| 1 |  |",
  ],
  [{ type: "markdown", text: "**as is**" }, "**as is**"],
  [{ type: "future_card", body: { header: plainText("New"), rows: [mrkdwn("*words*")] } }, "New\n**words**"],
  [{ type: "future_thing", id: 7 }, "(future thing block)"],
  [{ type: "section", text: null, fields: [7, null] }, "(section block)"],
  [{ type: "button_less", elements: [{ type: "button", text: plainText("x"), url: "javascript:alert(1)" }] }, "x"],
])("a block of another kind is read or named: %j", (block, result) => {
  expect(renderContent({ blocks: [block] })).toBe(result);
});

test("malformed blocks do not hide the message", () => {
  expect(renderContent({ text: "hi", blocks: ["x", null, { type: 7 }], attachments: [{ fields: [{}] }] })).toBe(
    "hi\n\n(unknown block)",
  );
  let deep: object = plainText("deep");
  for (let level = 0; level < 10_000; level++) deep = { inner: [deep] };
  expect(renderContent({ blocks: [{ type: "x", deep }] })).toBe("(x block)");
  expect(listContentUsers({ text: "<@U3>", blocks: [deep] } as Content)).toEqual(["U3"]);
});

test("people are looked up in blocks and attachments too", () => {
  const blocks = [rich(section({ type: "user", user_id: "U1" })), { type: "section", text: mrkdwn("<@U2>") }];
  expect(listContentUsers({ text: "<@U3>", blocks, attachments: [{ text: "<@U4|x>" }] } as Content)).toEqual([
    "U3",
    "U2",
    "U4",
    "U1",
  ]);
});

test("B201 B202 slack.read_channel gives the text of blocks and attachments to users and models", async () => {
  const messages = [
    {
      ts: "1700000001.000100",
      bot_id: "B1",
      username: "CI",
      text: "Build finished",
      attachments: [{ title: "main #812", text: "3 tests failed" }],
    },
    {
      ts: "1700000000.000100",
      bot_id: "B1",
      bot_profile: { name: "Monitor" },
      text: "",
      blocks: [{ type: "header", text: plainText("Disk full on db-7") }],
    },
  ];
  const answers: Record<string, object> = {
    "conversations.list": { ok: true, channels: [{ id: "C0GENERAL1", name: "general" }] },
    "conversations.history": { ok: true, messages },
  };
  const fetch = async (url: string) => Response.json(answers[new URL(url).pathname.slice(5)]);
  const context = contextOver({ fetch }, slack, {});
  const { text, data } = await runTool(slack, "slack.read_channel", { channel: "general" }, context);
  expect(text.replaceAll(/\n+/g, "\n")).toBe(
    [
      "2 messages in #general, the newest last:",
      "**Monitor**, 2023-11-14 22:13 UTC",
      "**Disk full on db-7**",
      "**CI**, 2023-11-14 22:13 UTC",
      "Build finished",
      "**main #812**",
      "3 tests failed",
    ].join("\n"),
  );
  expect(data).toMatchObject({
    messages: [{ text: "**Disk full on db-7**" }, { text: "Build finished\n\n**main #812**\n\n3 tests failed" }],
  });
});

// https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
test("what a user wrote is shown once, with the names that only its text has", () => {
  const blocks = [
    rich(
      section(text("see "), { type: "channel", channel_id: "C9" }, text(" "), {
        type: "usergroup",
        usergroup_id: "S1",
      }),
      section(text(" "), { type: "emoji", name: "wave", skin_tone: 2 }),
    ),
  ];
  const message = { text: "see <#C9|random> <!subteam^S1|@devs> :wave::skin-tone-2:", blocks };
  expect(renderContent(message)).toBe("see #random @devs :wave::skin-tone-2:");
  expect(renderContent({ ...message, text: "Build failed", bot_id: "B1" })).toBe(
    "Build failed\n\nsee #C9 @group :wave::skin-tone-2:",
  );
});

// https://docs.slack.dev/reference/events/message/ (subtypes)
test("a message without words is named by its kind", () => {
  expect(renderContent({ text: "", subtype: "huddle_thread", room: { id: "R1" } })).toBe("(huddle thread)");
  expect(renderContent({ text: "", files: [{ id: "F1", file_access: "check_file_info" }] })).toBe("(file: unnamed)");
});
