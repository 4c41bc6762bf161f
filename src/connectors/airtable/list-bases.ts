import * as z from "zod/mini";
import { defineListTool, formatList } from "../list-tool.ts";
import { formatMarkdownTable } from "../markup/markdown.ts";
import { readBases } from "./base.ts";

const Input = z.object({});

/** Source: https://airtable.com/developers/web/api/list-bases */
export const listBasesTool = defineListTool({
  name: "airtable.list_bases",
  description: "List the bases of the Airtable account.",
  input: Input,
  limit: { usual: 100, most: 1000 },
  examples: [
    "list my airtable bases",
    "show the bases in airtable",
    "which bases are in airtable",
    "what is in airtable",
    "list bases",
  ],
  summary: () => "List the bases in Airtable",
  async run(_, context, list) {
    const { items: bases, more } = await readBases(context, list);
    const site = context.http.endpoints.web ?? "https://airtable.com";
    const data = bases.map(({ id, name, permissionLevel }) => ({
      id,
      name,
      access: permissionLevel,
      url: `${site}/${id}`,
    }));
    const rows = data.map(({ name, access, url }) => [name, access ?? "", url]);
    const text = formatList(list, {
      count: rows.length,
      words: rows.length === 1 ? "base" : "bases",
      more,
      none: "No bases in Airtable that kay can access.",
      items: () => formatMarkdownTable(["Base", "Access", "Address"], rows),
    });
    return { data: { bases: data, more }, text, url: site };
  },
});
