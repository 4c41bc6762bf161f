import * as z from "zod/mini";
import { escapeCell, truncateText } from "../markup/markdown.ts";
import { defineTool } from "../tool.ts";
import { findPage, PAGE_FIELD } from "./find.ts";
import { formatProperties } from "./properties.ts";
import { readPage } from "./read.ts";
import { getTitle, getUrl } from "./title.ts";

const Input = z.object({ page: PAGE_FIELD });

/** Longest text of a page shown to the user and the model, in characters. */
const MAX_TEXT_LENGTH = 12_000;

/** Source: https://developers.notion.com/reference/retrieve-a-page and …/reference/get-block-children */
export const getPageTool = defineTool({
  name: "notion.get_page",
  description: "Read one Notion page, its properties and its text, by its title, ID or URL.",
  access: "read",
  input: Input,
  examples: [
    "read the notion page {page}",
    "show the notion page {page}",
    "open {page} in notion",
    "read {page} in notion",
    "what does the notion page {page} say",
    "summarize the notion page {page}",
  ],
  summary: ({ page }) => `Read the page “${page.trim()}” in Notion`,
  async run(input, context) {
    const page = await findPage(context, input.page);
    const { text: markdown, complete } = await readPage(context, page.id);
    const text = truncateText(markdown, MAX_TEXT_LENGTH);
    const [title, url, properties] = [getTitle(page), getUrl(page), formatProperties(page)];
    const facts = Object.entries(properties).flatMap(([name, value]) =>
      value === "" ? [] : [`- ${escapeCell(name)}: ${escapeCell(value)}`],
    );
    const changeNote = page.last_edited_time ? `, changed ${page.last_edited_time.slice(0, 10)}` : "";
    const isTrashed = page.in_trash === true;
    const head = `**${escapeCell(title)}**${changeNote}${isTrashed ? ", in the trash" : ""}\n${url}`;
    const end = complete ? "" : "(The page continues; kay did not read all of it.)";
    return {
      data: {
        id: page.id,
        title,
        updated: page.last_edited_time,
        properties,
        text,
        complete,
        url,
        ...(isTrashed ? { in_trash: true } : {}),
      },
      text: [head, facts.join("\n"), text || "(The page is empty.)", end].filter(Boolean).join("\n\n"),
      url,
    };
  },
});
