import * as z from "zod/mini";
import { requireTitle } from "../input-text.ts";
import { escapeCell, toOneLine } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { writePage } from "./create.ts";
import { findDataSource, formatNotionPlace } from "./find.ts";
import { findColumn, listColumns } from "./schema.ts";
import { describeNotionObject, getTitle } from "./title.ts";
import { toPropertyValue } from "./values.ts";

const Input = z.object({
  database: withDescription(z.string(), "Title, id or URL of the database."),
  title: withDescription(z.string(), "Title of the row."),
  values: withDescription(
    z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
    "Other columns by name. Dates as 2026-12-24; several options or people separated by commas.",
  ),
  text: withDescription(z.optional(z.string()), "Content of the row's page, as text or Markdown."),
});
type Input = z.output<typeof Input>;

/** Source: https://developers.notion.com/reference/post-page, with a data source as the parent */
export const addRowTool = defineTool({
  name: "notion.add_row",
  description: "Add a row to a Notion database.",
  access: "write",
  input: Input,
  examples: [
    "add a row to the notion database {database}: {title}",
    "add {title} to the notion database {database}",
    "add {title} to {database} in notion",
    "add a task {title} to {database} in notion",
    "add a row to {database} in notion: {title}",
    "new row in the notion database {database}: {title}",
  ],
  summary: describeCall,
  resource: ({ database }) => formatPlace("to the database", formatNotionPlace(database)),
  placeIsTarget: true,
  describeTarget: async ({ database }, context) =>
    describeNotionObject(await findDataSource(context, database, "change")),
  async run(input, context) {
    const name = requireTitle(input.title, "A row");
    const source = await findDataSource(context, input.database, "change");
    const columns = listColumns(source);
    const title = columns.find(({ type }) => type === "title")?.name ?? "title";
    const properties: Record<string, unknown> = {
      [title]: await toPropertyValue({ name: title, type: "title", options: [] }, name, context),
    };
    for (const [columnName, value] of Object.entries(input.values ?? {})) {
      const column = findColumn(columns, columnName);
      properties[column.name] = await toPropertyValue(column, String(value), context);
    }
    const parent = { type: "data_source_id", data_source_id: source.id };
    const { id, url } = await writePage(context, { parent, properties }, name, input.text ?? "");
    return {
      data: { id, title: name, database: getTitle(source), url },
      text: `Added “${escapeCell(name)}” to “${escapeCell(getTitle(source))}”.\n\n${url}`,
      url,
    };
  },
});

function describeCall({ database, title, values, text }: Input): string {
  const columns = Object.entries(values ?? {}).map(([name, value]) => `${name}: ${String(value).trim()}`);
  const details = [...columns, ...(text?.trim() ? ["with text"] : [])];
  const row = `“${toOneLine(title)}”${details.length > 0 ? ` (${details.join(", ")})` : ""}`;
  return `Add the row ${row} to “${database.trim()}” in Notion`;
}
