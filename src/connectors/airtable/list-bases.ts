import * as z from "zod/mini";
import { formatCount, formatMarkdownTable } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { listAllBases } from "./base.ts";

const Input = z.object({
  limit: withDescription(
    z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(1000))),
    "Maximum number of results. Default: 100.",
  ),
});

/** Source: https://airtable.com/developers/web/api/list-bases */
export const listBasesTool = defineTool({
  name: "airtable.list_bases",
  description: "List the bases of the Airtable account.",
  access: "read",
  input: Input,
  examples: [
    "list my airtable bases",
    "show the bases in airtable",
    "which bases are in airtable",
    "what is in airtable",
    "list bases",
  ],
  summary: () => "List the bases in Airtable",
  async run(input, context) {
    const all = await listAllBases(context);
    const bases = all.slice(0, input.limit ?? 100);
    const site = context.http.endpoints.web ?? "https://airtable.com";
    const data = bases.map(({ id, name, permissionLevel }) => ({
      id,
      name,
      access: permissionLevel,
      url: `${site}/${id}`,
    }));
    const rows = data.map(({ name, access, url }) => [name, access ?? "", url]);
    const text =
      rows.length === 0
        ? "No bases in Airtable that kay can access."
        : `${formatCount(rows.length, "base")}:\n\n${formatMarkdownTable(["Base", "Access", "Address"], rows)}`;
    return { data: { bases: data, more: all.length > bases.length }, text, url: site };
  },
});
