import * as z from "zod/mini";
import { emptyTextProblem } from "../input-text.ts";
import { escapeCell, formatCount, quoteText } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { countBlocks, parseBlocks } from "./blocks.ts";
import { findPageToChange, formatNotionPlace, PAGE_FIELD, PAGE_TARGET } from "./find.ts";
import { getTitle, getUrl } from "./title.ts";
import { appendBlocks, partialWriteProblem, type WriteProgress } from "./write.ts";

const Input = z.object({
  page: PAGE_FIELD,
  text: withDescription(z.string(), "Text to append, as text or Markdown, of any length."),
});

/** Source: https://developers.notion.com/reference/patch-block-children */
export const appendTool = defineTool({
  name: "notion.append",
  description: "Append text to a Notion page.",
  access: "write",
  input: Input,
  examples: [
    "append to the notion page {page}: {text}",
    "append to {page} in notion: {text}",
    "append {text} to the notion page {page}",
    "add text to the notion page {page}: {text}",
    "write on the notion page {page}: {text}",
  ],
  summary: ({ page, text }) => `Append to “${page.trim()}” in Notion: ${quoteText(text, 200)}`,
  resource: ({ page }) => formatPlace("to the page", formatNotionPlace(page)),
  ...PAGE_TARGET,
  async run(input, context) {
    const drafts = parseBlocks(input.text);
    if (drafts.length === 0) throw emptyTextProblem("text");
    const page = await findPageToChange(context, input.page);
    const [title, url] = [getTitle(page), getUrl(page)];
    const progress: WriteProgress = { written: 0, total: countBlocks(drafts) };
    try {
      await appendBlocks(context, page.id, drafts, progress);
    } catch (error) {
      if (progress.written === 0) throw error;
      throw partialWriteProblem(error, progress, `the text had been partly added to “${escapeCell(title)}”`, url);
    }
    const blocks = formatCount(progress.total, "block");
    return {
      data: { id: page.id, title, blocks: progress.total, url },
      text: `Added ${blocks} to “${escapeCell(title)}”.\n\n${url}`,
      url,
    };
  },
});
