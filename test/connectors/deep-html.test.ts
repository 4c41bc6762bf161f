import { expect, test } from "vitest";
import { formatExcerpt, storageToMarkdown } from "#connectors/confluence/storage";
import { getText, sortParts } from "#connectors/gmail/part";

const deep = (tag: string) => `${`<${tag}>`.repeat(20_000)}deep${`</${tag}>`.repeat(20_000)}<p>after</p>`;

test.each(["div", "blockquote", "li", "table", "b", "ac:structured-macro"])(
  "a page, an excerpt and a mail with 20,000 nested <%s> can be read, and so can what follows",
  (tag) => {
    const data = Buffer.from(deep(tag)).toString("base64url");
    expect(getText(sortParts({ mimeType: "text/html", body: { data } }).texts)).toMatch(/deep\s+after$/);
    expect(storageToMarkdown(deep(tag))).toMatch(/after$/);
    expect(formatExcerpt(deep(tag))).toBe("deepafter");
  },
);
