import * as z from "zod/mini";
import { requireTitle } from "../input-text.ts";
import { escapeCell, formatCount, toOneLine } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import { countBlocks, parseBlocks } from "./blocks.ts";
import { findPageToChange, formatNotionPlace } from "./find.ts";
import { toPlainText } from "./rich-text.ts";
import { describeNotionObject, getUrl, NotionObject } from "./title.ts";
import { appendBlocks, partialWriteProblem, takeFirstBatch, type WriteProgress } from "./write.ts";

const Input = z.object({
  parent: withDescription(z.string(), "Title, id or URL of the parent page."),
  title: withDescription(z.string(), "Title of the new page."),
  text: withDescription(z.optional(z.string()), "Content, as text or Markdown, of any length."),
});
type Input = z.output<typeof Input>;

/** Source: https://developers.notion.com/reference/post-page */
export const createPageTool = defineTool({
  name: "notion.create_page",
  description: "Create a Notion page within another page, with a title and text.",
  access: "write",
  input: Input,
  examples: [
    "create a notion page in {parent} called {title}",
    "create a page in notion under {parent} called {title}",
    "create a notion page called {title} in {parent}",
    "create a notion page under {parent}: {title}",
    "create a page in {parent} in notion called {title}",
    "add a notion page to {parent} titled {title}",
    "new notion page in {parent}: {title}",
    "add a page {title} under {parent} in notion",
  ],
  summary: describeCall,
  resource: ({ parent }) => formatPlace("in the page", formatNotionPlace(parent)),
  placeIsTarget: true,
  describeTarget: async ({ parent }, context) => describeNotionObject(await findPageToChange(context, parent)),
  async run(input, context) {
    const title = requireTitle(input.title, "A page");
    const parent = await findPageToChange(context, input.parent);
    const properties = { title: { title: toPlainText(title) } };
    const page = await writePage(context, { parent: { page_id: parent.id }, properties }, title, input.text ?? "");
    const { url, blocks } = page;
    const data = { id: page.id, title, url, blocks };
    return {
      data,
      text: `Created “${escapeCell(title)}”${blocks > 0 ? ` with ${formatCount(blocks, "block")}` : ""}.\n\n${url}`,
      url,
    };
  },
});

/**
 * Creates a page with a text of any length: the first batch goes with the page, the rest is appended in order.
 *
 * @throws Problem with `written` and `total` in its details when the text was written in part
 */
export async function writePage(
  context: ToolContext,
  page: Record<string, unknown>,
  title: string,
  text: string,
): Promise<{ id: string; url: string; blocks: number }> {
  const drafts = parseBlocks(text);
  const progress: WriteProgress = { written: 0, total: countBlocks(drafts) };
  const first = takeFirstBatch(drafts);
  const body = { ...page, ...(first.blocks.length > 0 ? { children: first.blocks } : {}) };
  const created = await context.http.request({ method: "POST", path: "/v1/pages", body, answer: NotionObject });
  progress.written = first.size;
  const url = getUrl(created);
  try {
    await appendBlocks(context, created.id, first.later, progress);
  } catch (error) {
    throw partialWriteProblem(error, progress, `the page “${escapeCell(title)}” had been created`, url);
  }
  return { id: created.id, url, blocks: progress.total };
}

function describeCall({ parent, title, text }: Input): string {
  const blocks = countBlocks(parseBlocks(text ?? ""));
  const details = blocks > 0 ? `, with ${formatCount(blocks, "block")} of text` : "";
  return `Create the page “${toOneLine(title)}” in “${parent.trim()}” in Notion${details}`;
}
