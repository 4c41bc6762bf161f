import * as z from "zod/mini";
import { escapeCell, truncateText } from "../markup/markdown.ts";
import { defineTool } from "../tool.ts";
import { buildPageUrl, getConfluenceApi, PAGE_FIELD, readPageOrPost, SPACE_FIELD } from "./page.ts";
import { storageToMarkdown } from "./storage.ts";

const Input = z.object({
  page: PAGE_FIELD,
  space: SPACE_FIELD,
});

/** Longest text of a page shown to the user and the model, in characters. */
const MAX_TEXT_LENGTH = 12_000;

const STATES: Record<string, string> = { trashed: "in the trash" };

/** Source: Confluence Cloud REST v2, GET /wiki/api/v2/pages/{id}?body-format=storage. */
export const getPageTool = defineTool({
  name: "confluence.get_page",
  description: "Read one Confluence page by its title, ID or URL.",
  access: "read",
  input: Input,
  examples: [
    "read the page {page}",
    "show the page {page}",
    "open the page {page}",
    "find the page {page}",
    "what does the page {page} say",
    "what is in the page {page}",
    "what is in the {page} page in confluence",
    "summarize the page {page}",
    "read {page} in confluence",
    "show the page {page} in space {space}",
    "show the {page} page in confluence",
    "show the confluence page {page}",
  ],
  summary: ({ page, space }) => `Read the page “${page.trim()}”${space ? ` in ${space}` : ""}`,
  async run(input, context) {
    const page = await readPageOrPost(context, input);
    const url = buildPageUrl(page, getConfluenceApi(context).site);
    const content = page.body?.storage?.value;
    const text = truncateText(storageToMarkdown(content ?? ""), MAX_TEXT_LENGTH);
    const blank = typeof content === "string" ? "(The page is empty.)" : "(Confluence did not return the content.)";
    const updated = page.version?.createdAt ?? null;
    const state = page.status && page.status !== "current" ? `, ${STATES[page.status] ?? page.status}` : "";
    const head = `**${escapeCell(page.title)}**${state}${updated ? `, changed ${updated.slice(0, 10)}` : ""}\n${url}`;
    return {
      data: {
        id: page.id,
        title: page.title,
        ...(state ? { status: page.status } : {}),
        version: page.version?.number ?? null,
        updated,
        text,
        url,
      },
      text: `${head}\n\n${text || blank}`,
      url,
    };
  },
});
