import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell } from "../markdown.ts";
import { placed } from "../resource.ts";
import { defineTool, type ToolContext } from "../service.ts";
import { findPage, namedPlace } from "./find.ts";
import { shownProperties } from "./properties.ts";
import { type Column, columnOf, columnsOf } from "./schema.ts";
import { NotionObject, titleOf, urlOf } from "./title.ts";
import { propertyValue } from "./values.ts";

const Input = z.object({
  page: describe(z.string(), "Title, id or address of the page or row."),
  property: describe(z.string(), "Column that is set."),
  value: describe(
    z.string(),
    'New value: "Done", "In progress", "Not started", "Todo", "High", "Low", or any other option, name, number or day; empty clears it.',
  ),
});
type Input = z.output<typeof Input>;

/** Source: https://developers.notion.com/reference/patch-page */
export const setProperty = defineTool({
  name: "notion.set_property",
  description: "Set one property of a Notion page or row of a database.",
  access: "write",
  input: Input,
  examples: [
    "set {property} of {page} to {value} in notion",
    "set {property} of the notion page {page} to {value}",
    "set the {property} of {page} in notion to {value}",
    "change {property} of {page} to {value} in notion",
    "update {property} of the notion page {page} to {value}",
  ],
  summary: ({ page, property, value }: Input) =>
    value.trim() === ""
      ? `Clear ${property.trim()} of “${page.trim()}” in Notion`
      : `Set ${property.trim()} of “${page.trim()}” in Notion to ${value.trim()}`,
  resource: ({ page }: Input) => placed("on the page", namedPlace(page)),
  async run(input, context) {
    const page = await findPage(context, input.page);
    const column = await columnOfPage(context, page, input.property);
    const properties = { [column.name]: await propertyValue(column, input.value, context) };
    const path = `/v1/pages/${encodeURIComponent(page.id)}`;
    const changed = await context.http.request({ method: "PATCH", path, body: { properties }, answer: NotionObject });
    const [title, url] = [titleOf(changed), urlOf(changed)];
    const before = shownProperties(page)[column.name] ?? "";
    const now = column.type === "title" ? title : (shownProperties(changed)[column.name] ?? "");
    const said = now === "" ? `Cleared ${cell(column.name)}` : `Set ${cell(column.name)} to ${cell(now)}`;
    return {
      data: { id: page.id, title, property: column.name, before, value: now, url },
      text: `${said}: “${cell(title)}”.\n\n${url}`,
      url,
    };
  },
});

/** The column with its options, which the database knows; a page outside of a database has its title alone. */
async function columnOfPage(context: ToolContext, page: NotionObject, wanted: string): Promise<Column> {
  const source = page.parent?.data_source_id;
  if (typeof source !== "string") return columnOf(columnsOf(page), wanted);
  const path = `/v1/data_sources/${encodeURIComponent(source)}`;
  return columnOf(columnsOf(await context.http.request({ path, answer: NotionObject })), wanted);
}
