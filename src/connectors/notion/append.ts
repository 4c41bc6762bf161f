import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell, formatCount, quoteText } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { countBlocks, parseBlocks } from "./blocks.ts";
import { findPageToChange, formatNotionPlace } from "./find.ts";
import { describeNotionObject, getTitle, getUrl } from "./title.ts";
import { appendBlocks, partialWriteProblem, type WriteProgress } from "./write.ts";

const Input = z.object({
  page: withDescription(z.string(), "Title, id or URL of the page."),
  text: withDescription(z.string(), "Text to append, as text or Markdown, of any length."),
});
type Input = z.output<typeof Input>;

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
  summary: ({ page, text }: Input) => `Append to “${page.trim()}” in Notion: ${quoteText(text, 200)}`,
  resource: ({ page }: Input) => formatPlace("to the page", formatNotionPlace(page)),
  placeIsTarget: true,
  describeTarget: async ({ page }, context) => describeNotionObject(await findPageToChange(context, page)),
  async run(input, context) {
    const drafts = parseBlocks(input.text);
    if (drafts.length === 0) {
      throw new Problem("INVALID_REQUEST", "The text must not be empty.", { details: { field: "text" } });
    }
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
