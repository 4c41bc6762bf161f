import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { siteOf } from "../atlassian.ts";
import { describe } from "../fields.ts";
import { cell, excerpt } from "../markdown.ts";
import { defineTool, type ToolContext } from "../service.ts";
import { cqlOf } from "./cql.ts";
import { findPages, pageUrl } from "./search.ts";
import { storageText } from "./storage.ts";

const Input = z.object({
  page: describe(z.string(), "Title, id or address of the page."),
  space: describe(z.optional(z.string()), "Key of the space, when several have a page of that title."),
});
type Input = z.output<typeof Input>;

const Page = z.looseObject({
  id: z.string(),
  title: z.string(),
  version: z.nullish(z.looseObject({ number: z.nullish(z.number()), createdAt: z.nullish(z.string()) })),
  body: z.nullish(z.looseObject({ storage: z.nullish(z.looseObject({ value: z.string() })) })),
  _links: z.nullish(z.looseObject({ webui: z.nullish(z.string()) })),
});

/** Longest text of a page that is shown and given to a model, in characters. */
const LONGEST = 12_000;

/** Source: Confluence Cloud REST v2, GET /wiki/api/v2/pages/{id}?body-format=storage. */
export const getPage = defineTool({
  name: "confluence.get_page",
  description: "Read one Confluence page by its title, id or address.",
  access: "read",
  input: Input,
  examples: [
    "read the page {page}",
    "show the page {page}",
    "open the page {page}",
    "what does the page {page} say",
    "summarize the page {page}",
    "read {page} in confluence",
    "show the page {page} in space {space}",
  ],
  summary: ({ page, space }: Input) => `Read the page “${page.trim()}”${space ? ` in ${space}` : ""}`,
  async run(input, context) {
    const { cloudId, url: site } = siteOf(context.metadata, "confluence");
    const id = await pageId(input, context);
    const page = await context.http.request({
      path: `/ex/confluence/${cloudId}/wiki/api/v2/pages/${encodeURIComponent(id)}`,
      query: { "body-format": "storage" },
      answer: Page,
      scope: "read:page:confluence",
    });
    const webui = page._links?.webui;
    const url = webui?.startsWith("/") ? `${site}/wiki${webui}` : pageUrl(site, page.id);
    const text = excerpt(storageText(page.body?.storage?.value ?? ""), LONGEST);
    const updated = page.version?.createdAt ?? null;
    const head = `**${cell(page.title)}**${updated ? `, changed ${updated.slice(0, 10)}` : ""}\n${url}`;
    return {
      data: { id: page.id, title: page.title, version: page.version?.number ?? null, updated, text, url },
      text: `${head}\n\n${text || "(The page is empty.)"}`,
      url,
    };
  },
});

/** The id in an address or number, else of the one page with that title. */
async function pageId({ page, space }: Input, context: ToolContext): Promise<string> {
  const id = /^(\d+)$|\/pages\/(?:edit-v2\/)?(\d+)|[?&]pageId=(\d+)/.exec(page.trim())?.slice(1).find(Boolean);
  if (id) return id;
  const exact = await findPages(context, cqlOf({ title: page, space }), 10);
  const found = exact.pages.length > 0 ? exact : await findPages(context, cqlOf({ text: page, space }), 10);
  const [only, ...more] = found.pages;
  const where = space ? ` in ${space}` : "";
  if (!only)
    throw new Problem("INVALID_REQUEST", `No page${where} is called “${page.trim()}”.`, {
      hint: "Search for it first.",
    });
  if (more.length === 0) return only.id;
  const list = found.pages.map(({ title, space: name, id: number }) => `“${title}” in ${name} (${number})`).join(", ");
  throw new Problem("INVALID_REQUEST", `Several pages match “${page.trim()}”: ${list}.`, {
    hint: "Name the page by its id.",
  });
}
