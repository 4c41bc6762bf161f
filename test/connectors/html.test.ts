import { expect, test } from "vitest";
import { markdownToHtml } from "#connectors/markup/html";

test.each([
  ["", ""],
  ["Line 1\nLine 2\n\n& <b>", "<p>Line 1<br/>Line 2</p><p>&amp; &lt;b&gt;</p>"],
  [
    "# Head\n\n- a\n- **b** `c`\n\n1. x",
    "<h1>Head</h1><ul><li>a</li><li><strong>b</strong> <code>c</code></li></ul><ol><li>x</li></ol>",
  ],
  ["- [x] done\n- [ ] open", "<ul><li>☑ done</li><li>☐ open</li></ul>"],
  [
    "[ok](https://e.test/?a=1&b=2) [bad](javascript:x)",
    '<p><a href="https://e.test/?a=1&amp;b=2">ok</a> [bad](javascript:x)</p>',
  ],
  ["<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"],
  ["```js\na < b\n```\n\n---\n\n> quoted", "<pre>a &lt; b</pre><hr/><blockquote><p>quoted</p></blockquote>"],
  [
    "| a | b |\n| - | - |\n| 1 |  |",
    "<table><tbody><tr><th>a</th><th>b</th></tr><tr><td>1</td><td></td></tr></tbody></table>",
  ],
  ["1 \\* 2 ~~gone~~ ![alt](https://e.test/i.png)", "<p>1 * 2 <s>gone</s> ![alt](https://e.test/i.png)</p>"],
])("%j becomes well-formed XHTML without any markup of its own", (text, html) => {
  expect(markdownToHtml(text)).toBe(html);
});
