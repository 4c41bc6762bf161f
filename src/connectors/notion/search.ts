import * as z from "zod/mini";
import { type ListRequest, readPages } from "../http/pages.ts";
import { createChoiceSchema } from "../input-text.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatMarkdownTable, formatNoun } from "../markup/markdown.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { CURSOR, getNextCursor } from "./read.ts";
import { getTitle, getUrl, NotionObject } from "./title.ts";

const Input = z.object({
  text: withDescription(z.optional(z.string()), "Words in the title. Default: most recently changed first."),
  type: withDescription(
    createChoiceSchema(["page", "database"], { pages: "page", databases: "database", table: "database" }),
    "Default: both.",
  ),
});
type Input = z.output<typeof Input>;

const Page = z.looseObject({ results: z.array(NotionObject), ...CURSOR });

/**
 * Source: https://developers.notion.com/reference/post-search (searches titles only, among pages shared with the
 * connection)
 */
export const searchTool = defineListTool({
  name: "notion.search",
  description: "Find Notion pages and databases by words in their title.",
  input: Input,
  limit: { usual: 20, most: 100 },
  mentions: [{ input: { limit: 50 }, list: "results", name: "{title}", note: "{type}" }],
  examples: [
    "search notion for {text}",
    "find {text} in notion",
    "find the {text} page",
    "find the notion page about {text}",
    "find notion pages about {text}",
    "what changed in notion",
    "list the databases in notion",
    "show my notion pages",
    "which {type} in notion is about {text}",
  ],
  summary: (input) => `Search Notion for ${describeSearch(input)}`,
  async run(input, context, list) {
    const { found, more } = await searchObjects(input, context, list);
    const data = found.map((item) => ({
      id: item.id,
      title: getTitle(item),
      type: getKind(item),
      updated: item.last_edited_time,
      url: getUrl(item),
    }));
    return { data: { results: data, more }, text: formatResult(data, more, describeSearch(input), list) };
  },
});

async function searchObjects(input: Input, context: ToolContext, list: ListRequest) {
  const kind = input.type === "database" ? "data_source" : input.type;
  const { items, more } = await readPages(async (cursor, size) => {
    const body = {
      ...(input.text?.trim() ? { query: input.text.trim() } : {}),
      ...(kind ? { filter: { property: "object", value: kind } } : {}),
      ...(input.text?.trim() ? {} : { sort: { direction: "descending", timestamp: "last_edited_time" } }),
      page_size: Math.min(100, size),
      ...(cursor ? { start_cursor: cursor } : {}),
    };
    const page = await context.http.request({ method: "POST", path: "/v1/search", body, answer: Page, reads: true });
    return { items: page.results, next: getNextCursor(page) };
  }, list);
  return { found: items, more };
}

function getKind({ object }: NotionObject): string {
  return object === "data_source" || object === "database" ? "database" : "page";
}

function describeSearch({ text, type }: Input): string {
  const kinds = type === undefined ? "" : `${type}s`;
  const kindNames = kinds || "pages and databases";
  return text?.trim() ? `${kindNames} called “${text.trim()}”` : `the ${kindNames} changed last`;
}

function formatResult(
  results: { title: string; type: string; updated?: string | null; url: string }[],
  more: boolean,
  kindNames: string,
  list: ListRequest,
): string {
  const none = `Nothing found in Notion: ${escapeCell(kindNames)}. Pages must be shared with kay there.`;
  const rows = results.map(({ title, type, updated, url }) => [title, type, updated?.slice(0, 10) ?? "", url]);
  const words = formatNoun(results.length, "result");
  const items = () => formatMarkdownTable(["Title", "Type", "Changed", "Address"], rows);
  return formatList(list, { count: results.length, words, more, none, items });
}
