import { expect, test } from "vitest";
import { toAdf } from "#connectors/atlassian/adf/write";
import { bitbucket } from "#connectors/bitbucket/bitbucket";
import { confluence } from "#connectors/confluence/confluence";
import { storageToMarkdown } from "#connectors/confluence/storage";
import { github } from "#connectors/github/github";
import { gmail } from "#connectors/gmail/gmail";
import { googleCalendar } from "#connectors/google-calendar/google-calendar";
import { googleDocs } from "#connectors/google-docs/google-docs";
import { hubspot } from "#connectors/hubspot/hubspot";
import { jira } from "#connectors/jira/jira";
import { linkedin } from "#connectors/linkedin/linkedin";
import { markdownToHtml } from "#connectors/markup/html";
import { type BlockDraft, parseBlocks } from "#connectors/notion/blocks";
import { notion } from "#connectors/notion/notion";
import type { Service } from "#connectors/service";
import { markdownToMrkdwn } from "#connectors/slack/mrkdwn-write";
import { slack } from "#connectors/slack/slack";
import { contextOver, runTool, summarize } from "./support/outside.ts";

/** Returns the text that a service shows for a stored value, in the service's own form. */
const WRITERS: Record<string, (text: string) => string> = {
  "Jira (ADF)": (text) => getWords(toAdf(text, "text")?.content),
  "Confluence and HubSpot (XHTML)": (text) => readHtml(markdownToHtml(text)),
  "Notion (blocks)": (text) => parseBlocks(text).map(getBlockWords).join("\n"),
  "Slack (mrkdwn)": (text) =>
    markdownToMrkdwn(text).replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
};

function getWords(nodes: unknown): string {
  const list = (nodes ?? []) as { type: string; text?: string; content?: unknown; marks?: unknown[] }[];
  return list
    .map((node) => (node.marks ? "MARKED" : (node.text ?? (node.type === "hardBreak" ? "\n" : getWords(node.content)))))
    .join("");
}

function readHtml(html: string): string {
  expect(html).toMatch(/^<p>.*<\/p>$/s);
  const text = html.slice(3, -4).replaceAll("<br/>", "\n");
  expect(text).not.toMatch(/[<>]/);
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

function getBlockWords({ type, value }: BlockDraft): string {
  expect(type).toBe("paragraph");
  const pieces = value.rich_text as { text: { content: string }; annotations?: object }[];
  return pieces.map(({ text, annotations }) => (annotations ? "MARKED" : text.content)).join("");
}

const TEXTS = [
  "2*3*4 = 24, edit __init__.py",
  "a*b*c and x_y_z",
  "C:\\new\\*.log",
  "C:\\*.log and D:\\~x",
  "\\\\server\\share\\*.txt",
  "logs\\*.txt",
  "<b>bold</b> & <script>alert(1)</script>",
  "007",
  "007. Bond",
  "snake_case_name and __main__",
  "src/**/*.ts and *.js,*.ts",
  "^\\d+\\.\\d+$",
  "f(\\alpha) costs \\$5",
  "[TODO]: fix",
  "5 < 6 > 4 && a || b",
  "AT&T &amp; Co",
  "~/notes~old~/x",
  "C:\\dir\\\nnext line",
  "#123 and @sam",
  "if (a[0] == '*') b *= 2",
];

test.each(Object.keys(WRITERS).flatMap((name) => TEXTS.map((text) => [name, text] as const)))(
  "B250 %s stores %j as it was approved",
  (name, text) => {
    expect(WRITERS[name]?.(text)).toBe(text);
  },
);

test.each([
  ["1986\\. A year", "1986. A year"],
  ["\\- no item", "- no item"],
  ["\\*not bold\\*", "*not bold*"],
  ["a \\_b\\_", "a _b_"],
])("an escape of Markdown is an escape: %j", (text, visibleText) => {
  for (const write of Object.values(WRITERS)) expect(write(text)).toBe(visibleText);
});

test("marks between words are marks everywhere, and lists keep their numbers", () => {
  const text =
    "**bold** and *leaning*, ~~gone~~, [site](https://example.com) and [site][1]\n\n[1]: https://example.com/1";
  expect(markdownToHtml(text)).toBe(
    '<p><strong>bold</strong> and <em>leaning</em>, <s>gone</s>, <a href="https://example.com">site</a> and <a href="https://example.com/1">site</a></p>',
  );
  expect(JSON.stringify(toAdf("2024. was good", "x"))).toContain('"order":2024');
  expect(markdownToHtml("2024. was good\n2025. too")).toBe('<ol start="2024"><li>was good</li><li>too</li></ol>');
  expect(parseBlocks("2024. was good\n2025. too").map(getBlockWords)).toEqual(["2024. was good", "2025. too"]);
  expect(markdownToHtml("[x](javascript:alert)")).toBe("<p>[x](javascript:alert)</p>");
  expect(storageToMarkdown(markdownToHtml("2*3*4"))).toBe("2*3*4");
});

const CALLS: [service: Service, tool: string, input: Record<string, unknown>][] = [
  [gmail, "gmail.send_message", { to: "a@example.com", subject: "WORDS", body: "WORDS" }],
  [gmail, "gmail.reply", { message: "m", body: "WORDS" }],
  [googleCalendar, "google-calendar.create_event", { title: "WORDS", start: "2026-12-01", description: "WORDS" }],
  [googleCalendar, "google-calendar.update_event", { event: "e", title: "WORDS", location: "WORDS" }],
  [googleDocs, "google-docs.replace_text", { document: "d", find: "WORDS", replacement: "WORDS" }],
  [confluence, "confluence.create_page", { title: "WORDS", space: "DOCS", text: "WORDS" }],
  [confluence, "confluence.update_page", { page: "p", text: "WORDS" }],
  [confluence, "confluence.add_comment", { page: "p", text: "WORDS" }],
  [bitbucket, "bitbucket.comment", { repository: "web", id: 1, text: "WORDS" }],
  [jira, "jira.add_comment", { issue: "KAY-1", text: "WORDS" }],
  [slack, "slack.send_message", { channel: "#general", text: "WORDS" }],
  [notion, "notion.comment", { page: "p", text: "WORDS" }],
  [hubspot, "hubspot.add_note", { contact: "c", text: "WORDS" }],
  [linkedin, "linkedin.create_post", { text: "WORDS" }],
  [github, "github.comment", { repository: "o/r", number: 1, text: "WORDS", body: "WORDS" }],
];

test.each(CALLS)("B250 the approval of %# shows the text as it is sent", (service, name, input) => {
  const words = "2*3*4 | <b> \\*.log __init__.py";
  const filled = Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, value === "WORDS" ? words : value]),
  );
  expect(summarize(service, name, filled)).toContain(words);
});

test("a new event keeps its title", async () => {
  const requests: { summary?: string }[] = [];
  const fetch = async (_: string, init?: RequestInit) => {
    requests.push(JSON.parse(String(init?.body)));
    return Response.json({ id: "e", start: { date: "2026-12-01" }, end: { date: "2026-12-02" } });
  };
  const context = contextOver({ fetch }, googleCalendar, {});
  for (const title of ["A meeting with Bob", "The event hall", "a meeting called Planning", "007 <b>"]) {
    await runTool(googleCalendar, "google-calendar.create_event", { title, start: "2026-12-01" }, context);
  }
  expect(requests.map(({ summary }) => summary)).toEqual([
    "A meeting with Bob",
    "The event hall",
    "Planning",
    "007 <b>",
  ]);
});
