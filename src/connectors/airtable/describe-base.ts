import * as z from "zod/mini";
import { escapeCell, formatCount, formatMarkdownTable } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { type Field, findBase, listTables } from "./base.ts";

const Input = z.object({
  base: withDescription(z.optional(z.string()), "Name, id or URL of the base. Default: the only base."),
});
type Input = z.output<typeof Input>;

/** Source: https://airtable.com/developers/web/api/get-base-schema */
export const describeBaseTool = defineTool({
  name: "airtable.describe_base",
  description: "Show the tables of an Airtable base and their fields.",
  access: "read",
  input: Input,
  examples: [
    "describe the airtable base {base}",
    "show the tables of the airtable base {base}",
    "which tables are in the airtable base {base}",
    "which fields are in the airtable base {base}",
    "what is in the airtable base {base}",
    "list the tables of the airtable base",
    "which tables are in airtable",
  ],
  summary: ({ base }: Input) =>
    `Read the tables of ${base?.trim() ? `the base “${base.trim()}”` : "the base"} in Airtable`,
  async run(input, context) {
    const base = await findBase(context, input.base, "read");
    const tables = await listTables(context, base);
    const url = `${context.http.endpoints.web ?? "https://airtable.com"}/${base.id}`;
    const data = tables.map(({ id, name, description, fields }) => ({
      id,
      name,
      ...(description ? { description } : {}),
      fields: fields.map((field) => ({ name: field.name, type: field.type, ...getChoices(field) })),
    }));
    const parts = tables.map(({ name, fields }) => {
      const rows = fields.map((field) => [field.name, field.type, (getChoices(field).choices ?? []).join(", ")]);
      return `**${escapeCell(name)}**\n\n${formatMarkdownTable(["Field", "Type", "Choices"], rows)}`;
    });
    const head = `${escapeCell(base.name)} has ${formatCount(tables.length, "table")}.`;
    return { data: { base: base.name, id: base.id, tables: data, url }, text: [head, ...parts].join("\n\n"), url };
  },
});

function getChoices({ options }: Field): { choices?: string[] } {
  const names = (options?.choices ?? []).map(({ name }) => name);
  return names.length > 0 ? { choices: names } : {};
}
