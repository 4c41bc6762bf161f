import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describe } from "../fields.ts";
import { cell, count, excerpt } from "../markdown.ts";
import { placed } from "../resource.ts";
import { defineTool } from "../service.ts";
import { blocksOf, countBlocks } from "./blocks.ts";
import { findPage, namedPlace } from "./find.ts";
import { titleOf, urlOf } from "./title.ts";
import { appendBlocks, type Progress, partly } from "./write.ts";

const Input = z.object({
  page: describe(z.string(), "Title, id or address of the page."),
  text: describe(z.string(), "What is added at its end, as text or Markdown, of any length."),
});
type Input = z.output<typeof Input>;

/** Source: https://developers.notion.com/reference/patch-block-children */
export const append = defineTool({
  name: "notion.append",
  description: "Add text at the end of a Notion page.",
  access: "write",
  input: Input,
  examples: [
    "append to the notion page {page}: {text}",
    "append to {page} in notion: {text}",
    "append {text} to the notion page {page}",
    "add text to the notion page {page}: {text}",
    "write on the notion page {page}: {text}",
  ],
  summary: ({ page, text }: Input) =>
    `Add at the end of “${page.trim()}” in Notion: “${excerpt(text.replace(/\s+/g, " ").trim(), 200)}”`,
  resource: ({ page }: Input) => placed("to the page", namedPlace(page)),
  async run(input, context) {
    const drafts = blocksOf(input.text);
    if (drafts.length === 0) {
      throw new Problem("INVALID_REQUEST", "There is no text to add.", { details: { field: "text" } });
    }
    const page = await findPage(context, input.page);
    const [title, url] = [titleOf(page), urlOf(page)];
    const progress: Progress = { written: 0, total: countBlocks(drafts) };
    try {
      await appendBlocks(context, page.id, drafts, progress);
    } catch (error) {
      if (progress.written === 0) throw error;
      throw partly(error, progress, `the text had been added to “${cell(title)}” in part`, url);
    }
    const blocks = count(progress.total, "block");
    return {
      data: { id: page.id, title, blocks: progress.total, url },
      text: `Added ${blocks} to “${cell(title)}”.\n\n${url}`,
      url,
    };
  },
});
