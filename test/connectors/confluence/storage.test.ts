import fc from "fast-check";
import { expect, test } from "vitest";
import { formatExcerpt, storageToMarkdown } from "#connectors/confluence/storage";

test("a page's storage format reads as Markdown", () => {
  const storage = `<h1>Deploy</h1><p>Run <strong>make</strong>&nbsp;now &amp; <em>wait</em>,<br />then <a href="https://x.test/z">look</a>.</p>
<ul><li><p>one</p><ol><li>deep</li></ol></li><li>two</li></ul>
<table><tbody><tr><th>A</th><th><p>B</p></th></tr><tr><td>1|2</td><td>x</td></tr></tbody></table><hr />
<p>&ldquo;caf&eacute;&rdquo;</p>`;
  expect(storageToMarkdown(storage)).toBe(
    [
      "# Deploy",
      "Run **make** now & _wait_,\nthen [look](https://x.test/z).",
      "- one\n  1. deep\n- two",
      "| A | B |\n| --- | --- |\n| 1\\|2 | x |",
      "---",
      "“café”",
    ].join("\n\n"),
  );
});

test("macros, links, tasks, people and files become what a reader sees", () => {
  const storage = `<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">bash</ac:parameter><ac:plain-text-body><![CDATA[kay serve <x>
  && y]]></ac:plain-text-body></ac:structured-macro>
<ac:structured-macro ac:name="info"><ac:parameter ac:name="title">Mind</ac:parameter><ac:rich-text-body><p>the gap.</p></ac:rich-text-body></ac:structured-macro>
<p><ac:link><ri:page ri:content-title="Other page" /></ac:link>, <ac:link><ri:page ri:content-title="X" /><ac:plain-text-link-body><![CDATA[words]]></ac:plain-text-link-body></ac:link>, <ac:link><ri:user ri:account-id="1" /></ac:link>, <ac:structured-macro ac:name="status"><ac:parameter ac:name="title">DONE</ac:parameter></ac:structured-macro></p>
<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status><ac:task-body>did</ac:task-body></ac:task><ac:task><ac:task-id>2</ac:task-id><ac:task-status>incomplete</ac:task-status><ac:task-body><span>do</span></ac:task-body></ac:task></ac:task-list>
<ac:image ac:alt="a chart"><ri:attachment ri:filename="c.png" /></ac:image><foo:bar>unknown</foo:bar><script>alert(1)</script>`;
  expect(storageToMarkdown(storage)).toBe(
    [
      "```bash\nkay serve <x>\n  && y\n```",
      "> **Mind**\n>\n> the gap.",
      "Other page, words, @someone, [DONE]",
      "- [x] did\n- [ ] do",
      "[a chart]",
      "unknown",
    ].join("\n\n"),
  );
});

test("a search excerpt is one line of plain text", () => {
  expect(formatExcerpt("How to @@@hl@@@deploy@@@endhl@@@ &lt;b&gt; &amp;\n <b>now</b>")).toBe(
    "How to deploy <b> & now",
  );
});

test("broken markup still gives its text", () => {
  expect(storageToMarkdown("<p>open <b>never closed")).toBe("open **never closed**");
  fc.assert(
    fc.property(
      fc.string(),
      (source) => typeof storageToMarkdown(source) === "string" && typeof formatExcerpt(source) === "string",
    ),
  );
});

// https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html
test.each([
  ["<p>10<sup>2</sup> H<sub>2</sub>O</p>", "10^2 H_2O"],
  [
    '<p>See <ac:structured-macro ac:name="jira"><ac:parameter ac:name="key">KAY-3</ac:parameter></ac:structured-macro>.</p>',
    "See (jira: KAY-3).",
  ],
  [
    '<ac:structured-macro ac:name="view-file"><ac:parameter ac:name="name"><ri:attachment ri:filename="x.pdf"/></ac:parameter></ac:structured-macro>',
    "(view-file: x.pdf)",
  ],
  ['<ac:structured-macro ac:name="toc" />', "(toc)"],
  [
    '<p>a<ac:structured-macro ac:name="anchor"><ac:parameter ac:name="">x</ac:parameter></ac:structured-macro></p>',
    "a",
  ],
  ['<ac:image><ri:attachment ri:filename="a.png"/></ac:image>', "[a.png]"],
  ['<p><ac:emoticon ac:name="blue-star" ac:emoji-shortname=":rocket:"/></p>', ":rocket:"],
  [
    '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute><ac:adf-content><p>mind</p></ac:adf-content></ac:adf-node><ac:adf-fallback><p>mind</p></ac:adf-fallback></ac:adf-extension>',
    "mind",
  ],
])("an element is read as readers see it, or named: %s", (storage, text) => {
  expect(storageToMarkdown(storage)).toBe(text);
});
