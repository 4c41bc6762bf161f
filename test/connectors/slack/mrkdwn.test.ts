import { expect, test } from "vitest";
import { listMentionedUsers, mrkdwnToMarkdown } from "#connectors/slack/mrkdwn-read";
import { markdownToMrkdwn } from "#connectors/slack/mrkdwn-write";

const users = new Map([["U1", "Dana Demo"]]);

test.each([
  ["*bold*, _italic_ and ~struck~", "**bold**, _italic_ and ~~struck~~"],
  ["2 * 3 * 4 and snake_case_name", "2 \\* 3 \\* 4 and snake_case_name"],
  ["<@U1> and <@U9|sam> in <#C1|general>", "@Dana Demo and @sam in #general"],
  ["<!here> <!subteam^S1|@team> <!date^1392734382^{date}|Feb 18>", "@here @team Feb 18"],
  ["<https://example.com/a_b|the *site*>", "[the \\*site\\*](https://example.com/a_b)"],
  ["<https://example.com>", "https://example.com"],
  ["<mailto:a@example.com|a@example.com>", "a@example.com"],
  ["a &lt;b&gt; &amp; c", "a \\<b> & c"],
  ["see `<@U1> *x*`", "see `@Dana Demo *x*`"],
  ["Fix:\n```\nawait x()\n```", "Fix:\n\n```\nawait x()\n```"],
  ["• one\n• two", "- one\n- two"],
  ["&gt; quoted", "> quoted"],
  ["[click](http://evil.test)", "[click\\](http://evil.test)"],
  ["<javascript:alert(1)|hi>", "hi"],
])("mrkdwn %j reads as %j", (mrkdwn, markdown) => {
  expect(mrkdwnToMarkdown(mrkdwn, { users })).toBe(markdown);
});

test("every mentioned user is found", () => {
  expect(listMentionedUsers("<@U1> asks <@W2|x> about <#C3>")).toEqual(["U1", "W2"]);
});

test.each([
  ["**bold**, *italic* and ~~struck~~", "*bold*, _italic_ and ~struck~"],
  ["# Title\n\nText", "*Title*\n\nText"],
  ["- one\n- two\n  - inner", "• one\n• two\n    • inner"],
  ["3. three\n4. four", "3. three\n4. four"],
  ["- [x] done\n- [ ] open", "☑ done\n☐ open"],
  ["[the site](https://example.com/?a=1&b=2)", "<https://example.com/?a=1&amp;b=2|the site>"],
  ["[x](javascript:alert)", "[x](javascript:alert)"],
  ["a < b & c > d", "a &lt; b &amp; c &gt; d"],
  ["<!channel> <@U1>", "&lt;!channel&gt; &lt;@U1&gt;"],
  ["```ts\nif (a < b) x();\n```", "```\nif (a &lt; b) x();\n```"],
  ["> quoted\n> twice", "> quoted\n> twice"],
  ["| A | B |\n| - | - |\n| one | 2 |", "```\nA    B\none  2\n```"],
  ["one\ntwo", "one\ntwo"],
  ["  ", ""],
])("Markdown %j is sent as %j", (markdown, mrkdwn) => {
  expect(markdownToMrkdwn(markdown)).toBe(mrkdwn);
});

test("Markdown nested too deeply is sent as plain text", () => {
  const deep = `${"> ".repeat(20_000)}x`;
  expect(markdownToMrkdwn(deep).length).toBeGreaterThan(20_000);
});

test.each([
  "2*3*4 = 24",
  "+ 5 percent",
  "0. zero",
  "*",
  "1.",
  "a*b*c and x_y_z",
  "__init__.py and __main__",
  "C:\\new\\*.log",
  "snake_case_name",
  "path/*/file/*.ts",
  "~/notes~old~/x",
])("%s arrives as approved", (text) => {
  expect(markdownToMrkdwn(text)).toBe(text);
});

test.each([
  ["**bold** and *leaning*, ~~gone~~", "*bold* and _leaning_, ~gone~"],
  ["__two words__ (*it*)", "*two words* (_it_)"],
  ["\\*not bold\\*", "*not bold*"],
  ["这是**重点**内容、**중요**합니다", "这是*重点*内容、*중요*합니다"],
])("marks between words are marks: %s", (markdown, mrkdwn) => {
  expect(markdownToMrkdwn(markdown)).toBe(mrkdwn);
});
